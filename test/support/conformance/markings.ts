import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync, Visitor } from "vite";
import type { Shown } from "./report.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = "test/conformance";

/** What the tests' sources say of their rows, without running them; taken to pass. */
export function markedRows(): readonly Shown[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .sort()
    .flatMap((file) => markingsIn(file, readFileSync(`${root}${file}`, "utf8")));
}

/**
 * The calls of `conforms` and `differs` in a source.
 * @throws Error when a row or its reason is not written out, as only what stands there can be read.
 */
export function markingsIn(file: string, source: string): readonly Shown[] {
  const found: Shown[] = [];
  const literal = (node: ESTree.Node | undefined): string => {
    const text = node && literalText(node);
    if (text === undefined) throw new Error(`${file}: a row or a reason that is not written out as one text`);
    return text;
  };
  new Visitor({
    CallExpression: ({ callee, arguments: [row, why] }) => {
      if (callee.type !== "Identifier") return;
      if (callee.name === "conforms") found.push({ title: literal(row), file, passed: true });
      if (callee.name === "differs") found.push({ title: literal(row), file, passed: true, differs: literal(why) });
    },
  }).visit(parseSync(file, source).program);
  return found;
}

/** The text of a literal, or of literals joined by `+`. */
function literalText(node: ESTree.Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") {
    const [only, ...others] = node.quasis;
    return others.length === 0 ? (only?.value.cooked ?? undefined) : undefined;
  }
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const [left, right] = [literalText(node.left), literalText(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}
