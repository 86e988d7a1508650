import { describe, expect } from "vitest";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { surplusStaticClaims } from "../../../shared/disruption/static-deprovisioning.ts";
import { conforms } from "../../support/conformance.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool } from "../../support/node-pools.ts";
import { runningPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";
import { deleting, runningNodes, staticPool } from "../../support/static-pools.ts";

const poolLabel = "karpenter.sh/nodepool";

/** Names of the claims to be deleted, in order. */
function surplus(world: World): readonly string[] {
  return surplusStaticClaims(snapshotWith(world)).map(({ claim }) => claim.metadata.name);
}

function unlaunched(name: string): NodeClaim {
  return nodeClaim(name, { labels: { [poolLabel]: "fixed" } });
}

describe("static deprovisioning", () => {
  conforms("sdeprov | foreign; no replicas; deleting; ≤ replicas (x4) | ignored", () => {
    const nodes = runningNodes("one", "two");
    const foreign = staticPool(0);
    foreign.spec.template.spec.nodeClassRef = { group: "example.com", kind: "Class", name: "default" };
    expect(surplus({ pools: [foreign], ...nodes })).toEqual([]);
    expect(surplus({ pools: [nodePool("fixed")], ...nodes })).toEqual([]);
    expect(surplus({ pools: [staticPool(0, { deletedAt: "2026-01-01T00:00:00Z" })], ...nodes })).toEqual([]);
    expect(surplus({ pools: [staticPool(2)], ...nodes })).toEqual([]);
    expect(surplus({ pools: [staticPool(3)], ...nodes })).toEqual([]);
  });

  conforms("sdeprov | deleting claims present | only running ones count", () => {
    const { nodes = [], nodeClaims = [] } = runningNodes("one", "two", "three");
    const [one, ...others] = nodeClaims;
    const half = { nodes, nodeClaims: [...(one ? [deleting(one)] : []), ...others] };
    expect(surplus({ pools: [staticPool(2)], ...half })).toEqual([]);
    expect(surplus({ pools: [staticPool(1)], ...half })).toEqual([expect.stringMatching(/^(two|three)-claim$/)]);
  });

  conforms("sdeprov | surplus; replicas 0; nothing active (x3) | surplus deleted; all deleted; no-op", () => {
    const nodes = runningNodes("one", "two", "three");
    expect(surplus({ pools: [staticPool(1)], ...nodes })).toHaveLength(2);
    expect(surplus({ pools: [staticPool(0)], ...nodes })).toHaveLength(3);
    expect(surplus({ pools: [staticPool(0)] })).toEqual([]);
  });

  conforms("sdeprov.order | unlaunched claims exist | removed first", () => {
    const { nodes = [], nodeClaims = [] } = runningNodes("a-running");
    const claims = [...nodeClaims, unlaunched("x-coming"), unlaunched("y-coming")];
    expect(surplus({ pools: [staticPool(1)], nodes, nodeClaims: claims })).toEqual(["x-coming", "y-coming"]);
    expect(surplus({ pools: [staticPool(0)], nodes, nodeClaims: claims })).toEqual([
      "x-coming",
      "y-coming",
      "a-running-claim",
    ]);
  });

  conforms(
    "sdeprov.order | scale 8→6→4→2→0 over DaemonSet-only, cheap, costly, do-not-disrupt nodes | dropped in exactly that order",
    () => {
      const names = ["kept-0", "kept-1", "dear-0", "dear-1", "cheap-0", "cheap-1", "bare-0", "bare-1"];
      const pods = names.flatMap((name) => {
        const daemon = runningPod(`agent-${name}`, name, { owner: { kind: "DaemonSet", uid: "agent" } });
        const app = (count: number) => Array.from({ length: count }, (_, i) => runningPod(`app-${name}-${i}`, name));
        if (name.startsWith("bare")) return [daemon];
        if (name.startsWith("cheap")) return [daemon, ...app(1)];
        if (name.startsWith("dear")) return [daemon, ...app(3)];
        const annotations = { "karpenter.sh/do-not-disrupt": "true" };
        return [daemon, runningPod(`kept-${name}`, name, { annotations })];
      });
      let { nodes = [], nodeClaims = [] } = runningNodes(...names);
      const dropped = [6, 4, 2, 0].map((replicas) => {
        const gone = surplus({ pools: [staticPool(replicas)], nodes, nodeClaims, pods });
        nodeClaims = nodeClaims.filter(({ metadata }) => !gone.includes(metadata.name));
        nodes = nodes.filter(({ metadata }) => !gone.includes(`${metadata.name}-claim`));
        return gone;
      });
      expect(dropped).toEqual([
        ["bare-0-claim", "bare-1-claim"],
        ["cheap-0-claim", "cheap-1-claim"],
        ["dear-0-claim", "dear-1-claim"],
        ["kept-0-claim", "kept-1-claim"],
      ]);
    },
  );
});
