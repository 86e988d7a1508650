import { isMap, isSeq, parseAllDocuments } from "yaml";
import type { FixReport } from "../../cli/report/explain-json.ts";

/** The text of a manifest file with the edit made that `explain` proposes, as a person would make it. */
export function withFix(text: string, fix: FixReport, owner: string | undefined): string {
  const documents = parseAllDocuments(text);
  const title = owner !== undefined && fix.object.startsWith("Pod ") ? owner : fix.object;
  const [kind = "", name = ""] = title.split(" ");
  const document = documents.find((one) => {
    const full = `${one.getIn(["metadata", "namespace"])}/${one.getIn(["metadata", "name"])}`;
    return one.get("kind") === kind && full.endsWith(`/${name.split("/").at(-1)}`);
  });
  if (document === undefined) throw new Error(`no ${title} in the file`);
  const inTemplate = title === owner ? ["spec", "template"] : [];
  const path = [...inTemplate, ...partsOf(fix.path)];
  if (fix.to === null) document.deleteIn(path);
  else {
    makeWay(document, path);
    document.setIn(path, document.createNode(fix.to));
  }
  return documents.map(String).join("---\n");
}

/** `spec.a["b/c"][2]` as its parts. */
function partsOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (plain ?? "") : String(JSON.parse(quoted));
  });
}

/** Lists that are not there yet, which the library would make as maps. */
function makeWay(document: ReturnType<typeof parseAllDocuments>[number], path: readonly (string | number)[]): void {
  path.forEach((part, depth) => {
    const parent = path.slice(0, depth);
    const there = document.getIn(parent);
    if (typeof part === "number" && !isSeq(there) && !isMap(there)) document.setIn(parent, document.createNode([]));
  });
}
