export interface MimeText {
  readonly parts: readonly { readonly contentType: string; readonly content: string }[];
}

/**
 * Multipart text as cloud-init reads it: RFC 2046, written apart from our own reader so that the two can disagree. The last part need not be closed.
 * Throws on text that is not multipart, and on a part without a content type.
 */
export function mimeText(text: string): MimeText {
  const [head, ...rest] = text.split("\n\n");
  const boundary = /^Content-Type: multipart\/mixed; boundary="([^"]+)"$/im.exec(head ?? "")?.[1];
  if (boundary === undefined) throw new Error(`not multipart: ${head}`);
  const lines = rest.join("\n\n").split("\n");
  const starts = lines.flatMap((line, index) => (line === `--${boundary}` ? [index] : []));
  const end = lines.indexOf(`--${boundary}--`);
  const parts = starts.map((start, index) => {
    const part = lines.slice(start + 1, starts[index + 1] ?? (end === -1 ? lines.length : end));
    const empty = part.indexOf("");
    const contentType = part
      .slice(0, empty)
      .find((line) => line.startsWith("Content-Type: "))
      ?.slice(14);
    if (contentType === undefined) throw new Error(`a part without a content type: ${part[0]}`);
    return { contentType, content: part.slice(empty + 1).join("\n") };
  });
  return { parts };
}
