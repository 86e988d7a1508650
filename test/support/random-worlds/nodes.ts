import fc from "fast-check";
import type { Pod } from "../../../shared/api/core.ts";
import { annotation, label } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import { claimedNode, inFlightClaim, plainNode } from "../nodes.ts";
import type { World } from "../snapshot.ts";
import { custom } from "./pod-rules.ts";
import { type RandomWorkload, residentsOf, taint } from "./workloads.ts";

/** Nodes, NodeClaims and the pods that run there. */
export type ExistingWorld = Required<Pick<World, "nodes" | "nodeClaims" | "pods">>;

interface NodeInput {
  readonly zone: string;
  readonly kind: "plain" | "claimed" | "starting" | "in-flight";
  readonly state: "here" | "cordoned" | "leaving";
  readonly tainted: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly resident: RandomWorkload | null;
  /** How many of the pending pods the claim keeps a place for. */
  readonly nominated: number;
}

/** At most three nodes; `nominate` picks the pods that claims in flight are for. */
export function existingNodes(resident: fc.Arbitrary<RandomWorkload>): fc.Arbitrary<readonly NodeInput[]> {
  const node: fc.Arbitrary<NodeInput> = fc.record({
    zone: fc.constantFrom("a", "b", "z"),
    kind: fc.constantFrom("plain", "claimed", "starting", "in-flight"),
    state: fc.constantFrom("here", "here", "here", "cordoned", "leaving"),
    tainted: fc.boolean(),
    labels: fc.constantFrom<Readonly<Record<string, string>>>(
      {},
      { [custom]: "x" },
      { [label.capacityType]: "spot", [custom]: "y" },
    ),
    resident: fc.option(resident),
    nominated: fc.integer({ min: 0, max: 2 }),
  });
  return fc.array(node, { maxLength: 3 });
}

/** Claims take the pending pods in their order, from the last one on. */
export function worldOf(inputs: readonly NodeInput[], pending: readonly Pod[]): ExistingWorld {
  let left = [...pending];
  const parts = inputs.map((input, index): ExistingWorld => {
    const name = `node-${index}`;
    const takes = input.kind === "starting" || input.kind === "in-flight" ? input.nominated : 0;
    const nominated = takes === 0 ? [] : left.slice(-takes);
    left = left.slice(0, left.length - nominated.length);
    const pods = input.resident === null || input.kind === "in-flight" ? [] : residentsOf(input.resident, name);
    return { ...nodeOf(name, input, nominated), pods };
  });
  return {
    nodes: parts.flatMap(({ nodes }) => nodes),
    nodeClaims: parts.flatMap(({ nodeClaims }) => nodeClaims),
    pods: parts.flatMap(({ pods }) => pods),
  };
}

function nodeOf(
  name: string,
  input: NodeInput,
  nominated: readonly Pod[],
): Pick<ExistingWorld, "nodes" | "nodeClaims"> {
  const { zone, kind, state, labels, tainted } = input;
  const leaving = state === "leaving";
  const replace = JSON.stringify({ reason: "spot-interruption", noticedAt: 0 });
  const options = {
    zone,
    labels,
    pool: "pool-0",
    ...(tainted && { taints: [taint] }),
    ...(leaving && { annotations: { [annotation.replace]: replace } }),
    claimAnnotations: { [annotation.nominatedPods]: nominations(nominated) },
  };
  if (kind === "in-flight") {
    const claim = inFlightClaim(name, options);
    return { nodes: [], nodeClaims: [leaving ? deleted(claim) : { ...claim, ...labelled(claim, labels) }] };
  }
  const { node, claim } = claimedNode(name, { ...options, initialized: kind === "claimed" });
  const real = state === "cordoned" ? { ...node, spec: { ...node.spec, unschedulable: true } } : node;
  if (kind === "plain") return { nodes: [{ ...plainNode(name, options), spec: real.spec ?? {} }], nodeClaims: [] };
  return { nodes: [real], nodeClaims: [claim] };
}

function labelled({ metadata }: NodeClaim, labels: Readonly<Record<string, string>>): Pick<NodeClaim, "metadata"> {
  return { metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

function deleted(claim: NodeClaim): NodeClaim {
  return { ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
}

function nominations(pods: readonly Pod[]): string {
  return formatNominations(pods.map(({ metadata }) => ({ uid: metadata.uid ?? "", owner: "", class: "" })));
}
