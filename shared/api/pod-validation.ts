import type { Container, PodSpec } from "./core.ts";
import type { KubernetesObject } from "./kinds.ts";
import { parseQuantity } from "./quantity.ts";
import { duplicates, type Fault, fault, within } from "./rules.ts";
import type { ResourceList } from "./schema.ts";

/** What an API server would refuse of the pods that an object is or makes, with paths from the object (kubernetes pkg/apis/core/validation). */
export function podFaults(object: KubernetesObject): readonly Fault[] {
  switch (object.kind) {
    case "Pod":
      return within(["spec"], podSpecFaults(object.spec));
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
    case "DaemonSet":
    case "Job":
      return within(["spec", "template", "spec"], podSpecFaults(object.spec.template.spec));
    case "PodTemplate":
      return within(["template", "spec"], podSpecFaults(object.template.spec));
    case "CronJob": {
      const { template } = object.spec.jobTemplate.spec;
      return within(["spec", "jobTemplate", "spec", "template", "spec"], podSpecFaults(template.spec));
    }
    default:
      return [];
  }
}

function podSpecFaults(spec: PodSpec): readonly Fault[] {
  const lists = ["containers", "initContainers"] as const;
  return [
    ...fault(["containers"], spec.containers.length === 0 ? "at least one container" : undefined),
    ...lists.flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) =>
        within([list, index], containerFaults(container, spec.hostNetwork === true)),
      ),
    ),
    ...within(["resources"], requestFaults(spec.resources)),
    ...affinityFaults(spec),
    ...topologySpreadFaults(spec),
  ];
}

function containerFaults({ resources, ports = [] }: Container, hostNetwork: boolean): readonly Fault[] {
  return [
    ...within(["resources"], requestFaults(resources)),
    ...ports.flatMap(({ containerPort, hostPort }, index) => {
      // Zero stands for none.
      const odd = hostNetwork && hostPort && containerPort !== undefined && hostPort !== containerPort;
      return within(
        ["ports", index],
        [
          ...fault(["containerPort"], containerPort === undefined || isPort(containerPort) ? undefined : portText),
          ...fault(["hostPort"], !hostPort || isPort(hostPort) ? undefined : portText),
          ...fault(["hostPort"], odd ? `the containerPort ${containerPort}, as hostNetwork is true` : undefined),
        ],
      );
    }),
  ];
}

const portText = "a port from 1 to 65535";

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function requestFaults(resources: Container["resources"] = {}): readonly Fault[] {
  const { requests = {}, limits = {} } = resources;
  return [
    ...within(["requests"], wholeAmountFaults(requests)),
    ...within(["limits"], wholeAmountFaults(limits)),
    ...Object.entries(requests).flatMap(([name, request]) => {
      const limit = limits[name];
      const above = limit !== undefined && parseQuantity(request) > parseQuantity(limit);
      return fault(["requests", name], above ? `at most the limit, ${limit}` : undefined);
    }),
  ];
}

/** Only the kubelet's own resources can be shared out in fractions; a GPU cannot. */
function wholeAmountFaults(amounts: ResourceList): readonly Fault[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const isFraction = isExtended(name) && parseQuantity(amount) % parseQuantity("1") !== 0n;
    return fault([name], isFraction ? "a whole number, as it is an extended resource" : undefined);
  });
}

function isExtended(resource: string): boolean {
  return resource.includes("/") && !/(^|\.)kubernetes\.io\//.test(resource);
}

function affinityFaults({ affinity = {} }: PodSpec): readonly Fault[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const noTerm = affinity.nodeAffinity?.[required]?.nodeSelectorTerms.length === 0;
  return fault(["affinity", "nodeAffinity", required, "nodeSelectorTerms"], noTerm ? "at least one term" : undefined);
}

function topologySpreadFaults({ topologySpreadConstraints = [] }: PodSpec): readonly Fault[] {
  const repeated = duplicates(
    topologySpreadConstraints,
    ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
  );
  return repeated.flatMap((index) =>
    fault(["topologySpreadConstraints", index], "each pair of topologyKey and whenUnsatisfiable once"),
  );
}
