import { type Conversion, changed, dropped, moved, type Path, type Step } from "./conversion.ts";
import { awsGroup } from "./labels.ts";
import { isRawObject, textIn, valueIn, withoutValue, withValue } from "./raw-objects.ts";

const templateSpec: Path = ["spec", "template", "spec"];
const disruption: Path = ["spec", "disruption"];
const policy: Path = [...disruption, "consolidationPolicy"];
const consolidateAfter: Path = [...disruption, "consolidateAfter"];
const expireAfter: Path = [...templateSpec, "expireAfter"];

/** karpenter.sh NodePool to v1, after its version. Steps apply to v1 objects too: they often carry older fields. */
export const nodePoolSteps: readonly Step[] = [
  providerRefStep,
  providerStep(["spec", "provider"]),
  providerStep([...templateSpec, "provider"]),
  nodeClassRefStep([...templateSpec, "nodeClassRef"]),
  instanceFamilyStep([...templateSpec, "requirements"]),
  (pool) => moved(pool, [...disruption, "expireAfter"], expireAfter),
  (pool) => moved(pool, ["spec", "ttlSecondsUntilExpired"], expireAfter, seconds),
  emptinessStep,
  consolidationStep,
  policyStep,
  (pool) =>
    dropped(pool, [...disruption, "maxUnavailable"], "has no meaning; spec.disruption.budgets limits disruption"),
  (pool) => dropped(pool, [...templateSpec, "resources"], "has no effect on a NodePool"),
  kubeletStep,
];

/** karpenter.sh NodeClaim to v1, after its version. */
export const nodeClaimSteps: readonly Step[] = [
  nodeClassRefStep(["spec", "nodeClassRef"]),
  instanceFamilyStep(["spec", "requirements"]),
];

/** `apiVersion` instead of `group`, or parts left out: v1 wants group, kind and name. */
function nodeClassRefStep(path: Path): Step {
  return (conversion) => {
    const reference = valueIn(conversion.object, path);
    if (!isRawObject(reference)) return conversion;
    const group = reference.group ?? String(reference.apiVersion ?? awsGroup).split("/")[0];
    const kind = reference.kind ?? (group === awsGroup ? "EC2NodeClass" : undefined);
    if (group === reference.group && kind === reference.kind && reference.apiVersion === undefined) return conversion;
    const completed = { ...withoutValue(reference, ["apiVersion"]), group, ...(kind === undefined ? {} : { kind }) };
    const named = `group ${group}${kind === undefined ? "" : ` and kind ${kind}`}`;
    return changed(conversion, withValue(conversion.object, path, completed), `nodeClassRef is read with ${named}`);
  };
}

/** The Provisioner's reference to an AWSNodeTemplate: the class of the same name. */
function providerRefStep(conversion: Conversion): Conversion {
  const to = [...templateSpec, "nodeClassRef"];
  const asReference = (value: unknown) => ({
    group: awsGroup,
    kind: "EC2NodeClass",
    ...(isRawObject(value) ? { name: value.name } : {}),
  });
  const inTemplate = moved(conversion, [...templateSpec, "providerRef"], to, asReference);
  return moved(inTemplate, ["spec", "providerRef"], to, asReference);
}

/** The Provisioner's inline provider settings: they are a class's to hold. */
function providerStep(path: Path): Step {
  return (conversion) => {
    if (valueIn(conversion.object, path) === undefined) return conversion;
    const fault = { path, found: "inline provider settings", expected: "an EC2NodeClass that nodeClassRef names" };
    return {
      ...conversion,
      object: withoutValue(conversion.object, path),
      faults: [...conversion.faults, fault],
    };
  };
}

/** A key that never was a label of a node, but reads like one. */
function instanceFamilyStep(path: Path): Step {
  const [wrong, right] = ["node.kubernetes.io/instance-family", `${awsGroup}/instance-family`];
  return (conversion) => {
    const requirements = valueIn(conversion.object, path);
    const isWrong = (entry: unknown) => isRawObject(entry) && entry.key === wrong;
    if (!Array.isArray(requirements) || !requirements.some(isWrong)) return conversion;
    const renamed = requirements.map((entry: unknown) =>
      isRawObject(entry) && isWrong(entry) ? { ...entry, key: right } : entry,
    );
    return changed(conversion, withValue(conversion.object, path, renamed), `the key ${wrong} is read as ${right}`);
  };
}

/** `ttlSecondsAfterEmpty` meant: remove empty nodes, and only those, after so long. */
function emptinessStep(conversion: Conversion): Conversion {
  const ttl: Path = ["spec", "ttlSecondsAfterEmpty"];
  if (valueIn(conversion.object, ttl) === undefined) return conversion;
  const withDelay = moved(conversion, ttl, consolidateAfter, seconds);
  if (valueIn(withDelay.object, policy) !== undefined) return withDelay;
  return changed(withDelay, withValue(withDelay.object, policy, "WhenEmpty"), "consolidationPolicy is WhenEmpty");
}

/** The Provisioner's `consolidation.enabled`. */
function consolidationStep(conversion: Conversion): Conversion {
  const from: Path = ["spec", "consolidation", "enabled"];
  const enabled = valueIn(conversion.object, from);
  if (typeof enabled !== "boolean") return conversion;
  const object = withoutValue(conversion.object, ["spec", "consolidation"]);
  const [to, value] = enabled ? [policy, "WhenEmptyOrUnderutilized"] : [consolidateAfter, "Never"];
  const note = `${from.join(".")} is read as ${to.join(".")} ${value}`;
  if (valueIn(object, to) !== undefined)
    return changed(conversion, object, `${from.join(".")} is left out, as ${to.join(".")} is set`);
  return changed(conversion, withValue(object, to, value), note);
}

function policyStep(conversion: Conversion): Conversion {
  if (textIn(conversion.object, policy) !== "WhenUnderutilized") return conversion;
  const object = withValue(conversion.object, policy, "WhenEmptyOrUnderutilized");
  return changed(conversion, object, "consolidationPolicy WhenUnderutilized is read as WhenEmptyOrUnderutilized");
}

function kubeletStep(conversion: Conversion): Conversion {
  const path = [...templateSpec, "kubelet"];
  const settings = valueIn(conversion.object, path);
  if (!isRawObject(settings)) return conversion;
  const nodeClass = textIn(conversion.object, [...templateSpec, "nodeClassRef", "name"]) ?? "";
  const rest = withoutValue(conversion.object, path);
  const note = `${path.join(".")} is read as spec.kubelet of EC2NodeClass ${nodeClass}`;
  return { ...changed(conversion, rest, note), kubelet: { nodeClass, settings } };
}

/** Whole seconds as a duration; anything else stays, for the schema to refuse. */
function seconds(value: unknown): unknown {
  return typeof value === "number" ? `${value}s` : value;
}
