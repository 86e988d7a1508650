import { labelKeyFault, labelValueFault, restrictedLabelFault } from "./label-syntax.ts";
import { awsGroup, canonicalLabel, label } from "./labels.ts";
import { type Fault, fault } from "./rules.ts";

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/** Values that EC2 and Karpenter know for a key; others beside them are harmless, alone they match nothing. */
const knownValues: ReadonlyMap<string, readonly string[]> = new Map([
  [label.capacityType, ["spot", "on-demand", "reserved"]],
  [`${awsGroup}/instance-tenancy`, ["default", "dedicated"]],
]);

const numericOperators: ReadonlySet<string> = new Set(["Gt", "Lt", "Gte", "Lte"]);

/** The rules of a NodePool's requirement entry (karpenter-core §1.5, §1.6). */
export function nodePoolRequirementFaults(entry: Requirement): readonly Fault[] {
  const own = entry.key === label.nodePool ? "a key other than the NodePool's own label" : undefined;
  return [...fault(["key"], own), ...requirementFaults(entry)];
}

/** The rules of a NodeClaim's requirement entry: a NodePool's, but that it may name its NodePool (karpenter-core §1.2). */
export function requirementFaults(entry: Requirement): readonly Fault[] {
  const key = labelKeyFault(entry.key) ?? restrictedLabelFault(entry.key);
  return [...fault(["key"], key), ...valueFaults(entry), ...minValuesFaults(entry)];
}

function valueFaults(entry: Requirement): readonly Fault[] {
  const { operator, values = [] } = entry;
  if (numericOperators.has(operator)) {
    const sound = values.length === 1 && values.every((value) => /^\d+$/.test(value));
    return fault(["values"], sound ? undefined : `one integer of 0 or more, as ${operator} compares with`);
  }
  if (operator === "In" && values.length === 0) return fault(["values"], "at least one value, as the operator is In");
  const usable = usableValues(entry);
  if (operator === "In" && usable.length === 0) {
    const known = knownValues.get(canonicalLabel(entry.key))?.join(", ");
    return fault(["values"], `at least one of ${known}, as the key is ${entry.key}`);
  }
  return values.flatMap((value, index) => fault(["values", index], labelValueFault(value)));
}

function minValuesFaults(entry: Requirement): readonly Fault[] {
  const { operator, minValues } = entry;
  if (operator !== "In" || minValues === undefined) return [];
  const reachable = usableValues(entry).length;
  return fault(["minValues"], reachable < minValues ? `at most the number of usable values, ${reachable}` : undefined);
}

function usableValues({ key, values = [] }: Requirement): readonly string[] {
  const known = knownValues.get(canonicalLabel(key));
  return [...new Set(values)].filter((value) => known?.includes(value) ?? true);
}
