import type { LoadedObject } from "../shared/api/documents.ts";
import { type Problem, problemAt } from "../shared/api/problems.ts";

/** Nodes that Kubernetes supports in one cluster. */
export const mostStaticNodes = 5_000;

/** What is wrong with the sizes of the static NodePools (`spec.replicas`) of some files: together they ask for more than a cluster. */
export function staticSizeProblems(loaded: readonly LoadedObject[]): readonly Problem[] {
  let nodes = 0;
  for (const { object, source } of loaded) {
    if (object.kind !== "NodePool") continue;
    nodes += object.spec.replicas ?? 0;
    if (nodes <= mostStaticNodes) continue;
    const expected = `at most ${mostStaticNodes} nodes in all`;
    return [problemAt(source, ["spec", "replicas"], `${nodes} nodes of static NodePools up to here`, expected)];
  }
  return [];
}
