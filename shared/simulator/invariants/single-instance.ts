import { tag } from "../../api/labels.ts";
import { instanceIdOf } from "../../state/provider-id.ts";
import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";
import { isLive } from "./machines.ts";

/** Neither two machines for one claim, by tag or by status, nor one machine for two claims. */
export function singleInstance(world: ObservedWorld): Invariant {
  return invariant("one live instance per NodeClaim", world, (report) => ({
    check() {
      const claims = world.cluster.server.list("NodeClaim");
      const claimsById = new Map<string, string>();
      for (const { metadata, status } of claims) {
        const id = instanceIdOf(status?.providerID);
        if (id === undefined) continue;
        const other = claimsById.get(id);
        claimsById.set(id, metadata.name);
        if (other === undefined) continue;
        const objects = `NodeClaims ${other} and ${metadata.name}`;
        report({ objects, seen: `both have instance ${id}`, allowed: "one claim per instance" });
      }
      const instancesByClaim = new Map<string, string>();
      for (const { instanceId, tags } of world.ec2.instances().filter(isLive)) {
        const claim = claimsById.get(instanceId) ?? tags[tag.nodeClaim];
        if (claim === undefined) continue;
        const other = instancesByClaim.get(claim);
        instancesByClaim.set(claim, instanceId);
        if (other === undefined) continue;
        const seen = `instances ${other} and ${instanceId} are both live`;
        report({ objects: `NodeClaim ${claim}`, seen, allowed: "one live instance" });
      }
    },
  }));
}
