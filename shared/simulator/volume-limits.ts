import type { ApiServer } from "./api-server.ts";
import { claimsOf, driverOf } from "./claims-of-pods.ts";
import type { NodeInfo, PodInfo } from "./scheduler-cache.ts";

/** Whether a node's drivers can attach what a pod brings, beside the volumes of `others` on it (plugin NodeVolumeLimits). */
export function attachmentFailure(
  pod: PodInfo,
  server: ApiServer,
): (node: NodeInfo, others: readonly PodInfo[]) => string | undefined {
  const drivers = new Map<string, string | undefined>();
  const attachments = (each: PodInfo): readonly (readonly [claim: string, driver: string])[] =>
    claimsOf(each.pod).flatMap(({ name }) => {
      const key = `${each.namespace}/${name}`;
      if (!drivers.has(key)) {
        const claim = server.get("PersistentVolumeClaim", { namespace: each.namespace, name });
        drivers.set(key, claim && driverOf(claim, server));
      }
      const driver = drivers.get(key);
      return driver === undefined ? [] : [[key, driver] as const];
    });
  const wanted = new Map(attachments(pod));
  return (node, others) => {
    if (wanted.size === 0) return undefined;
    const counts = new Map(
      server
        .get("CSINode", { name: node.name })
        ?.spec.drivers.map(({ name, allocatable }) => [name, allocatable?.count]),
    );
    const attached = new Map(others.flatMap(attachments));
    for (const driver of new Set(wanted.values())) {
      const limit = counts.get(driver);
      const claims = [...attached, ...wanted].flatMap(([claim, each]) => (each === driver ? [claim] : []));
      const brings = [...wanted].some(([claim, each]) => each === driver && !attached.has(claim));
      if (limit !== undefined && brings && new Set(claims).size > limit) return "node(s) exceed max volume count";
    }
    return undefined;
  };
}
