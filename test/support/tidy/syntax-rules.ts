import { type ESTree, Visitor } from "vite";
import { type SourceFile, type Violation, violation } from "./source-file.ts";

const functionLinesLimit = 60;

/** Files whose work is to give a type to data that has been checked by other means; each says so where it asserts. */
const mayAssert: readonly string[] = ["shared/api/documents.ts"];

/** The types that code must not talk itself out of, and what functions and modules look like. */
export function syntaxRules(file: SourceFile): Violation[] {
  return [...typeRules(file), ...functionLengths(file), ...moduleRules(file)];
}

function typeRules(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  const add = ({ start }: ESTree.Span, what: string, accepted: string) =>
    found.push(violation(file, start, what, accepted));
  const assertion = (node: ESTree.TSAsExpression | ESTree.TSTypeAssertion) => {
    if (isConst(node.typeAnnotation) || file.path.startsWith("test/") || mayAssert.includes(file.path)) return;
    const type = file.text.slice(node.typeAnnotation.start, node.typeAnnotation.end);
    add(node, `an assertion, as ${type}`, "as const, a type guard, an overload or zod");
  };
  new Visitor({
    TSAnyKeyword: (node) => add(node, "any", "unknown, or the type"),
    TSNonNullExpression: (node) => add(node, "an assertion, !", "a check, or a default"),
    VariableDeclarator: (node) => node.definite === true && add(node, "an assertion, !:", "a value"),
    PropertyDefinition: (node) => node.definite && add(node, "an assertion, !:", "a value"),
    TSAsExpression: assertion,
    TSTypeAssertion: assertion,
  }).visit(file.program);
  return found;
}

function isConst(type: ESTree.TSType): boolean {
  return type.type === "TSTypeReference" && type.typeName.type === "Identifier" && type.typeName.name === "const";
}

function functionLengths(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  const measure = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => {
    const lines = file.text.slice(node.start, node.end).split("\n").length;
    if (lines <= functionLinesLimit || isSuite(file, node)) return;
    found.push(violation(file, node.start, `a function of ${lines} lines`, `up to ${functionLinesLimit}`));
  };
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(file.program);
  return found;
}

/** A suite of tests is a list, not a function. */
function isSuite({ path, text }: SourceFile, { body }: ESTree.Function | ESTree.ArrowFunctionExpression): boolean {
  if (!path.startsWith("test/") || body?.type !== "BlockStatement") return false;
  return body.body.some(({ start, end }) => /^(it|describe|conforms|differs)\b/.test(text.slice(start, end)));
}

function moduleRules(file: SourceFile): Violation[] {
  const isConfig = /\.config\.ts$/.test(file.path);
  const found = file.exports
    .filter(({ name }) => name === "default" && !isConfig)
    .map(({ start }) => violation(file, start, "a default export", "a named export"));
  for (const { specifier, names, start } of file.imports) {
    // One name drags in the whole library; the namespace is shaken (415 KB less in each function).
    if (specifier === "zod" && !names.every((name) => name === "*")) {
      found.push(violation(file, start, "a name of zod", 'import * as z from "zod"'));
    }
  }
  new Visitor({
    MemberExpression: (node) => {
      const name = file.text.slice(node.start, node.end);
      if (!file.path.startsWith("test/")) return;
      if (/^vi\.(do)?mock$/i.test(name)) found.push(violation(file, node.start, name, "a port handed in"));
      if (/^(it|test|describe)\.only$/.test(name)) found.push(violation(file, node.start, name, "all tests"));
    },
  }).visit(file.program);
  return found;
}
