import { awsGroup, canonicalLabel } from "./labels.ts";
import type { NodeOverlay } from "./node-overlay.ts";
import { describeValue, formatPath } from "./problems.ts";
import { valueIn } from "./raw-objects.ts";
import { requirementFaults } from "./requirement-validation.ts";
import { type Fault, fault, within } from "./rules.ts";

/** What kubelets and the class decide of a node; an overlay speaks of extended resources. */
const ownResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage", "pods"]);

/** Labels of the single launch, which no instance type has beforehand (karpenter-aws §2.4). */
const launchLabels = /^(instance-tenancy|capacity-reservation-|placement-group-)/;

/** The rules of a NodeOverlay beyond types: those of Karpenter's CRD and of its controller (karpenter-core §1.3). */
export function nodeOverlayFaults({ spec }: Pick<NodeOverlay, "spec">): readonly Fault[] {
  const both = spec.price !== undefined && spec.priceAdjustment !== undefined;
  const faults = [
    ...spec.requirements.flatMap((entry, index) => within(["requirements", index], overlayRequirementFaults(entry))),
    ...fault(["price"], priceFault(spec.price)),
    ...fault(["priceAdjustment"], priceFault(spec.priceAdjustment)),
    ...fault(["priceAdjustment"], both ? "price or priceAdjustment, not both" : undefined),
    ...Object.keys(spec.capacity ?? {}).flatMap((resource) =>
      fault(["capacity", resource], ownResources.has(resource) ? "extended resources only" : undefined),
    ),
  ];
  return within(["spec"], faults);
}

/** Sums of what is more would not be numbers any longer. */
const highestPrice = 1_000_000_000;

function priceFault(text = "0"): string | undefined {
  return Math.abs(Number.parseFloat(text)) > highestPrice ? `a number of at most ${highestPrice}` : undefined;
}

/** The rules that an overlay of a cluster breaks, though the CRD let it in: a text each. */
export function nodeOverlayProblems(overlay: NodeOverlay): readonly string[] {
  return nodeOverlayFaults(overlay).map(
    ({ path, expected, found }) =>
      `${formatPath(path)}: found ${found ?? describeValue(valueIn(overlay, path))}, expected ${expected}`,
  );
}

/** A NodeClaim's rules, and values for NotIn as well; the NodePool may be named. */
function overlayRequirementFaults(entry: NodeOverlay["spec"]["requirements"][number]): readonly Fault[] {
  const { key, operator, values = [] } = entry;
  const name = canonicalLabel(key).startsWith(`${awsGroup}/`) ? key.slice(awsGroup.length + 1) : "";
  const ofLaunch = launchLabels.test(name) ? "a label that instance types have before they are launched" : undefined;
  const excludesNothing = operator === "NotIn" && values.length === 0;
  return [
    ...fault(["key"], ofLaunch),
    ...fault(["values"], excludesNothing ? "at least one value, as the operator is NotIn" : undefined),
    ...requirementFaults(entry),
  ];
}
