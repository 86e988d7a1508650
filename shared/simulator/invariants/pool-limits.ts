import { label } from "../../api/labels.ts";
import type { NodeClaim } from "../../api/node-claim.ts";
import { formatResources, parseResources, type Resources } from "../../scheduling/resources.ts";
import { type Invariant, invariant, type ObservedWorld, type Report } from "./invariant.ts";
import { isLeaving } from "./machines.ts";

/**
 * What a NodePool's claims amount to never grows beyond its limits. A limit that is lowered below what there is breaks nothing, as
 * limits take no node away (karpenter-core §2.9).
 */
export function poolLimits(world: ObservedWorld): Invariant {
  return invariant("NodePool limits hold", world, (report) => {
    const { server } = world.cluster;
    const usedBefore = new Map<string, Resources>();
    let isStale = true;
    const outdate = () => {
      isStale = true;
    };
    server.watch("NodeClaim", outdate);
    server.watch("Node", outdate);
    server.watch("NodePool", outdate);
    return {
      check() {
        if (!isStale) return;
        isStale = false;
        const claims = Map.groupBy(stayingClaims(world), ({ metadata }) => metadata.labels?.[label.nodePool]);
        for (const { metadata, spec } of server.list("NodePool")) {
          if (spec.limits === undefined) continue;
          const limits = parseResources(spec.limits);
          const used = usedOf(Object.keys(limits), claims.get(metadata.name) ?? []);
          judge(metadata.name, limits, used, usedBefore.get(metadata.name) ?? {}, report);
          usedBefore.set(metadata.name, used);
        }
      },
    };
  });
}

function judge(pool: string, limits: Resources, used: Resources, before: Resources, report: Report): void {
  for (const [resource, limit] of Object.entries(limits)) {
    const amount = used[resource] ?? 0;
    if (amount <= limit || amount <= (before[resource] ?? 0)) continue;
    const text = (value: number) => formatResources({ [resource]: value })[resource] ?? "0";
    const seen = `its claims amount to ${text(amount)} ${resource}`;
    report({ objects: `NodePool ${pool}`, seen, allowed: `up to ${text(limit)}` });
  }
}

function stayingClaims({ cluster: { server } }: ObservedWorld): readonly NodeClaim[] {
  const leaving = new Set(
    server
      .list("Node")
      .filter(isLeaving)
      .map(({ spec }) => spec?.providerID),
  );
  const isStaying = ({ metadata, status }: NodeClaim) =>
    metadata.deletionTimestamp === undefined && !(status?.providerID !== undefined && leaving.has(status.providerID));
  return server.list("NodeClaim").filter(isStaying);
}

function usedOf(resources: readonly string[], claims: readonly NodeClaim[]): Resources {
  const capacity = (resource: string) =>
    claims.reduce((sum, { status }) => sum + amountOf(resource, status?.capacity?.[resource] ?? "0"), 0);
  return Object.fromEntries(
    resources.map((resource) => [resource, resource === "nodes" ? claims.length : capacity(resource)]),
  );
}

/** Reading a quantity exactly takes time, and machines come in few sizes. */
const amounts = new Map<string, number>();

function amountOf(resource: string, text: string): number {
  const key = `${resource} ${text}`;
  const amount = amounts.get(key) ?? parseResources({ [resource]: text })[resource] ?? 0;
  amounts.set(key, amount);
  return amount;
}
