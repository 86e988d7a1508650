import { awsGroup, group, label, wellKnownLabels } from "../labels.ts";
import type { CelRule, Fields } from "./structural-schema.ts";

/** Karpenter's labels that are ours to set; their lengths are left to the controller, as Karpenter leaves them (karpenter-core §1.6). */
const ownLabels = [label.capacityType, label.nodePool];
const awsLabels = [...wellKnownLabels].filter((key) => key.startsWith(`${awsGroup}/`)).sort();
/** What no instance type has before it is launched (karpenter-aws §2.4). */
const launchLabels = /\/(instance-tenancy|capacity-reservation-|placement-group-)/;
const typeLabels = awsLabels.filter((key) => !launchLabels.test(key));

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const name = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";
const qualifiedName = `^(${subdomain}/)?${name}$`;

/** Rules for a key; `key` is how CEL calls it. */
function restrictedDomains(key: string, aws: readonly string[]): readonly CelRule[] {
  const inDomain = (domain: string, except: readonly string[]) => ({
    rule: `${key} in ${JSON.stringify(except)} || !${key}.split('/')[0].endsWith('${domain}')`,
    message: `the domain ${domain} has no such label that may be set`,
  });
  return [
    inDomain(group, ownLabels),
    inDomain(awsGroup, aws),
    { rule: `${key} != '${label.hostname}'`, message: `${label.hostname} names one node and may not be set` },
  ];
}

const notNodePool = (key: string): CelRule => ({
  rule: `${key} != '${label.nodePool}'`,
  message: `${label.nodePool} is set by the controller`,
});

/** Requirement entries at `path` (karpenter-core §1.5). */
export function requirementFields(path: string, of: "NodePool" | "NodeClaim" | "NodeOverlay"): Fields {
  const isOverlay = of === "NodeOverlay";
  const keyRules = restrictedDomains("self", isOverlay ? typeLabels : awsLabels);
  return {
    [path]: {
      description: "What instance types, zones and capacity types must be like: all entries hold.",
      keywords: { "x-kubernetes-list-type": "atomic", maxItems: 100 },
      rules: [...operandRules(isOverlay), ...(isOverlay ? [] : [reachableMinValues])],
    },
    [`${path}[]`]: { description: "A requirement on one label." },
    [`${path}[].key`]: {
      description: "The label.",
      keywords: { maxLength: 316, pattern: qualifiedName },
      rules: of === "NodePool" ? [...keyRules, notNodePool("self")] : keyRules,
    },
    [`${path}[].operator`]: {
      description: "How the label compares with the values. Gt, Lt, Gte and Lte compare with one whole number.",
    },
    [`${path}[].values`]: {
      description: "What the label is compared with; none for Exists and DoesNotExist.",
      keywords: { "x-kubernetes-list-type": "atomic" },
    },
    ...(!isOverlay && {
      [`${path}[].minValues`]: { description: "How many distinct values a node must be able to choose from." },
    }),
  };
}

function operandRules(isOverlay: boolean): readonly CelRule[] {
  const sets = isOverlay ? ["In", "NotIn"] : ["In"];
  return [
    {
      rule: `self.all(r, !(r.operator in ${JSON.stringify(sets)}) || has(r.values) && size(r.values) > 0)`,
      message: `the operator ${sets.join(" or ")} needs at least one value`,
    },
    {
      rule: 'self.all(r, !(r.operator in ["Gt", "Lt", "Gte", "Lte"]) || has(r.values) && size(r.values) == 1 && int(r.values[0]) >= 0)',
      message: "the operators Gt, Lt, Gte and Lte need one value, a whole number of 0 or more",
    },
  ];
}

const reachableMinValues: CelRule = {
  rule: 'self.all(r, r.operator != "In" || !has(r.minValues) || has(r.values) && size(r.values) >= r.minValues)',
  message: "with the operator In, minValues is at most the number of values",
};

/** Taints at `path`. */
export function taintFields(path: string, description: string): Fields {
  return {
    [path]: { description, keywords: { "x-kubernetes-list-type": "atomic" } },
    [`${path}[]`]: { description: "A taint, as nodes carry it." },
    [`${path}[].key`]: { description: "The taint's key.", keywords: { minLength: 1, pattern: qualifiedName } },
    [`${path}[].value`]: { description: "The taint's value.", keywords: { pattern: qualifiedName } },
    [`${path}[].effect`]: { description: "What becomes of pods that do not tolerate the taint." },
    [`${path}[].timeAdded`]: { description: "When the taint was added.", keywords: { format: "date-time" } },
  };
}

/** A NodePool's template labels at `path` (karpenter-core §1.1). */
export function labelFields(path: string): Fields {
  const rules = [...restrictedDomains("key", awsLabels), notNodePool("key")];
  return {
    [path]: {
      description: "Labels of the nodes, and requirements of the same meaning.",
      keywords: { "x-kubernetes-map-type": "atomic", maxProperties: 100 },
      rules: rules.map(({ rule, message }) => ({ rule: `self.all(key, ${rule})`, message })),
    },
    [`${path}{}`]: { keywords: { maxLength: 63, pattern: `^(${name})?$` } },
  };
}

/** The reference to a class at `path`; a NodePool's keeps its kind. */
export function classFields(path: string, rules: readonly CelRule[] = []): Fields {
  return {
    [path]: { description: "The class that says how nodes are made at the provider.", rules },
    [`${path}.group`]: { description: "The class's API group, without a version." },
    [`${path}.kind`]: { description: "The class's kind." },
    [`${path}.name`]: { description: "The class's name." },
  };
}

export const immutableClassKind: readonly CelRule[] = ["group", "kind"].map((field) => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `nodeClassRef.${field} is immutable`,
}));

/** Conditions, merged by their types. */
export const conditionFields: Fields = {
  status: { description: "What the controllers found." },
  "status.conditions": {
    description: "Whether the object is ready, and what keeps it from being so.",
    keywords: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
  },
  "status.conditions[].message": { keywords: { maxLength: 32_768 } },
  "status.conditions[].reason": { keywords: { maxLength: 1_024 } },
  "status.conditions[].type": { keywords: { maxLength: 316 } },
};
