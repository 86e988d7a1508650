import { expect } from "vitest";
import { formatTime } from "../../../shared/api/time.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, addNode, type ControllerWorld, nodeNameOf } from "../../support/controller-world.ts";
import { patchNodeStatus, pooledWorld, see, told } from "../../support/lifecycle.ts";

function ready(world: ControllerWorld) {
  return { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(world.now()) }] };
}

/** A launched claim that asks for a GPU. */
function addGpuClaim(world: ControllerWorld, name: string): void {
  addClaim(world, name, { resources: { requests: { cpu: "1", "nvidia.com/gpu": "1" } } });
}

function setTaints({ server }: ControllerWorld, claim: string, ...keys: readonly string[]): void {
  const taints = keys.map((key) => ({ key, effect: "NoSchedule" }));
  server.patch("Node", { name: nodeNameOf(claim) }, { spec: { taints } });
}

async function outcome(world: ControllerWorld, claim: string) {
  await see(world);
  const { status, reason } = told(world, claim, "Initialized") ?? {};
  return [status, reason, world.node(nodeNameOf(claim))?.metadata.labels?.["karpenter.sh/initialized"]];
}

conforms(
  "init | not registered; NotReady; resource not registered; startup taint; ephemeral taint; readiness.k8s.io taint (x6) | waits, then initialises when cleared",
  async () => {
    const world = pooledWorld();
    const done = ["True", "Initialized", "true"];
    addClaim(world, "late");
    expect(await outcome(world, "late")).toEqual(["Unknown", "NodeNotFound", undefined]);
    addNode(world, "late", { isReady: false });
    expect(await outcome(world, "late")).toEqual(["Unknown", "NodeNotReady", undefined]);
    expect(told(world, "late", "Ready")).toMatchObject({ status: "Unknown", reason: "ReconcilingDependents" });
    patchNodeStatus(world, "late", ready(world));
    expect(await outcome(world, "late")).toEqual(done);
    expect(told(world, "late", "Ready")?.status).toBe("True");

    addGpuClaim(world, "gpu");
    addNode(world, "gpu");
    expect(await outcome(world, "gpu")).toEqual(["Unknown", "ResourceNotRegistered", undefined]);
    patchNodeStatus(world, "gpu", { allocatable: { "nvidia.com/gpu": "1" } });
    expect(await outcome(world, "gpu")).toEqual(done);

    addClaim(world, "startup", { startupTaints: [{ key: "cilium", effect: "NoSchedule" }] });
    addNode(world, "startup");
    expect(await outcome(world, "startup")).toEqual(["Unknown", "StartupTaintsExist", undefined]);
    setTaints(world, "startup", "karpenter.sh/unregistered");
    expect(await outcome(world, "startup")).toEqual(done);

    for (const key of ["node.cloudprovider.kubernetes.io/uninitialized", "readiness.k8s.io/storage"]) {
      const name = key.startsWith("readiness") ? "readiness" : "ephemeral";
      addClaim(world, name);
      addNode(world, name, { taints: [{ key, effect: "NoSchedule" }] });
      expect(await outcome(world, name), key).toEqual(["Unknown", "KnownEphemeralTaintsExist", undefined]);
      setTaints(world, name);
      expect(await outcome(world, name), key).toEqual(done);
    }
  },
);

conforms("init | extended resource later appears | initialises", async () => {
  const world = pooledWorld();
  addGpuClaim(world, "one");
  addNode(world, "one");
  patchNodeStatus(world, "one", { allocatable: { "nvidia.com/gpu": "0" }, capacity: { "nvidia.com/gpu": "0" } });
  expect(await outcome(world, "one")).toEqual(["Unknown", "ResourceNotRegistered", undefined]);
  expect(told(world, "one", "Initialized")?.message).toContain("nvidia.com/gpu");
  await world.advance(300);
  patchNodeStatus(world, "one", { allocatable: { "nvidia.com/gpu": "1" }, capacity: { "nvidia.com/gpu": "1" } });
  expect(await outcome(world, "one")).toEqual(["True", "Initialized", "true"]);
});
