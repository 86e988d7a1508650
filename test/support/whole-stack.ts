import type { KubernetesObject } from "../../shared/api/kinds.ts";
import { label } from "../../shared/api/labels.ts";
import { nodePool } from "../../shared/api/node-pool.ts";
import type { Ec2Instance } from "../../shared/ports.ts";
import { performAction } from "../../shared/simulator/scenario-actions.ts";
import { SimulatedWorld, type WorldOptions } from "../../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { deploymentNamed } from "./cluster-objects.ts";
import { startAt } from "./controller-world.ts";
import { nodeClass } from "./node-classes.ts";

/** The whole stack with a spot NodePool and an on-demand one, whose nodes hold two of the pods of {@link eightPods}. */
export function wholeStack(options: Partial<WorldOptions> = {}): SimulatedWorld {
  const world = new SimulatedWorld({ seed: 1, settings: defaultSettings, startAt, ...options });
  apply(world, [nodeClass(), pool("spot"), pool("on-demand")]);
  return world;
}

export function apply(world: SimulatedWorld, objects: readonly KubernetesObject[]): void {
  performAction(world, { do: "apply", objects });
}

/** Four pods for spot and four for on-demand: two NodeClaims of each. */
export const eightPods: readonly KubernetesObject[] = [deploymentOn("web", "spot"), deploymentOn("db", "on-demand")];

export function scaleTo(world: SimulatedWorld, name: string, replicas: number): void {
  performAction(world, { do: "scale", kind: "Deployment", namespace: "default", name, replicas });
}

/** How the cluster looks when it is at rest. */
export interface Rest {
  readonly pods: number;
  readonly claims: number;
}

/** Runs until the cluster is at rest, and says after how many seconds that was; at most `maxSeconds`. */
export async function secondsToRest(world: SimulatedWorld, rest: Rest, maxSeconds: number): Promise<number> {
  const { loop } = world;
  const beganAt = loop.now();
  while (restlessness(world, rest).length > 0 && loop.now() - beganAt < maxSeconds * 1_000) {
    await loop.runUntil(loop.now() + 2_000);
  }
  return (loop.now() - beganAt) / 1_000;
}

/** What keeps the cluster from rest: pods that do not run, claims without exactly one living instance, instances without a claim. */
export function restlessness(world: SimulatedWorld, rest: Rest): readonly string[] {
  const { server } = world.cluster;
  const pods = server.list("Pod");
  const claims = server.list("NodeClaim");
  const living = new Set(livingInstances(world).map(({ instanceId }) => instanceId));
  const found = [
    ...(pods.length === rest.pods ? [] : [`${pods.length} pods instead of ${rest.pods}`]),
    ...(claims.length === rest.claims ? [] : [`${claims.length} claims instead of ${rest.claims}`]),
    ...pods.flatMap(({ metadata, status }) => {
      if (metadata.deletionTimestamp !== undefined) return [`pod ${metadata.name} is terminating`];
      return status?.phase === "Running" ? [] : [`pod ${metadata.name} is ${status?.phase}`];
    }),
  ];
  for (const { metadata, status } of claims) {
    const instanceId = status?.providerID?.split("/").at(-1) ?? "";
    if (metadata.deletionTimestamp !== undefined) found.push(`claim ${metadata.name} is being deleted`);
    if (!living.delete(instanceId)) found.push(`claim ${metadata.name} has no living instance of its own`);
  }
  return [...found, ...[...living].map((instanceId) => `instance ${instanceId} has no claim`)];
}

export function livingInstances({ ec2 }: SimulatedWorld): readonly Ec2Instance[] {
  return ec2.instances().filter(({ state }) => state === "pending" || state === "running");
}

function deploymentOn(name: string, capacityType: string): KubernetesObject {
  return deploymentNamed(name, {
    replicas: 4,
    cpu: "800m",
    spec: { nodeSelector: { [label.capacityType]: capacityType } },
  });
}

function pool(capacityType: string): KubernetesObject {
  const requirements = [
    { key: label.capacityType, operator: "In", values: [capacityType] },
    { key: label.instanceType, operator: "In", values: ["m5.large", "c5.large", "m5a.large"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  return nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: capacityType },
    spec: {
      template: { spec: { nodeClassRef, requirements } },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "30s" },
    },
  });
}
