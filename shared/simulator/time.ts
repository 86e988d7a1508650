/** `metav1.Time`: RFC 3339 in whole seconds, as the API server writes it. What is finer is lost there, so it is lost here. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
