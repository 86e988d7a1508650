import { expect } from "vitest";
import type { NodePool } from "../../shared/api/node-pool.ts";
import { EventLoop } from "../../shared/simulator/event-loop.ts";
import type { Invariant, ObservedWorld } from "../../shared/simulator/invariants/invariant.ts";
import { Random } from "../../shared/simulator/random.ts";
import { simulatedMessaging } from "../../shared/simulator/simulated-queues.ts";
import { type ControllerWorld, controllerWorld, startAt } from "./controller-world.ts";

/** A controller's world, and the same as checkers see it. The test plays the functions, bugs included. */
export function observedWorld(): { readonly cluster: ControllerWorld; readonly world: ObservedWorld } {
  const cluster = controllerWorld();
  const schedule: ObservedWorld["loop"]["schedule"] = (_delay, name) => {
    throw new Error(`${name} has failed`);
  };
  return {
    cluster,
    world: {
      loop: { now: cluster.now, schedule },
      cluster: { server: cluster.server },
      ec2: { instances: () => [...cluster.ec2.instances.values()] },
      messaging: simulatedMessaging(new EventLoop(startAt), new Random(1), "us-east-1"),
      telemetry: cluster.telemetry,
      bugs: [],
    },
  };
}

/** The NodePool that claims of the test belong to. */
export function addPool(
  { server }: ControllerWorld,
  input: {
    readonly limits?: Record<string, string>;
    readonly budgets?: NodePool["spec"]["disruption"]["budgets"];
    readonly replicas?: number;
  },
): void {
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const { limits, budgets = [{ nodes: "10%" }], replicas } = input;
  server.create("NodePool", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: { spec: { nodeClassRef, requirements: [], expireAfter: "Never" } },
      disruption: { consolidateAfter: "30s", consolidationPolicy: "WhenEmpty", budgets },
      ...(limits && { limits }),
      ...(replicas !== undefined && { replicas }),
    },
  });
}

/** The name under which a function acts. */
export function as(name: string): { readonly user: string } {
  return { user: `journeyman:${name}` };
}

/** What broke it, or "holds". */
export function findingOf(invariant: Invariant): string {
  invariant.check();
  const { holds, detail } = invariant.verdict();
  return holds ? "holds" : detail;
}

/** The same after the end of a run. */
export function finalFindingOf(invariant: Invariant): string {
  invariant.atEnd?.();
  return findingOf(invariant);
}

export function expectBroken(finding: string, ...parts: readonly string[]): void {
  for (const part of parts) expect(finding).toContain(part);
}
