import { type ESTree, Visitor } from "vite";
import { type SourceFile, type Violation, violation } from "./source-file.ts";

/** Planning is a function of its snapshot (design rule 2). */
const pure = /^shared\/(api|scheduling|cloud|state|provisioning|disruption)\//;

/** Simulated runs must repeat, so what they run takes time and chance from its ports. */
const repeatable = /^shared\/(controllers|simulator)\//;

/** Packages that compute and do nothing else. */
const pureImports: readonly string[] = ["zod", "yaml", "smol-toml", "croner", "node:crypto", "node:util", "node:zlib"];

/** Of node:crypto, what gives the same answer for the same question. */
const pureCrypto: readonly string[] = ["createHash", "createHmac"];

const bannedCalls: ReadonlyMap<string, string> = new Map([
  ["Date.now", "a time handed in"],
  ["Math.random", "a seeded generator handed in"],
]);

/** Globals that read or change the world. */
const bannedGlobals: ReadonlySet<string> = new Set([
  ...["process", "globalThis", "console", "performance", "crypto", "fetch", "queueMicrotask"],
  ...["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"],
]);

/** Between two events the simulator lets Node run what they have resolved. */
const mayUse: ReadonlyMap<string, string> = new Map([["shared/simulator/event-loop.ts", "setImmediate"]]);

/** No clock, no chance, no I/O and no waiting where a result must follow from the arguments alone. */
export function purity(file: SourceFile): Violation[] {
  if (pure.test(file.path)) return [...impurities(file), ...waits(file), ...impureImports(file)];
  if (repeatable.test(file.path)) return [...impurities(file), ...impureImports(file)];
  return [];
}

function impurities(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  const names = new Set<number>();
  const isName = (key: { readonly start: number }, computed: boolean) => computed || names.add(key.start);
  new Visitor({
    MemberExpression: (node) => {
      isName(node.property, node.computed);
      const called = file.text.slice(node.start, node.end);
      const accepted = bannedCalls.get(called);
      if (accepted !== undefined) found.push(violation(file, node.start, called, accepted));
    },
    Property: (node) => node.shorthand || isName(node.key, node.computed),
    MethodDefinition: (node) => isName(node.key, node.computed),
    PropertyDefinition: (node) => isName(node.key, node.computed),
    TSPropertySignature: (node) => isName(node.key, node.computed),
    TSMethodSignature: (node) => isName(node.key, node.computed),
    Identifier: ({ name, start }) => {
      if (!bannedGlobals.has(name) || names.has(start) || mayUse.get(file.path) === name) return;
      found.push(violation(file, start, name, "what it gives, handed in"));
    },
    NewExpression: (node) =>
      isClock(node) && found.push(violation(file, node.start, "the current date", "a time handed in")),
    CallExpression: (node) =>
      isClock(node) && found.push(violation(file, node.start, "the current date", "a time handed in")),
  }).visit(file.program);
  return found;
}

/** `new Date()`, and `Date()`, which ignores its arguments. */
function isClock({ type, callee, arguments: given }: ESTree.NewExpression | ESTree.CallExpression): boolean {
  const isDate = callee.type === "Identifier" && callee.name === "Date";
  return isDate && (type === "CallExpression" || given.length === 0);
}

function waits(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  const add = (node: ESTree.Span) => found.push(violation(file, node.start, "async code", "synchronous code"));
  const checkFunction = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => node.async && add(node);
  new Visitor({
    AwaitExpression: add,
    ForOfStatement: (node) => node.await && add(node),
    FunctionDeclaration: checkFunction,
    FunctionExpression: checkFunction,
    ArrowFunctionExpression: checkFunction,
  }).visit(file.program);
  return found;
}

function impureImports(file: SourceFile): Violation[] {
  return file.imports.flatMap(({ path, specifier, names, start }) => {
    // The types of Lambda's events are erased.
    if (path !== undefined || specifier === "aws-lambda") return [];
    const accepted = specifier === "node:crypto" ? pureCrypto : ["*", ...names];
    if (pureImports.includes(specifier) && names.every((name) => accepted.includes(name))) return [];
    const found = specifier === "node:crypto" ? `${names.join(", ")} of node:crypto` : `an import of ${specifier}`;
    return [violation(file, start, found, `${pureImports.join(", ")} (${pureCrypto.join(", ")})`)];
  });
}
