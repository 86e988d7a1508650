import { type Fault, fault } from "./rules.ts";

/** The API server's rule on how many values a selector's operator takes. */
export function selectorEntryFaults(entry: {
  readonly operator: string;
  readonly values?: readonly string[];
}): readonly Fault[] {
  const { operator, values = [] } = entry;
  switch (operator) {
    case "In":
    case "NotIn":
      return fault(["values"], values.length > 0 ? undefined : `at least one value, as the operator is ${operator}`);
    case "Exists":
    case "DoesNotExist":
      return fault(["values"], values.length === 0 ? undefined : `no values, as the operator is ${operator}`);
    default:
      return fault(["values"], values.length === 1 ? undefined : `one value, as the operator is ${operator}`);
  }
}

/** The API server's rules on which parts of a toleration go together. */
export function tolerationFaults(toleration: {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}): readonly Fault[] {
  const { key = "", operator = "Equal", value = "", effect, tolerationSeconds } = toleration;
  const timed = tolerationSeconds !== undefined && effect !== "NoExecute";
  return [
    ...fault(["operator"], key === "" && operator !== "Exists" ? "Exists, as there is no key" : undefined),
    ...fault(["value"], operator === "Exists" && value !== "" ? "no value, as the operator is Exists" : undefined),
    ...fault(["effect"], timed ? "NoExecute, as there are tolerationSeconds" : undefined),
  ];
}
