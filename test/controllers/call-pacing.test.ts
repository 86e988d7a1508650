import { describe, expect, it } from "vitest";
import { formatTime } from "../../shared/api/time.ts";
import { mayTagAtOnce, mayTerminate, taggedBySweep } from "../../shared/controllers/call-pacing.ts";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import { addClaim, addNode, controllerWorld } from "../support/controller-world.ts";
import { nodeClaim } from "../support/node-claims.ts";

const now = Date.UTC(2026, 0, 1);

function claimsWith(count: number, type: string, at: number) {
  const condition = { type, status: "True" as const, reason: "", message: "", lastTransitionTime: formatTime(at) };
  return Array.from({ length: count }, (_, index) =>
    nodeClaim(`c${String(index).padStart(3, "0")}`, { status: { nodeName: `n${index}`, conditions: [condition] } }),
  );
}

describe("calls of invocations that know nothing of each other", () => {
  it("that end instances stay within what EC2's bucket refills", () => {
    expect(mayTerminate(claimsWith(39, "InstanceTerminating", now), now)).toBe(true);
    expect(mayTerminate(claimsWith(40, "InstanceTerminating", now), now)).toBe(false);
    expect(mayTerminate(claimsWith(40, "InstanceTerminating", now - 10_000), now)).toBe(true);
  });

  it("that tag instances do, too", () => {
    expect(mayTagAtOnce(claimsWith(39, "Registered", now), now)).toBe(true);
    expect(mayTagAtOnce(claimsWith(40, "Registered", now), now)).toBe(false);
  });

  it("leave tags to the sweeps, which take those that have waited longest", () => {
    const old = claimsWith(1, "Registered", now - 60_000).map((claim) => ({
      ...claim,
      metadata: { ...claim.metadata, name: "z" },
    }));
    const taken = taggedBySweep([...claimsWith(60, "Registered", now), ...old]);
    expect([...taken]).toHaveLength(40);
    expect([...taken][0]).toBe("z");
    expect(taken.has("c038")).toBe(true);
    expect(taken.has("c039")).toBe(false);
  });

  it("tag every instance in the end", async () => {
    const world = controllerWorld();
    const { tagged } = world.ec2;
    const names = Array.from({ length: 50 }, (_, index) => `one${index}`);
    for (const name of names) {
      addClaim(world, name);
      addNode(world, name);
    }
    const hints = names.map((name) => ({ kind: "node", name: `node-${name}`, at: world.now() }) as const);
    for (const hint of hints) await lifecycle(world.ports, world.settings, [hint]);
    expect(tagged).toHaveLength(40);
    await lifecycle(world.ports, world.settings, [{ kind: "lifecycle-sweep", at: world.now() }]);
    expect(new Set(tagged).size).toBe(50);
  });
});
