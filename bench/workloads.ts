import { type Pod, pod } from "../shared/api/core.ts";
import { Random } from "../shared/simulator/random.ts";

export const workloadNames = ["web", "mixed", "memory-heavy", "zone-spread"] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** Ranges of one pod's requests, both ends included: CPU in steps of 50 m, memory in steps of 64 Mi. */
interface Shape {
  readonly cpuMillis: readonly [number, number];
  readonly memoryMib: readonly [number, number];
}

const small: Shape = { cpuMillis: [50, 1000], memoryMib: [128, 2048] };
const batch: Shape = { cpuMillis: [1000, 7000], memoryMib: [2048, 16_384] };
const cache: Shape = { cpuMillis: [250, 2000], memoryMib: [4096, 32_768] };

const shapes: Readonly<Record<WorkloadName, readonly Shape[]>> = {
  web: [small],
  mixed: [small, small, batch, cache],
  "memory-heavy": [cache],
  "zone-spread": [small],
};

/** Pending pods of up to twelve services, whose sizes are drawn by the seed. */
export function pendingPods(name: WorkloadName, count: number, seed: number): readonly Pod[] {
  const random = new Random(seed).fork(name);
  const services = Array.from({ length: Math.min(12, Math.ceil(count / 3)) }, (_, index) => {
    const shape = random.pick(shapes[name]);
    return { app: `service-${index}`, requests: drawnRequests(shape, random) };
  });
  return Array.from({ length: count }, (_, index) => {
    const { app, requests } = services[index % services.length] ?? { app: "none", requests: {} };
    return pod.parse({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${app}-${index}`, namespace: "bench", uid: `${app}-${index}`, labels: { app } },
      spec: {
        containers: [{ name: "main", resources: { requests } }],
        ...(name === "zone-spread" && { topologySpreadConstraints: [zoneSpread(app)] }),
      },
      status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
    });
  });
}

function drawnRequests(
  { cpuMillis, memoryMib }: Shape,
  random: Random,
): { readonly cpu: string; readonly memory: string } {
  const draw = ([min, max]: readonly [number, number], step: number) =>
    random.integer(Math.ceil(min / step), Math.floor(max / step)) * step;
  return { cpu: `${draw(cpuMillis, 50)}m`, memory: `${draw(memoryMib, 64)}Mi` };
}

function zoneSpread(app: string) {
  return {
    maxSkew: 1,
    topologyKey: "topology.kubernetes.io/zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app } },
  };
}
