import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { imageDeviceNames } from "./block-devices.ts";
import type { InstanceTypeFacts } from "./catalog.ts";
import { attachLimitExceptions } from "./embedded/attach-limits.ts";

/** The CSI driver of EBS, whose volumes take an instance's attachments. */
export const ebsDriver = "ebs.csi.aws.com";

/** Attachments of a Nitro instance that volumes share with network interfaces; the first interface has taken one already. */
const sharedLimit = 27;
const xenLimit = 39;
const olderMetalLimit = 31;
/** On shared limits the VPC CNI holds a second interface ready from the start, before the EBS driver counts. */
const warmInterfaces = 1;

/**
 * EBS volumes that pods can have on a node of the type and class, as the EBS CSI driver reports them when it starts: what EC2 allows, less
 * the node's own volumes, and on types whose limit is shared less the interface that the VPC CNI keeps warm. Interfaces attached later take
 * room that the driver, and kube-scheduler with it, goes on counting on. Never below 1, as the driver reports it. `nodeClass` is absent for
 * nodes of others: one volume is then their own.
 */
export function attachLimit(facts: InstanceTypeFacts, nodeClass: EC2NodeClass | undefined): number {
  const own = nodeClass === undefined ? 1 : ownVolumes(nodeClass);
  const shared = facts.hypervisor !== "xen" && !hasDedicatedLimit(facts.name);
  const interfaces = facts.eni?.defaultCardInterfaces ?? 1;
  const warm = shared && interfaces > 1 ? warmInterfaces : 0;
  return Math.max(1, volumeLimit(facts) - own - warm);
}

/** What EC2 allows in all, the root volume included and the first network interface taken off. */
function volumeLimit(facts: InstanceTypeFacts): number {
  const exception = exceptions.get(facts.name);
  if (exception !== undefined) return exception;
  if (facts.hypervisor === "xen") return xenLimit;
  if (!hasDedicatedLimit(facts.name)) return facts.bareMetal ? olderMetalLimit : sharedLimit;
  const steps = facts.bareMetal ? dedicatedMetalLimits : dedicatedLimits;
  return steps.find(([vcpus]) => facts.vcpus <= vcpus)?.[1] ?? sharedLimit;
}

/** Dedicated limits go by size; each step is the most vCPUs and the limit. */
const dedicatedLimits = [
  [48, 32],
  [72, 48],
  [96, 64],
  [128, 88],
  [Number.POSITIVE_INFINITY, 128],
] as const;
const dedicatedMetalLimits = [
  [96, 39],
  [Number.POSITIVE_INFINITY, 79],
] as const;

/** Families before the eighth generation whose EBS limit is theirs alone; later ones all have it. */
const dedicatedFamilies: ReadonlySet<string> = new Set(
  [
    ["c7a", "c7i", "c7i-flex", "m7a", "m7i", "m7i-flex", "r7a", "r7i", "r7iz", "i7i", "i7ie", "hpc7a"],
    ["f2", "g6", "g6e", "g6f", "gr6", "gr6f", "g7", "g7e"],
    ["p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "trn2"],
    ["u7i-6tb", "u7i-8tb", "u7i-12tb", "u7in-16tb", "u7in-24tb", "u7in-32tb"],
  ].flat(),
);
const firstDedicatedGeneration = 8;

function hasDedicatedLimit(typeName: string): boolean {
  const family = typeName.slice(0, typeName.indexOf("."));
  const generation = Number(/^[a-z]+(\d+)/.exec(family)?.[1] ?? 0);
  return generation >= firstDedicatedGeneration || dedicatedFamilies.has(family);
}

/** Volumes that a node of the class starts with: the class's, and those of its image that it does not name. */
function ownVolumes(nodeClass: EC2NodeClass): number {
  const mapped = (nodeClass.spec.blockDeviceMappings ?? []).filter(({ ebs }) => ebs !== undefined);
  const names = new Set(mapped.flatMap(({ deviceName }) => deviceName ?? []));
  const hasRoot = mapped.some(({ rootVolume }) => rootVolume === true) || rootDevices.some((name) => names.has(name));
  const image = imageDeviceNames(nodeClass);
  if (image.length === 0) return names.size + (hasRoot ? 0 : 1);
  return names.union(new Set(image)).size;
}

/** Usual names of root devices, to know one among the mappings of an image whose family is Custom. */
const rootDevices = ["/dev/xvda", "/dev/sda1"] as const;

const exceptions: ReadonlyMap<string, number> = new Map(
  attachLimitExceptions
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [families = "", ...steps] = line.split(/\s+/);
      return steps.flatMap((step) => {
        const [sizes = "", limit] = step.split("=");
        const names = sizes.split(",").map((size) => size.replace(/x$/, "xlarge"));
        return families
          .split(",")
          .flatMap((family) => names.map((name) => [`${family}.${name}`, Number(limit)] as const));
      });
    }),
);
