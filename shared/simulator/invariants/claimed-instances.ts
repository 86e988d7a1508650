import { tag } from "../../api/labels.ts";
import type { Ec2Instance } from "../../ports.ts";
import { instanceIdOf } from "../../state/provider-id.ts";
import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";
import { isLive } from "./machines.ts";

const runMinutes = 10;
const endMinutes = 2;

/** Nothing runs for long that no NodeClaim knows: a claim has every instance, or it is collected. */
export function claimedInstances(world: ObservedWorld): Invariant {
  return invariant("every instance is claimed or collected", world, (report) => {
    const look = (minutes: number) => {
      const now = world.loop.now();
      const isClaimed = claimedBy(world);
      const leaked = world.ec2
        .instances()
        .find((one) => isLive(one) && now - one.launchedAt > minutes * 60_000 && !isClaimed(one));
      if (leaked === undefined) return;
      const seen = `live for ${Math.floor((now - leaked.launchedAt) / 1_000)} s without a NodeClaim`;
      report({ objects: `instance ${leaked.instanceId}`, seen, allowed: `${minutes} minutes` });
    };
    return { check: () => look(runMinutes), atEnd: () => look(endMinutes) };
  });
}

/** By the claim's status, or by the tag while the claim has no other instance. */
function claimedBy({ cluster }: ObservedWorld): (instance: Ec2Instance) => boolean {
  const claims = cluster.server.list("NodeClaim");
  const ids = new Set(claims.map(({ status }) => instanceIdOf(status?.providerID)));
  const waiting = new Set(
    claims.filter(({ status }) => status?.providerID === undefined).map(({ metadata }) => metadata.name),
  );
  return ({ instanceId, tags }) => ids.has(instanceId) || waiting.has(tags[tag.nodeClaim] ?? "");
}
