import { type Document, isScalar, visit } from "yaml";

/** A key that an object has for the second time. */
export interface DuplicateKey {
  readonly key: string;
  /** Of the second key, in the document's text. */
  readonly offset: number;
}

/** The first duplicate key of a YAML document. The yaml package's own check compares every two keys of a map. */
export function duplicateYamlKey(document: Document): DuplicateKey | undefined {
  let duplicate: DuplicateKey | undefined;
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key: node } of map.items) {
        if (!isScalar(node)) continue;
        const key = String(node.value);
        if (seen.has(key)) {
          duplicate = { key: node.source ?? key, offset: node.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        seen.add(key);
      }
      return undefined;
    },
  });
  return duplicate;
}

/** The first duplicate key of a well-formed JSON text, of which JSON.parse would silently drop the first value. */
export function duplicateJsonKey(text: string): DuplicateKey | undefined {
  const objects: Set<string>[] = [];
  for (let offset = 0; offset < text.length; offset++) {
    const character = text[offset];
    if (character === "{") objects.push(new Set());
    else if (character === "}") objects.pop();
    else if (character === '"') {
      const end = endOfString(text, offset);
      if (isKeyBefore(text, end)) {
        const written = text.slice(offset, end);
        const key: string = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
        const seen = objects.at(-1);
        if (seen?.has(key)) return { key, offset };
        seen?.add(key);
      }
      offset = end - 1;
    }
  }
  return undefined;
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Outside of strings a colon follows keys and nothing else. */
function isKeyBefore(text: string, end: number): boolean {
  let next = end;
  while (" \t\r\n".includes(text[next] ?? "end")) next += 1;
  return text[next] === ":";
}
