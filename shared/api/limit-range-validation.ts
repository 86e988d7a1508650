import type { LimitRange } from "./limit-range.ts";
import { parseQuantity } from "./quantity.ts";
import { type Fault, fault, within } from "./rules.ts";
import type { ResourceList } from "./schema.ts";

type Limits = LimitRange["spec"]["limits"][number];

const types: readonly string[] = ["Container", "Pod", "PersistentVolumeClaim"];

/** Each may be no more than those after it. */
const ascending = ["min", "defaultRequest", "default", "max"] as const;

/** What an API server would refuse of a LimitRange (kubernetes pkg/apis/core/validation), with paths from the object. */
export function limitRangeFaults({ spec }: LimitRange): readonly Fault[] {
  return spec.limits.flatMap((limits, index) => within(["spec", "limits", index], limitFaults(limits)));
}

function limitFaults(limits: Limits): readonly Fault[] {
  const known = types.includes(limits.type) || limits.type.includes("/");
  const crossed = ascending.flatMap((name, index) =>
    ascending.slice(index + 1).flatMap((upper) => boundFaults(name, limits[name], upper, limits[upper])),
  );
  return [...fault(["type"], known ? undefined : `one of ${types.join(", ")}`), ...crossed];
}

function boundFaults(
  name: string,
  amounts: ResourceList = {},
  upperName: string,
  uppers: ResourceList = {},
): readonly Fault[] {
  return Object.entries(amounts).flatMap(([resource, amount]) => {
    const upper = uppers[resource];
    const above = upper !== undefined && parseQuantity(amount) > parseQuantity(upper);
    return fault([name, resource], above ? `at most its ${upperName}, ${upper}` : undefined);
  });
}
