import { type Kind, type KubernetesObject, kinds } from "../api/kinds.ts";
import type { Ec2Instance } from "../ports.ts";
import type { ApiServer } from "./api-server.ts";
import type { InstanceTarget, ScenarioAction } from "./scenario.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** Carries out one step of a scenario; returns what to say about it. */
export function performAction(world: SimulatedWorld, action: ScenarioAction): string {
  const { server } = world.cluster;
  switch (action.do) {
    case "apply":
      for (const object of action.objects) apply(server, object);
      return `applies ${summary(action.objects)}`;
    case "scale": {
      const { kind, namespace, name, replicas } = action;
      server.patch(kind, { namespace, name }, { spec: { replicas } });
      return `scales ${kind} ${name} to ${replicas}`;
    }
    case "delete":
      return remove(server, action);
    case "spotCapacity": {
      const { zone, instanceType, instances } = action;
      const pools = {
        ...(zone === undefined ? {} : { zone }),
        ...(instanceType === undefined ? {} : { instanceType }),
      };
      world.ec2.setCapacity({ ...pools, capacityType: "spot" }, instances);
      return `spot pools of ${[instanceType ?? "all types", zone ?? "all zones"].join(" in ")} hold ${instances} from now on`;
    }
    case "interruptSpot":
      return notify(world, action.target, "spot notice", (instance) => world.ec2.interruptSpot(instance.instanceId));
    case "recommendRebalance":
      return notify(world, action.target, "rebalance recommendation", (instance) =>
        world.ec2.recommendRebalance(instance.instanceId),
      );
    case "loseEvents": {
      const faults = { ...world.messaging.clusterBus.faults, loseChance: action.share };
      world.messaging.clusterBus.faults = faults;
      world.messaging.defaultBus.faults = faults;
      return `${Math.round(action.share * 100)} % of all events are lost from now on`;
    }
    case "note":
      return action.text;
  }
}

/** Creates the object, or gives the one that exists its spec, labels and annotations. */
function apply(server: ApiServer, object: KubernetesObject): void {
  const { name, namespace, labels, annotations } = object.metadata;
  const reference = namespace === undefined ? { name } : { name, namespace };
  if (server.get(object.kind, reference) === undefined) {
    server.create(object.kind, object);
    return;
  }
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
  server.patch(object.kind, reference, { metadata, ...("spec" in object ? { spec: object.spec } : {}) });
}

function remove(server: ApiServer, action: Extract<ScenarioAction, { do: "delete" }>): string {
  const { kind, name, namespace = "default" } = action;
  if (!isKind(kind)) return `cannot delete a ${kind}: the kind is unknown`;
  server.delete(kind, kinds[kind].namespaced ? { name, namespace } : { name });
  return `deletes ${kind} ${name}`;
}

function isKind(name: string): name is Kind {
  return name in kinds;
}

function notify(
  world: SimulatedWorld,
  target: InstanceTarget,
  what: string,
  send: (instance: Ec2Instance) => void,
): string {
  const chosen = targets(world, target);
  for (const instance of chosen) send(instance);
  const names = chosen.map(({ instanceType, zone }) => `${instanceType} in ${zone}`).join(", ");
  return chosen.length === 0 ? `${what}: no running spot instance` : `${what} for ${names}`;
}

function targets({ ec2, random }: SimulatedWorld, target: InstanceTarget): readonly Ec2Instance[] {
  const running = ec2
    .instances()
    .filter((instance) => instance.capacityType === "spot" && instance.state === "running")
    .sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
  if ("node" in target) return running.filter((instance) => instance.privateDnsName === target.node);
  return random.fork(`targets at ${running.length}`).shuffle(running).slice(0, target.count);
}

function summary(objects: readonly KubernetesObject[]): string {
  const counts = [...Map.groupBy(objects, (object) => object.kind)].map(([kind, list]) => `${list.length} ${kind}`);
  return counts.join(", ");
}
