import { label, terminationFinalizer } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { NodePool } from "../../shared/api/node-pool.ts";
import type { Condition } from "../../shared/api/schema.ts";
import { formatTime } from "../../shared/api/time.ts";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import type { Hint } from "../../shared/hints.ts";
import { conditionOf } from "../../shared/state/conditions.ts";
import { addClaim, addNode, type ControllerWorld, controllerWorld, nodeNameOf } from "./controller-world.ts";
import { nodeClaim } from "./node-claims.ts";
import { nodeClass } from "./node-classes.ts";
import { addNodePool } from "./planner-world.ts";

type Server = Pick<ControllerWorld, "server">;

/** One invocation of the lifecycle controller: a sweep, unless it is told where to look. */
export async function see(world: ControllerWorld, hint: Partial<Hint> = { kind: "lifecycle-sweep" }): Promise<void> {
  await lifecycle(world.ports, world.settings, [{ at: world.now(), ...hint } as Hint]);
}

/** A controller's world with the EC2NodeClass and the NodePool "default". */
export function pooledWorld(...faults: Parameters<typeof controllerWorld>): ControllerWorld {
  const world = controllerWorld(...faults);
  world.server.create("EC2NodeClass", nodeClass());
  const ready = {
    type: "Ready",
    status: "True",
    reason: "Ready",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  world.server.patch(
    "EC2NodeClass",
    { name: "default" },
    { status: { conditions: [ready] } },
    { subresource: "status" },
  );
  addNodePool(world, "default");
  return world;
}

/** A launched claim that its NodePool made. */
export function addOwnedClaim(
  world: ControllerWorld,
  name: string,
  input: Parameters<typeof addClaim>[2] = {},
): NodeClaim {
  const claim = addClaim(world, name, input);
  const pool = world.server.get("NodePool", { name: claim.metadata.labels?.[label.nodePool] ?? "" });
  const owner = { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: pool?.metadata.name, uid: pool?.metadata.uid };
  return world.server.patch("NodeClaim", { name }, { metadata: { ownerReferences: [owner] } });
}

/** A launched claim whose class is EKS Auto Mode's, with its finalizer. */
export function addForeignClaim({ server, now }: Server & Pick<ControllerWorld, "now">, name: string): NodeClaim {
  const claim = nodeClaim(name);
  const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
  const metadata = { ...claim.metadata, finalizers: [terminationFinalizer] };
  server.create("NodeClaim", { ...claim, metadata, spec: { ...claim.spec, nodeClassRef } });
  const launched = {
    type: "Launched",
    status: "True",
    reason: "Launched",
    message: "",
    lastTransitionTime: formatTime(now()),
  };
  const status = { providerID: `aws:///us-east-1a/i-${name}`, conditions: [launched] };
  return server.patch("NodeClaim", { name }, { status }, { subresource: "status" });
}

/** One condition of a claim. */
export function told(world: Server, claim: string, type: string): Condition | undefined {
  const found = world.server.get("NodeClaim", { name: claim });
  return found && conditionOf(found, type);
}

export function poolOf({ server }: Server, name = "default"): NodePool {
  const pool = server.get("NodePool", { name });
  if (pool === undefined) throw new Error(`no NodePool ${name}`);
  return pool;
}

/** Reasons of the events on an object, in the order in which they were written. */
export function eventsOn({ server }: Server, name: string): readonly string[] {
  return server
    .list("Event")
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason = "" }) => reason);
}

export function isGoing(world: Server, claim: string): boolean {
  const found = world.server.get("NodeClaim", { name: claim });
  return found === undefined || found.metadata.deletionTimestamp !== undefined;
}

/** Changes what a claim's Node shows of itself. */
export function patchNodeStatus({ server }: Server, claim: string, status: object): void {
  server.patch("Node", { name: nodeNameOf(claim) }, { status }, { subresource: "status" });
}

/** The Node of a claim, with the taint of a node that has not registered and others. */
export function addTaintedNode(world: ControllerWorld, claim: string, ...keys: readonly string[]): void {
  const taints = ["karpenter.sh/unregistered", ...keys].map((key) => ({ key, effect: "NoExecute" as const }));
  addNode(world, claim, { taints });
}
