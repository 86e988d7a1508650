import { type Pod, pod } from "../shared/api/core.ts";
import { Random } from "../shared/simulator/random.ts";
import type { Distribution, Shape, Spread, Workload } from "./suite.ts";

interface Service {
  readonly app: string;
  readonly requests: Readonly<Record<string, string>>;
  readonly spread: readonly Spread[];
}

/** Pending pods of a workload's services, in turn. Sizes follow from the seed and the workload's name. */
export function pendingPods(workload: Workload, count: number, seed: number): readonly Pod[] {
  const services = servicesOf(workload, count, new Random(seed).fork(workload.name));
  return Array.from({ length: count }, (_, index) => {
    const { app, requests, spread } = services[index % services.length] ?? { app: "none", requests: {}, spread: [] };
    return pod.parse({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${app}-${index}`, namespace: "bench", uid: `${app}-${index}`, labels: { app } },
      spec: {
        containers: [{ name: "main", resources: { requests, ...gpuLimits(requests) } }],
        ...(spread.length > 0 && { topologySpreadConstraints: spread.map((one) => constraint(app, one)) }),
      },
      status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
    });
  });
}

function servicesOf({ services, shapes, spread }: Workload, pods: number, random: Random): readonly Service[] {
  if (Array.isArray(services)) {
    return services.map((service) => ({
      app: service.name,
      requests: { cpu: `${service.cpuMillis}m`, memory: `${service.memoryMib}Mi` },
      spread: service.spread ?? spread,
    }));
  }
  const count = services === "one for each pod" ? pods : Math.min(services.most, Math.ceil(pods / services.podsEach));
  const urn = shapes.flatMap((shape) => Array.from({ length: shape.weight }, () => shape));
  return Array.from({ length: count }, (_, index) => ({
    app: `service-${index}`,
    requests: drawnRequests(random.pick(urn), random),
    spread,
  }));
}

function drawnRequests({ cpuMillis, memoryMib, gpus }: Shape, random: Random): Readonly<Record<string, string>> {
  return {
    cpu: `${drawn(cpuMillis, random)}m`,
    memory: `${drawn(memoryMib, random)}Mi`,
    ...(gpus !== undefined && { [gpuResource]: String(gpus) }),
  };
}

const gpuResource = "nvidia.com/gpu";

/** Kubernetes wants the limits of extended resources equal to their requests. */
function gpuLimits({ [gpuResource]: gpus }: Readonly<Record<string, string>>) {
  return gpus === undefined ? {} : { limits: { [gpuResource]: gpus } };
}

function drawn(distribution: Distribution, random: Random): number {
  if ("oneOf" in distribution) return random.pick(distribution.oneOf);
  if ("from" in distribution) {
    const { from, to, step } = distribution;
    return random.integer(Math.ceil(from / step), Math.floor(to / step)) * step;
  }
  const { median, sigma, least, most } = distribution;
  return Math.min(most, Math.max(least, Math.round(median * Math.exp(sigma * normal(random)))));
}

/** Standard normal, by Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function constraint(app: string, { topologyKey, maxSkew }: Spread) {
  return { maxSkew, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } };
}
