import { type Fault, fault } from "./rules.ts";
import { quantity } from "./schema.ts";
import { closestWord } from "./spelling.ts";
import { parseDuration } from "./time.ts";

type StringMap = Readonly<Record<string, string>>;

interface Kubelet {
  readonly systemReserved?: StringMap;
  readonly kubeReserved?: StringMap;
  readonly evictionHard?: StringMap;
  readonly evictionSoft?: StringMap;
  readonly evictionSoftGracePeriod?: StringMap;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
}

/** The keys that mean something to us and not only to the kubelet (karpenter-aws §1.4). */
const managedKeys: readonly string[] = [
  "clusterDNS",
  "maxPods",
  "podsPerCore",
  "systemReserved",
  "kubeReserved",
  "evictionHard",
  "evictionSoft",
  "evictionSoftGracePeriod",
  "evictionMaxPodGracePeriod",
  "imageGCHighThresholdPercent",
  "imageGCLowThresholdPercent",
  "cpuCFSQuota",
];
export const managedKubeletKeys: ReadonlySet<string> = new Set(managedKeys);

const reservable = ["cpu", "memory", "ephemeral-storage", "pid"];
const evictionSignals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
];

/** The rules of an EC2NodeClass's kubelet settings (karpenter-aws §1.4). */
export function kubeletFaults(kubelet: Kubelet): readonly Fault[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  const crossed = high !== undefined && low !== undefined && high <= low;
  return [
    ...Object.keys(kubelet).flatMap((key) => fault([key], keyFault(key))),
    ...mapFaults("systemReserved", kubelet.systemReserved, reservable, reservedFault),
    ...mapFaults("kubeReserved", kubelet.kubeReserved, reservable, reservedFault),
    ...mapFaults("evictionHard", kubelet.evictionHard, evictionSignals, thresholdFault),
    ...mapFaults("evictionSoft", kubelet.evictionSoft, evictionSignals, thresholdFault),
    ...mapFaults("evictionSoftGracePeriod", kubelet.evictionSoftGracePeriod, evictionSignals, graceFault),
    ...unpairedFaults(kubelet),
    ...fault(["imageGCHighThresholdPercent"], crossed ? `more than imageGCLowThresholdPercent, ${low}` : undefined),
  ];
}

function keyFault(key: string): string | undefined {
  if (key === "registerWithTaints") return "taints in the NodePool's template instead";
  if (managedKubeletKeys.has(key)) return undefined;
  // Any other key goes to the kubelet as it is, but a misspelt managed one would be lost without a word.
  const meant = closestWord(key, managedKeys);
  return meant && `a kubelet setting; did you mean ${meant}?`;
}

function mapFaults(
  field: string,
  map: StringMap | undefined,
  keys: readonly string[],
  valueFault: (value: string) => string | undefined,
): readonly Fault[] {
  return Object.entries(map ?? {}).flatMap(([key, value]) =>
    keys.includes(key)
      ? fault([field, key], valueFault(value))
      : fault([field, key], `only ${keys.join(", ")}`, JSON.stringify(key)),
  );
}

function reservedFault(value: string): string | undefined {
  return quantity.safeParse(value).success ? undefined : "a non-negative quantity such as 100m or 256Mi";
}

function thresholdFault(value: string): string | undefined {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(value)?.[1];
  const sound = share === undefined ? quantity.safeParse(value).success : Number(share) <= 100;
  return sound ? undefined : "a quantity such as 100Mi, or a share from 0% to 100%";
}

function graceFault(value: string): string | undefined {
  return (parseDuration(value) ?? -1) >= 0 ? undefined : "a duration such as 1m30s";
}

/** A soft threshold and its grace period make sense only together. */
function unpairedFaults({ evictionSoft = {}, evictionSoftGracePeriod = {} }: Kubelet): readonly Fault[] {
  const lacking = (from: StringMap, field: string, other: StringMap, otherField: string) =>
    Object.keys(from)
      .filter((key) => !Object.hasOwn(other, key))
      .flatMap((key) => fault([field, key], `an entry for it in ${otherField} too`, JSON.stringify(key)));
  return [
    ...lacking(evictionSoft, "evictionSoft", evictionSoftGracePeriod, "evictionSoftGracePeriod"),
    ...lacking(evictionSoftGracePeriod, "evictionSoftGracePeriod", evictionSoft, "evictionSoft"),
  ];
}
