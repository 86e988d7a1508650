import { cronFault } from "./cron-syntax.ts";
import { labelKeyFault, labelValueFault, restrictedLabelFault } from "./label-syntax.ts";
import { label } from "./labels.ts";
import { duplicates, type Fault, fault } from "./rules.ts";

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** The labels a NodePool may put on its nodes (karpenter-core §1.1, §1.6). */
export function nodePoolLabelFaults(labels: Readonly<Record<string, string>>): readonly Fault[] {
  const entries = Object.entries(labels);
  const own = (key: string) => (key === label.nodePool ? "a label that Karpenter does not set itself" : undefined);
  return [
    ...fault([], entries.length > 100 ? "at most 100 labels" : undefined, `${entries.length} labels`),
    ...entries.flatMap(([key, value]) => [
      ...fault([key], labelKeyFault(key) ?? own(key) ?? restrictedLabelFault(key), JSON.stringify(key)),
      ...fault([key], labelValueFault(value)),
    ]),
  ];
}

/** Syntax of a taint's key and value. */
export function taintFaults({ key, value = "" }: Taint): readonly Fault[] {
  return [...fault(["key"], labelKeyFault(key)), ...fault(["value"], labelValueFault(value))];
}

/** No key and effect twice among a template's taints and startup taints together. */
export function duplicateTaintFaults(template: {
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
}): readonly Fault[] {
  const placed = (["taints", "startupTaints"] as const).flatMap((field) =>
    (template[field] ?? []).map((taint, index) => ({ taint, path: [field, index] })),
  );
  const identity = ({ key, effect }: Taint) => `${key}:${effect}`;
  return duplicates(placed, ({ taint }) => identity(taint)).flatMap((index) => {
    const repeated = placed[index];
    return repeated === undefined
      ? []
      : fault(
          repeated.path,
          "each key and effect once in taints and startupTaints",
          `${identity(repeated.taint)} again`,
        );
  });
}

/** A budget's window: a schedule and a duration belong together (karpenter-core §1.1). */
export function budgetFaults(budget: { readonly schedule?: string; readonly duration?: string }): readonly Fault[] {
  const { schedule, duration } = budget;
  const together = "schedule and duration together, or neither";
  return [
    ...fault(["schedule"], schedule === undefined && duration !== undefined ? together : undefined),
    ...fault(["duration"], schedule !== undefined && duration === undefined ? together : undefined),
    ...fault(["schedule"], schedule === undefined ? undefined : cronFault(schedule)),
  ];
}

/** A static pool (`replicas`) has no weight, and no limit but `nodes`. */
export function staticPoolFaults(spec: {
  readonly replicas?: number;
  readonly weight?: number;
  readonly limits?: Readonly<Record<string, string>>;
}): readonly Fault[] {
  if (spec.replicas === undefined) return [];
  const others = Object.keys(spec.limits ?? {}).filter((resource) => resource !== "nodes");
  return [
    ...fault(["weight"], spec.weight === undefined ? undefined : "no weight, as replicas is set"),
    ...others.flatMap((resource) => fault(["limits", resource], 'only the limit "nodes", as replicas is set')),
  ];
}

interface Identity {
  readonly template: { readonly spec: { readonly nodeClassRef: { readonly group: string; readonly kind: string } } };
  readonly replicas?: number;
}

/** What an update may not change of a NodePool's spec: the kind of its class, and whether it is static (karpenter-core §1.1). */
export function nodePoolUpdateFaults(before: Identity, after: Identity): readonly Fault[] {
  const path = ["template", "spec", "nodeClassRef"];
  const [old, now] = [before, after].map(({ template }) => template.spec.nodeClassRef);
  const changed = (["group", "kind"] as const).filter((field) => old?.[field] !== now?.[field]);
  const becameOther = (before.replicas === undefined) !== (after.replicas === undefined);
  return [
    ...changed.flatMap((field) => fault([...path, field], `${old?.[field]}, as it is immutable`, now?.[field])),
    ...fault(["replicas"], becameOther ? "neither to appear nor to go, as a static NodePool stays one" : undefined),
  ];
}
