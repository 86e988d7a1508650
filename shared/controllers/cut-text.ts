/** The text, or as much of its beginning as has so many bytes in UTF-8. */
export function cutText(text: string, mostBytes: number): string {
  // A character cut in half decodes to one that is longer than its remains.
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, mostBytes)).replace(/\uFFFD$/u, "");
}
