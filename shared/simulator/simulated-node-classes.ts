import { label } from "../api/labels.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { timestamp } from "./time.ts";

const resolveMilliseconds = 500;

/** Subnets of a region in the simulated account: one for each zone. */
export function subnetOf(zone: string): string {
  return `subnet-${zone}`;
}

/**
 * Stands in for the resolution of EC2NodeClasses: half a second after one appears its status has a subnet in every zone, a security
 * group, an image for each architecture and an instance profile, and it is ready.
 */
export function startNodeClassResolution(loop: EventLoop, server: ApiServer, zones: readonly string[]): void {
  server.watch("EC2NodeClass", ({ type, object }) => {
    if (type !== "ADDED") return;
    const reference = { name: object.metadata.name };
    loop.schedule(resolveMilliseconds, `EC2NodeClass ${reference.name}`, () => {
      if (server.get("EC2NodeClass", reference) === undefined) return;
      server.patch("EC2NodeClass", reference, { status: resolvedStatus(zones, loop.now()) }, { subresource: "status" });
    });
  });
}

function resolvedStatus(zones: readonly string[], now: number) {
  const image = (id: string, arch: string) => ({
    id,
    name: `al2023-${arch}`,
    requirements: [{ key: label.arch, operator: "In", values: [arch] }],
  });
  return {
    subnets: zones.map((zone) => ({ id: subnetOf(zone), zone })),
    securityGroups: [{ id: "sg-0123456789abcdef0", name: "nodes" }],
    amis: [image("ami-00000000000000001", "amd64"), image("ami-00000000000000002", "arm64")],
    instanceProfile: "journeyman-node",
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: timestamp(now) }],
  };
}
