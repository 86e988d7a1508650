import { nodeSelectorRequirement } from "../api/core.ts";
import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";
import { type Requirements, requirementsOf } from "../scheduling/requirements.ts";
import { amiFamilyTraits } from "./ami-family.ts";
import type { InstanceTypeFacts } from "./catalog.ts";
import { placementGroupOf } from "./placement-group.ts";

/** Why nodes of this class cannot run on the type at all (karpenter-aws §2.1); nothing if they can. Images and subnets are looked at elsewhere. */
export function classIncompatibility(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  family: AmiFamily,
): string | undefined {
  const { connectionTracking, cpuOptions } = nodeClass.spec;
  if (family === "AL2023" && facts.name.startsWith("a1.")) return "AL2023 does not run on the a1 family";
  if (amiFamilyTraits(family).os === "windows" && facts.arch !== "amd64") return `${family} runs on amd64 only`;
  if (connectionTracking !== undefined && facts.hypervisor !== "nitro") {
    return "connectionTracking needs the nitro hypervisor";
  }
  if (cpuOptions?.nestedVirtualization === "enabled" && !nestsHypervisors(facts)) {
    return "nestedVirtualization needs the c8i, m8i or r8i family or its flex variant";
  }
  return interfaceFault(facts, nodeClass) ?? placementFault(facts, nodeClass);
}

/** By name as the EC2 API reference of `CpuOptionsRequest` states it, where the facts do not say. */
function nestsHypervisors({ name, nestedVirtualization }: InstanceTypeFacts): boolean {
  return nestedVirtualization ?? /^[cmr]8i(-flex)?\.(?!metal)/.test(name);
}

/** What the class's list of network interfaces asks for and the type has not: cards, interfaces on a card, EFA. */
function interfaceFault(facts: InstanceTypeFacts, { spec }: EC2NodeClass): string | undefined {
  const { networkInterfaces = [] } = spec;
  if (networkInterfaces.length === 0) return undefined;
  if (!(facts.enaSupported ?? !withoutEna.test(facts.name))) {
    return "networkInterfaces needs the Elastic Network Adapter, which the type lacks";
  }
  const efaOnly = networkInterfaces.filter((one) => one.interfaceType === "efa-only").length;
  if (efaOnly > facts.efaInterfaces) {
    return `networkInterfaces asks for ${efaOnly} EFA interfaces, the type has ${facts.efaInterfaces}`;
  }
  const cards = facts.networkCards ?? presumedCards(facts);
  for (const [card, listed] of Map.groupBy(networkInterfaces, (one) => one.networkCardIndex)) {
    const room = cards[card];
    if (room === undefined) {
      return `networkInterfaces asks for network card ${card}, the type has ${cards.length} from card 0 on`;
    }
    if (listed.length > room) {
      return `networkInterfaces asks for ${listed.length} interfaces on network card ${card}, the type has ${room}`;
    }
  }
  return undefined;
}

/** As the EC2 user guide lists the types for enhanced networking: all others have it. */
const withoutEna = /^(c[134]|cc2|cr1|d2|g2|hs1|i2|m[123]|m4(?!\.16xlarge)|r3|t[12])\./;

/** Types with several cards have about one EFA interface on each, and at least two interfaces on the further ones. */
function presumedCards({ eni, efaInterfaces }: InstanceTypeFacts): readonly number[] {
  const first = eni?.defaultCardInterfaces ?? 1;
  return Array.from({ length: Math.max(1, efaInterfaces) }, (_, card) => (card === 0 ? first : 2));
}

function placementFault(facts: InstanceTypeFacts, nodeClass: EC2NodeClass): string | undefined {
  const found = placementGroupOf(nodeClass);
  if (found.kind !== "group") return undefined;
  const { strategy } = found.group;
  const isSupported =
    facts.placementStrategies?.includes(strategy) ?? (strategy !== "cluster" || !unclustered.test(facts.name));
  return isSupported ? undefined : `the type cannot be in a placement group of strategy ${strategy}`;
}

/** Burstable, flex and Mac types, which the EC2 user guide keeps out of cluster placement groups. */
const unclustered = /^(t\d|mac)|-flex\./;

/**
 * What each image of the class asks of a type, in the order of its status; nothing when the class has no status yet. Throws a RangeError naming
 * the class on a requirement that cannot be read.
 */
export function imageRequirements(nodeClass: EC2NodeClass): readonly Requirements[] | undefined {
  return nodeClass.status?.amis?.map((ami) =>
    requirementsOf(
      ami.requirements.map((entry) => {
        const parsed = nodeSelectorRequirement.safeParse(entry);
        if (parsed.success) return parsed.data;
        throw new RangeError(
          `EC2NodeClass ${nodeClass.metadata.name} status.amis: image ${ami.id} has a requirement on ${entry.key} with operator ` +
            `"${entry.operator}", accepted are ${nodeSelectorRequirement.shape.operator.options.join(", ")}`,
        );
      }),
    ),
  );
}
