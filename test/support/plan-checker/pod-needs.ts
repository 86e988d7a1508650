import type { Container, PodSpec } from "../../../shared/api/core.ts";
import { type Amounts, amountsOf, largestOf, sumOf } from "./amounts.ts";

export interface PortNeed {
  readonly ip: string;
  /** `port/protocol`. */
  readonly port: string;
}

/** What a pod takes of its node: kube-scheduler's NodeResourcesFit and NodePorts. */
export interface PodNeeds {
  readonly requests: Amounts;
  readonly ports: readonly PortNeed[];
}

const known = new WeakMap<PodSpec, PodNeeds>();

/** Read from the spec itself; specs that pods share are read once. */
export function needsOf(spec: PodSpec): PodNeeds {
  let needs = known.get(spec);
  if (needs === undefined) {
    needs = { requests: requestsOf(spec), ports: portsOf(spec) };
    known.set(spec, needs);
  }
  return needs;
}

/** KEP-753 (sidecars), KEP-2837 (requests of the pod as a whole) and overhead. */
function requestsOf(spec: PodSpec): Amounts {
  const started: Amounts[] = [];
  let peak: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    const own = containerRequests(container);
    peak = largestOf(peak, sumOf([...started, own]));
    if (container.restartPolicy === "Always") started.push(own);
  }
  const running = sumOf([...spec.containers.map(containerRequests), ...started]);
  const containers = largestOf(running, peak);
  const stated = amountsOf(spec.resources?.requests);
  const limited = amountsOf(spec.resources?.limits);
  const total: Record<string, number> = { ...containers };
  for (const resource of new Set([...Object.keys(stated), ...Object.keys(limited)])) {
    if (resource !== "cpu" && resource !== "memory" && !resource.startsWith("hugepages-")) continue;
    const defaulted = resource in containers ? containers[resource] : limited[resource];
    total[resource] = stated[resource] ?? defaulted ?? 0;
  }
  return sumOf([total, amountsOf(spec.overhead), { pods: 1 }]);
}

/** The API server copies limits into requests that are not stated. */
function containerRequests({ resources }: Container): Amounts {
  return amountsOf({ ...resources?.limits, ...resources?.requests });
}

function portsOf({ containers, initContainers = [], hostNetwork = false }: PodSpec): readonly PortNeed[] {
  const living = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === "Always")];
  return living.flatMap(({ ports = [] }) =>
    ports.flatMap(({ containerPort, hostPort, hostIP, protocol }) => {
      const number = hostPort || (hostNetwork ? containerPort : 0);
      return number ? [{ ip: hostIP || anyAddress, port: `${number}/${protocol || "TCP"}` }] : [];
    }),
  );
}

const anyAddress = "0.0.0.0";
const isAny = (ip: string) => ip === anyAddress || ip === "::";

/** The first port that a new pod wants and that another new one or a resident takes, as text. */
export function portClash(added: readonly PodNeeds[], residents: readonly PodNeeds[]): string | undefined {
  const taken = new Map<string, string[]>();
  const take = ({ ip, port }: PortNeed) => taken.set(port, [...(taken.get(port) ?? []), ip]);
  for (const { ports } of residents) ports.forEach(take);
  for (const { ports } of added) {
    const clash = ports.find(({ ip, port }) =>
      taken.get(port)?.some((other) => other === ip || isAny(other) || isAny(ip)),
    );
    if (clash !== undefined) return `${clash.ip}:${clash.port}`;
    ports.forEach(take);
  }
  return undefined;
}
