import { reachable } from "./module-graph.ts";
import { type ModuleImport, type SourceFile, type Violation, violation } from "./source-file.ts";

/** Layers of the planner, each of which may import those before it (design §3). */
const planningLayers = ["api", "scheduling", "cloud", "state", "provisioning", "disruption"] as const;

/** Vocabulary above `api` that belongs to no layer. */
const vocabulary = [
  "shared/ports.ts",
  "shared/account-ports.ts",
  "shared/hints.ts",
  "shared/actions.ts",
  "shared/metrics.ts",
] as const;

const planning = planningLayers.map((layer) => `shared/${layer}/`);
const controllers = "shared/controllers/";

/**
 * What each folder or file may import besides itself, by the start of the path. The first entry that fits a file counts.
 */
const mayImport: readonly (readonly [string, readonly string[]])[] = [
  ["shared/ports.ts", ["shared/api/", "shared/hints.ts"]],
  ["shared/account-ports.ts", ["shared/ports.ts", "shared/cloud/catalog.ts"]],
  ["shared/hints.ts", ["shared/api/"]],
  ["shared/actions.ts", ["shared/api/", "shared/hints.ts", "shared/ports.ts"]],
  ["shared/metrics.ts", ["shared/api/"]],
  ["shared/api/", []],
  ...planningLayers
    .slice(1)
    .map((layer, index): [string, readonly string[]] => [
      `shared/${layer}/`,
      [...planning.slice(0, index + 1), ...vocabulary],
    ]),
  [controllers, [...planning, ...vocabulary]],
  ["shared/adapters/", ["shared/api/", "shared/scheduling/", "shared/cloud/", ...vocabulary]],
  [
    "shared/simulator/",
    [
      ...planning,
      controllers,
      ...vocabulary,
      // What production runs around the controllers (docs/decisions/0004).
      ...["shared/runtime/lambda.ts", "shared/runtime/messages.ts", "shared/runtime/config.ts"],
      ...["admission", "admission-review", "match-conditions", "forwarder"].map(
        (name) => `functions/webhook/${name}.ts`,
      ),
    ],
  ],
  [
    "shared/runtime/",
    ["shared/adapters/", "shared/api/", "shared/state/settings.ts", "shared/state/managed.ts", ...vocabulary],
  ],
  ["functions/", ["shared/runtime/", "shared/hints.ts", controllers]],
  ["cli/", [...planning, controllers, "shared/simulator/", ...vocabulary]],
  // The manifests carry the definitions of our kinds, and the webhook's own selections and certificates.
  ["infra/", ["shared/runtime/config.ts", "shared/metrics.ts", "shared/api/crds/", "functions/webhook/"]],
  // Bundles are measured as they are deployed, from servers that speak TLS.
  ["bench/", ["shared/", "cli/", "infra/bundling.ts", "functions/webhook/certificates.ts"]],
  ["test/", ["shared/", "functions/", "cli/", "infra/", "bench/"]],
  // The instrument that checks every plan.
  ["vitest.config.ts", ["test/support/plan-checker/"]],
];

/** Imports that go against the layers. */
export function importDirection(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => [
    ...file.imports.flatMap((imported) => directionOf(file, imported)),
    ...severalControllers(file),
    ...adaptersSeen(file, files),
  ]);
}

function directionOf(file: SourceFile, imported: ModuleImport): Violation[] {
  const { path } = imported;
  if (path === undefined) return [];
  const home = homeOf(file.path);
  const allowed = [home, ...(mayImport.find(([start]) => file.path.startsWith(start))?.[1] ?? [])];
  if (allowed.some((start) => path.startsWith(start))) return [];
  return [violation(file, imported.start, `${home} imports ${path}`, allowed.join(", "))];
}

/** The folder, or single file, that a file is part of: one of `shared`, one function, or a folder of the top level. */
function homeOf(path: string): string {
  const [top, second, third] = path.split("/");
  if (second === undefined) return path;
  if (top !== "shared" && top !== "functions") return `${top}/`;
  return third === undefined ? `${top}/${second}` : `${top}/${second}/`;
}

/** A function is the edge of one controller. */
function severalControllers(file: SourceFile): Violation[] {
  if (!file.path.startsWith("functions/")) return [];
  const [, ...others] = file.imports.filter(({ path }) => path?.startsWith(controllers));
  return others.map(({ specifier, start }) => violation(file, start, `a second controller, ${specifier}`, "one"));
}

/** The simulator stands in for the adapters, so it must not come to them on any way either. */
function adaptersSeen(file: SourceFile, files: readonly SourceFile[]): Violation[] {
  if (!file.path.startsWith("shared/simulator/")) return [];
  return file.imports.flatMap(({ path, start }) => {
    if (path === undefined || path.startsWith("shared/simulator/")) return [];
    const found = [...reachable([path], files)].find((reached) => reached.startsWith("shared/adapters/"));
    return found === undefined ? [] : [violation(file, start, `a way to ${found} by ${path}`, "none")];
  });
}
