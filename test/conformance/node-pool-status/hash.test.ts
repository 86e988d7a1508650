import { expect } from "vitest";
import { nodePool } from "../../../shared/api/node-pool.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, type ControllerWorld } from "../../support/controller-world.ts";
import { pooledWorld, poolOf } from "../../support/lifecycle.ts";
import { provisionStatus } from "../../support/pool-status.ts";

const hashKey = "karpenter.sh/nodepool-hash";
const versionKey = "karpenter.sh/nodepool-hash-version";

async function stamp(world: ControllerWorld, name = "default") {
  await provisionStatus(world);
  const { annotations = {} } = poolOf(world, name).metadata;
  return [annotations[hashKey], annotations[versionKey]];
}

function patch({ server }: ControllerWorld, spec: object): void {
  server.patch("NodePool", { name: "default" }, { spec });
}

conforms(
  "hash | foreign; static field changed; behaviour field changed; version bump; version bump on claims; same version; drifted claim keeps hash (x7) | as section 6.7",
  async () => {
    const world = pooledWorld();
    const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
    const object = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "theirs" } };
    const template = { spec: { nodeClassRef, requirements: [] } };
    world.server.create("NodePool", nodePool.parse({ ...object, spec: { template } }));
    expect(await stamp(world, "theirs")).toEqual([undefined, undefined]);

    const [first, version] = await stamp(world);
    expect(version).toBe("journeyman-v1");
    patch(world, { template: { metadata: { labels: { team: "shop" } } } });
    const [second] = await stamp(world);
    expect(second).not.toBe(first);
    const requirements = [{ key: "kubernetes.io/os", operator: "In", values: ["linux"] }];
    patch(world, {
      disruption: { consolidateAfter: "5m" },
      weight: 7,
      limits: { cpu: "10" },
      template: { spec: { requirements } },
    });
    expect(await stamp(world)).toEqual([second, version]);

    const claimOf = (name: string, annotations: Readonly<Record<string, string>>, drifted = false) =>
      addClaim(world, name, { annotations, ...(drifted && { conditions: ["Launched", "Drifted"] }) });
    const stampOf = (name: string) => {
      const { annotations = {} } = world.claim(name)?.metadata ?? {};
      return [annotations[hashKey], annotations[versionKey]];
    };
    claimOf("karpenters", { [hashKey]: "123", [versionKey]: "v3" });
    claimOf("drifted", { [hashKey]: "123", [versionKey]: "v3" }, true);
    claimOf("ours", { [hashKey]: "older", [versionKey]: "journeyman-v1" });
    // The NodePool is ours already: claims stay as they are.
    await stamp(world);
    expect(stampOf("karpenters")).toEqual(["123", "v3"]);

    world.server.patch(
      "NodePool",
      { name: "default" },
      { metadata: { annotations: { [hashKey]: "123", [versionKey]: "v3" } } },
    );
    expect(await stamp(world)).toEqual([second, version]);
    expect(stampOf("karpenters")).toEqual([second, version]);
    expect(stampOf("drifted")).toEqual(["123", version]);
    expect(stampOf("ours")).toEqual(["older", version]);
  },
);
