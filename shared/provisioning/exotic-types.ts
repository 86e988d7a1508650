import type { InstanceType } from "../cloud/instance-type.ts";

const devicePrefixes = ["nvidia.com/", "amd.com/", "aws.amazon.com/neuron", "habana.ai/"];

/** Bare metal and machines with accelerators: slow to start or dear, and seldom what an ordinary pod means (karpenter-aws §4.1). */
export function isExotic(type: InstanceType): boolean {
  const known = exotic.get(type);
  if (known !== undefined) return known;
  const answer = looksExotic(type);
  exotic.set(type, answer);
  return answer;
}

/** Asked of every type for every class of pods. */
const exotic = new WeakMap<InstanceType, boolean>();

function looksExotic(type: InstanceType): boolean {
  return (
    type.name.includes(".metal") ||
    Object.entries(type.capacity).some(
      ([resource, amount]) => amount > 0 && devicePrefixes.some((prefix) => resource.startsWith(prefix)),
    )
  );
}

/** Ordinary types where there are any, else all. */
export function withoutExotic(types: readonly InstanceType[]): readonly InstanceType[] {
  const ordinary = types.filter((type) => !isExotic(type));
  return ordinary.length > 0 ? ordinary : types;
}
