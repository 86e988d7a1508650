import type { Pod } from "../../shared/api/core.ts";
import { annotation, label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import { carriedOut, type Solved, solve } from "./karpenter-fixture.ts";
import type { World } from "./snapshot.ts";

/** A cluster whose plans come true: what one round has planned is up and running in the next. */
export class GrowingCluster {
  #world: World;

  constructor(world: World = {}) {
    this.#world = world;
  }

  /** Plans these pods and those that still wait; `changes` last until they are changed again. */
  round(pods: readonly Pod[] = [], changes: World = {}): Solved {
    const solved = solve({ ...this.#world, ...changes, pods: [...(this.#world.pods ?? []), ...pods] });
    this.#world = carriedOut(solved, "initialized", { claim: withoutNominations });
    return solved;
  }

  /** Takes away the pods for which this holds; they are given with the value that the topology key has on their node. */
  remove(key: string, isGone: (pod: Pod, domain: string | undefined) => boolean): void {
    const pods = (this.#world.pods ?? []).filter((pod) => !isGone(pod, this.#domain(pod, key)));
    this.#world = { ...this.#world, pods };
  }

  /** Running pods (of an app) by domain, the fewest first: `[1, 1, 2]`. Nodes without the label have none. */
  skew(key: string, app?: string): readonly number[] {
    const counts = new Map<string, number>();
    for (const pod of this.#world.pods ?? []) {
      const domain = this.#domain(pod, key);
      if (domain === undefined || (app !== undefined && pod.metadata.labels?.app !== app)) continue;
      counts.set(domain, (counts.get(domain) ?? 0) + 1);
    }
    return [...counts.values()].sort((a, b) => a - b);
  }

  /** The domain in which a pod runs. */
  domainOf(podName: string, key: string): string | undefined {
    const pod = this.#world.pods?.find(({ metadata }) => metadata.name === podName);
    return pod === undefined ? undefined : this.#domain(pod, key);
  }

  #domain({ spec }: Pod, key: string): string | undefined {
    if (key === label.hostname) return spec.nodeName;
    return this.#world.nodes?.find(({ metadata }) => metadata.name === spec.nodeName)?.metadata.labels?.[key];
  }
}

/** Its pods have arrived: their places are not kept for others. */
function withoutNominations(claim: NodeClaim): NodeClaim {
  const { [annotation.nominatedPods]: _, ...annotations } = claim.metadata.annotations ?? {};
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
