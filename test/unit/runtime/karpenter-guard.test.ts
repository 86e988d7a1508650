import { describe, expect, it } from "vitest";
import type { Lease } from "../../../shared/api/core.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { ProviderError } from "../../../shared/ports.ts";
import { karpenterRuns } from "../../../shared/runtime/karpenter-guard.ts";
import { controllerWorld, startAt } from "../../support/controller-world.ts";

function lease(spec: Lease["spec"], name = "karpenter-leader-election"): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace: "default" }, spec };
}

const renewed = (secondsAgo: number) => formatTime(startAt - secondsAgo * 1_000);
const held = (secondsAgo: number) => ({
  holderIdentity: "karpenter-5d9f",
  leaseDurationSeconds: 15,
  renewTime: renewed(secondsAgo),
});

function worldWith(...leases: readonly Lease[]) {
  const world = controllerWorld();
  for (const one of leases) world.server.create("Lease", one);
  return world.ports;
}

describe("a Karpenter runs", () => {
  it("while it renews its Lease, in whatever namespace, with some seconds for clocks that differ", async () => {
    expect(await karpenterRuns(worldWith(lease(held(5))))).toBe(true);
    expect(await karpenterRuns(worldWith(lease(held(29))))).toBe(true);
  });

  it("no longer when the Lease has run out, or was given back", async () => {
    expect(await karpenterRuns(worldWith(lease(held(31))))).toBe(false);
    expect(await karpenterRuns(worldWith(lease({ ...held(1), holderIdentity: "" })))).toBe(false);
    expect(await karpenterRuns(worldWith(lease({ holderIdentity: "karpenter-5d9f" })))).toBe(false);
  });

  it("not because of others' Leases, and not in an empty cluster", async () => {
    expect(await karpenterRuns(worldWith(lease(held(1), "kube-scheduler")))).toBe(false);
    expect(await karpenterRuns(worldWith())).toBe(false);
  });

  it("as long as nobody knows that it does not", async () => {
    const ports = worldWith();
    const denied = new ProviderError("Denied", "Forbidden", "leases is forbidden");
    const kubernetes = { list: () => Promise.reject(denied) };
    await expect(karpenterRuns({ ...ports, kubernetes })).rejects.toBe(denied);
  });
});
