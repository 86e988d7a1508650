import type { Container, PodSpec } from "../shared/api/core.ts";
import { type LimitRange, limitRangesOf, withLimitRanges } from "../shared/api/limit-range.ts";
import { parseQuantity } from "../shared/api/quantity.ts";
import { someOf } from "./wording.ts";
import type { PlacedPod } from "./workload-demand.ts";

/** One note for each workload or pod that a LimitRange would keep out of the cluster, although it is planned (kubernetes LimitRanger). */
export function limitRangeNotes(pods: readonly PlacedPod[], limitRanges: readonly LimitRange[]): readonly string[] {
  if (limitRanges.length === 0) return [];
  const looked = new Map<string, readonly string[]>();
  for (const { pod, isAdmitted } of pods) {
    const { namespace = "default", name, ownerReferences: [owner] = [] } = pod.metadata;
    const title = owner === undefined ? `Pod ${namespace}/${name}` : `${owner.kind} ${namespace}/${owner.name}`;
    if (isAdmitted || looked.has(title)) continue;
    looked.set(title, excesses(pod.spec, limitRangesOf(namespace, limitRanges)));
  }
  return [...looked]
    .filter(([, found]) => found.length > 0)
    .map(([title, found]) => `${title}: an API server would refuse it: ${someOf(found)}`);
}

function excesses(spec: PodSpec, limitRanges: readonly LimitRange[]): readonly string[] {
  const filled = withLimitRanges(spec, limitRanges);
  const containers = [...(filled.initContainers ?? []), ...filled.containers];
  return limitRanges.flatMap(({ metadata: { name }, spec: { limits } }) =>
    limits
      .filter(({ type }) => type === "Container")
      .flatMap(({ max = {} }) => Object.entries(max))
      .flatMap(([resource, max]) => containers.flatMap((container) => excess(container, resource, max)))
      .map((text) => `${text} of LimitRange ${name}`),
  );
}

/** What a container asks for beyond the most that it may, the limit before the request. */
function excess({ name = "", resources = {} }: Container, resource: string, max: string): readonly string[] {
  const found = (["limits", "requests"] as const).find((field) => {
    const amount = resources[field]?.[resource];
    return amount !== undefined && parseQuantity(amount) > parseQuantity(max);
  });
  if (found === undefined) return [];
  return [`${found}.${resource} of container ${name} is ${resources[found]?.[resource]}, above the max ${max}`];
}
