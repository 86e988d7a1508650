import { nodeSelectorRequirement } from "../api/core.ts";
import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";
import { type Requirements, requirementsOf } from "../scheduling/requirements.ts";
import { amiFamilyTraits } from "./ami-family.ts";
import type { InstanceTypeFacts } from "./catalog.ts";

/** Why nodes of this class cannot run on the type at all (karpenter-aws §2.1); nothing if they can. Images and subnets are looked at elsewhere. */
export function classIncompatibility(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass,
  family: AmiFamily,
): string | undefined {
  const { networkInterfaces = [], connectionTracking, cpuOptions } = nodeClass.spec;
  const efaOnly = networkInterfaces.filter((card) => card.interfaceType === "efa-only").length;
  if (family === "AL2023" && facts.name.startsWith("a1.")) return "AL2023 does not run on the a1 family";
  if (amiFamilyTraits(family).os === "windows" && facts.arch !== "amd64") return `${family} runs on amd64 only`;
  if (efaOnly > facts.efaInterfaces) {
    return `networkInterfaces asks for ${efaOnly} EFA interfaces, the type has ${facts.efaInterfaces}`;
  }
  if (connectionTracking !== undefined && facts.hypervisor !== "nitro") {
    return "connectionTracking needs the nitro hypervisor";
  }
  if (cpuOptions?.nestedVirtualization === "enabled" && !nestedVirtualization.test(facts.name)) {
    return "nestedVirtualization needs the c8i, m8i or r8i family or its flex variant";
  }
  return undefined;
}

/** As the EC2 API reference of `CpuOptionsRequest` states it; the facts do not hold it. */
const nestedVirtualization = /^[cmr]8i(-flex)?\.(?!metal)/;

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
