import { parse } from "yaml";

/** One part of multipart user data, line feeds only. */
export interface MimePart {
  readonly headers: readonly string[];
  readonly content: string;
}

export type MimeParts =
  | { readonly kind: "parts"; readonly parts: readonly MimePart[] }
  | { readonly kind: "invalid"; readonly reason: string };

/** The content type that nodeadm reads its configuration from. */
export const nodeConfigType = "application/node.eks.aws";
export const shellScriptType = 'text/x-shellscript; charset="us-ascii"';

/**
 * A person's user data for AL2023 or AL2: multipart MIME, for AL2023 a NodeConfig in YAML, or else a shell script (karpenter-aws §5.1, §5.2).
 * What MIME or YAML cannot be read from is invalid, where the node would not start with it or would pass over it without a word.
 */
export function parseUserData(text: string, family: "AL2023" | "AL2"): MimeParts {
  const plain = text.replaceAll("\r", "");
  if (plain.trim() === "") return { kind: "parts", parts: [] };
  if (/^\s*(MIME-Version|Content-Type):/.test(plain)) return parseMultipart(plain.trimStart());
  if (family === "AL2") return { kind: "parts", parts: [mimePart(shellScriptType, plain)] };
  const yaml = parseYaml(plain);
  if (yaml.kind === "broken" && /^apiVersion:\s*["']?node\.eks\.aws\//m.test(plain)) {
    return { kind: "invalid", reason: `${yaml.message}; expected a NodeConfig in YAML` };
  }
  const contentType = yaml.kind === "map" ? nodeConfigType : shellScriptType;
  return { kind: "parts", parts: [mimePart(contentType, plain)] };
}

export function mimePart(contentType: string, content: string): MimePart {
  return { headers: [`Content-Type: ${contentType}`], content };
}

/** Multipart text with the boundary `//`, or more slashes if a part has a line that would end it: equal parts, equal bytes. */
export function formatMultipart(parts: readonly MimePart[]): string {
  let boundary = "//";
  while (parts.some(({ content }) => `\n${content}`.includes(`\n--${boundary}`))) boundary += "/";
  const body = parts.map(
    ({ headers, content }) => `--${boundary}\n${headers.join("\n")}\n\n${content.replace(/\n$/, "")}\n`,
  );
  const header = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"`;
  return `${header}\n\n${body.join("")}--${boundary}--\n`;
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
  let isClosed = false;
  for (const line of content.split("\n")) {
    isClosed ||= line.trimEnd() === `--${boundary}--`;
    if (isClosed) break;
    if (line.trimEnd() === `--${boundary}`) sections.push([]);
    else sections.at(-1)?.push(line);
  }
  if (sections.length === 0 && !isClosed) {
    return { kind: "invalid", reason: `found no line --${boundary}, with which each part begins` };
  }
  const parts = sections.map((lines) => splitHeaders(lines.join("\n")));
  const kept = parts.filter((part) => part.headers.length > 0 || part.content.trim() !== "");
  const [reason] = kept.flatMap((part, index) => partFault(part, index + 1) ?? []);
  return reason === undefined ? { kind: "parts", parts: kept } : { kind: "invalid", reason };
}

/** What is wrong with a part, as the node would find it. */
function partFault({ headers, content }: MimePart, position: number): string | undefined {
  const stray = headers.find((header) => !/^[!-9;-~]+:/.test(header));
  if (stray !== undefined) {
    return `part ${position}: found "${stray}", expected a header such as Content-Type: text/x-shellscript, or an empty line`;
  }
  const isNodeConfig = headers.some((header) => /^content-type:\s*application\/node\.eks\.aws\b/i.test(header));
  const isEncoded = headers.some((header) => /^content-transfer-encoding:\s*(base64|quoted-printable)/i.test(header));
  if (!isNodeConfig || isEncoded) return undefined;
  const yaml = parseYaml(content);
  return yaml.kind === "broken" ? `part ${position}: ${yaml.message}; expected a NodeConfig in YAML` : undefined;
}

/** Header lines, folded ones joined, up to the first empty line. */
function splitHeaders(text: string): MimePart {
  const end = text.indexOf("\n\n");
  const head = text.startsWith("\n") ? "" : end === -1 ? text : text.slice(0, end);
  const content = text.startsWith("\n") ? text.slice(1) : end === -1 ? "" : text.slice(end + 2);
  const headers = head.replace(/\n[ \t]+/g, " ").split("\n");
  return { headers: headers.filter((header) => header !== ""), content };
}

function parseYaml(
  text: string,
): { readonly kind: "map" | "other" } | { readonly kind: "broken"; readonly message: string } {
  try {
    const value: unknown = parse(text, { logLevel: "error" });
    return { kind: typeof value === "object" && value !== null && !Array.isArray(value) ? "map" : "other" };
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    return { kind: "broken", message: message.replace(/:$/, "") };
  }
}
