import { parse } from "yaml";

/** One part of multipart user data, line feeds only. */
export interface MimePart {
  readonly headers: readonly string[];
  readonly content: string;
}

export type MimeParts =
  | { readonly kind: "parts"; readonly parts: readonly MimePart[] }
  | { readonly kind: "invalid"; readonly reason: string };

/** A person's user data for AL2023: multipart MIME, a NodeConfig in YAML, or else a shell script (karpenter-aws §5.1). */
export function parseUserData(text: string): MimeParts {
  const plain = text.replaceAll("\r", "");
  if (plain.trim() === "") return { kind: "parts", parts: [] };
  if (/^\s*(MIME-Version|Content-Type):/.test(plain)) return parseMultipart(plain.trimStart());
  const contentType = isYamlMap(plain) ? nodeConfigType : 'text/x-shellscript; charset="us-ascii"';
  return { kind: "parts", parts: [mimePart(contentType, plain)] };
}

/** The content type that nodeadm reads its configuration from. */
export const nodeConfigType = "application/node.eks.aws";

export function mimePart(contentType: string, content: string): MimePart {
  return { headers: [`Content-Type: ${contentType}`], content };
}

/** Multipart text with the boundary `//`: equal parts, equal bytes. */
export function formatMultipart(parts: readonly MimePart[]): string {
  const body = parts.map(({ headers, content }) => `--//\n${headers.join("\n")}\n\n${content.replace(/\n$/, "")}\n`);
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n${body.join("")}--//--\n`;
}

function parseMultipart(text: string): MimeParts {
  const { headers, content } = splitHeaders(text);
  const contentType = headers.find((header) => /^content-type:/i.test(header)) ?? "";
  const [, quoted, bare] = /^content-type:\s*multipart\/.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) {
    return { kind: "invalid", reason: `found "${contentType}", expected Content-Type: multipart/... with a boundary` };
  }
  const sections: string[][] = [];
  for (const line of content.split("\n")) {
    if (line.trimEnd() === `--${boundary}--`) break;
    if (line.trimEnd() === `--${boundary}`) sections.push([]);
    else sections.at(-1)?.push(line);
  }
  const parts = sections.map((lines) => splitHeaders(lines.join("\n")));
  return { kind: "parts", parts: parts.filter((part) => part.headers.length > 0 || part.content.trim() !== "") };
}

/** Header lines, folded ones joined, up to the first empty line. */
function splitHeaders(text: string): MimePart {
  const end = text.indexOf("\n\n");
  const head = text.startsWith("\n") ? "" : end === -1 ? text : text.slice(0, end);
  const content = text.startsWith("\n") ? text.slice(1) : end === -1 ? "" : text.slice(end + 2);
  const headers = head.replace(/\n[ \t]+/g, " ").split("\n");
  return { headers: headers.filter((header) => header !== ""), content };
}

function isYamlMap(text: string): boolean {
  try {
    const value: unknown = parse(text, { logLevel: "error" });
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
