import { DeferredErrors } from "../../shared/controllers/deferred-errors.ts";
import { stampNodePools } from "../../shared/controllers/node-pool-hash.ts";
import { writeNodePoolStatuses } from "../../shared/controllers/node-pool-status.ts";
import { readRegistrations } from "../../shared/controllers/registration-store.ts";
import type { ControllerWorld } from "./controller-world.ts";
import { snapshotWith } from "./snapshot.ts";

/** What a pass of the planner tells on NodePools, in a world in which it launches nothing. */
export async function provisionStatus(world: ControllerWorld): Promise<void> {
  const { server, ports, settings, now } = world;
  const snapshot = {
    ...snapshotWith({
      now: now(),
      pods: server.list("Pod"),
      nodes: server.list("Node"),
      nodeClaims: server.list("NodeClaim"),
      pools: server.list("NodePool"),
      nodeClasses: server.list("EC2NodeClass"),
    }),
    registrations: await readRegistrations(ports, settings),
  };
  const errors = new DeferredErrors();
  await stampNodePools(ports, snapshot, errors);
  await writeNodePoolStatuses(ports, snapshot, errors);
  errors.throwFirst();
}
