import type { PodSpec } from "../api/core.ts";

/** A port of the node itself that a pod occupies. */
export interface HostPort {
  /** `0.0.0.0` and `::` mean every address of the node. */
  readonly ip: string;
  readonly port: number;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
}

/**
 * The host ports of a pod's app containers and sidecars, with the API server's defaults: in the node's own network every container port
 * is one. Plain init containers are gone when the pod runs.
 */
export function hostPorts(spec: PodSpec): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap((container) => container.ports ?? [])
    .flatMap(({ containerPort, hostPort, hostIP, protocol }) => {
      const port = hostPort || (spec.hostNetwork ? containerPort : undefined);
      return port ? [{ ip: hostIP || "0.0.0.0", port, protocol: protocol || "TCP" }] : [];
    });
}

/** The first of the wanted ports that one of the used ones takes: same port and protocol, and the same or every address. */
export function hostPortConflict(used: readonly HostPort[], wanted: readonly HostPort[]): HostPort | undefined {
  return wanted.find((port) => used.some((other) => conflicts(port, other)));
}

/** `ip:port/protocol`, an IPv6 address in brackets. */
export function formatHostPort({ ip, port, protocol }: HostPort): string {
  return `${ip.includes(":") ? `[${ip}]` : ip}:${port}/${protocol}`;
}

/**
 * The inverse of {@link formatHostPort}.
 * @throws RangeError that names the text.
 */
export function parseHostPort(text: string): HostPort {
  const [, bracketed, plain, port, protocol] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)\/(\w+)$/.exec(text) ?? [];
  const ip = bracketed ?? plain;
  if (ip === undefined || port === undefined || protocol === undefined) {
    throw new RangeError(`"${text}" is not a host port: expected ip:port/protocol such as 0.0.0.0:8080/TCP`);
  }
  return { ip, port: Number(port), protocol };
}

function conflicts(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || isEveryAddress(a) || isEveryAddress(b));
}

function isEveryAddress({ ip }: HostPort): boolean {
  return ip === "0.0.0.0" || ip === "::";
}
