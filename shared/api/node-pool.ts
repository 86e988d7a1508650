import * as z from "zod";
import {
  budgetFaults,
  duplicateTaintFaults,
  nodePoolLabelFaults,
  staticPoolFaults,
  taintFaults,
} from "./node-pool-validation.ts";
import { nodePoolRequirementFaults } from "./requirement-validation.ts";
import { type Fault, withRule } from "./rules.ts";
import { condition, objectMeta, resourceList, stringMap, taint } from "./schema.ts";

/** A Karpenter requirement entry: a node selector requirement that may ask for a number of distinct values. */
export const requirementEntry = z.strictObject({
  key: z.string(),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]),
  values: z.array(z.string()).exactOptional(),
  minValues: z.number().int().min(1).max(50).exactOptional(),
});
export type RequirementEntry = z.infer<typeof requirementEntry>;

const nonEmpty = z.string().min(1, "expected a name that is not empty");

export const nodeClassReference = z.strictObject({
  group: z.string().regex(/^[^/]+$/, "expected an API group without a version, such as karpenter.k8s.aws"),
  kind: nonEmpty,
  name: nonEmpty,
});
export type NodeClassReference = z.infer<typeof nodeClassReference>;

/** Go duration of hours, minutes and seconds, or `Never`. */
export const durationOrNever = z
  .string()
  .regex(/^(([0-9]+(s|m|h))+|Never)$/, 'expected a duration such as 720h, or "Never"');
/** Go duration of hours, minutes and seconds. */
export const duration = z.string().regex(/^([0-9]+(s|m|h))+$/, "expected a duration such as 30m or 1h30m");

const disruptionReason = z.enum(["Underutilized", "Empty", "Drifted", "Unhealthy"]);
export type DisruptionReason = z.infer<typeof disruptionReason>;

const budgetWindow = z
  .string()
  .regex(/^([0-9]+h([0-9]+m)?|[0-9]+m)(0s)?$/, "expected hours and minutes such as 8h, 30m or 1h30m");

const budget = z.strictObject({
  nodes: z
    .string()
    .regex(/^((100|[0-9]{1,2})%|[0-9]+)$/, 'expected a count such as "5" or a share such as "10%"')
    .default("10%"),
  reasons: z.array(disruptionReason).max(50).exactOptional(),
  schedule: z.string().exactOptional(),
  duration: budgetWindow.exactOptional(),
});
export type Budget = z.infer<typeof budget>;

/** {@link withRule}, or a stand-in that leaves the rule out. */
type Ruling = <S extends z.ZodType>(schema: S, rule: (value: z.output<S>) => readonly Fault[]) => S;

/**
 * A NodePool as a cluster holds it. The CRD admits more than makes sense: what breaks a rule beyond types stays in sight, so that its
 * status can say so; see `nodePoolFaults`.
 */
export const nodePool = nodePoolSchema((schema) => schema);
export type NodePool = z.infer<typeof nodePool>;

/** A NodePool that keeps all rules of Karpenter's CRD and of its controllers: what files must hold. */
export const soundNodePool = nodePoolSchema(withRule);

function nodePoolSchema(ruled: Ruling) {
  return z.strictObject({
    apiVersion: z.literal("karpenter.sh/v1"),
    kind: z.literal("NodePool"),
    metadata: objectMeta,
    spec: ruled(
      z.strictObject({
        template: templateSchema(ruled),
        disruption: disruptionSchema(ruled),
        limits: resourceList.exactOptional(),
        weight: z.number().int().min(1).max(100).exactOptional(),
        // The scale subresource, which `kubectl scale` writes, has 32 bits.
        replicas: z.number().int().min(0).max(2_147_483_647).exactOptional(),
      }),
      staticPoolFaults,
    ),
    status: z
      .object({
        resources: resourceList.exactOptional(),
        nodes: z.number().exactOptional(),
        nodeClassObservedGeneration: z.number().exactOptional(),
        conditions: z.array(condition).exactOptional(),
      })
      .exactOptional(),
  });
}

function templateSchema(ruled: Ruling) {
  const templateTaints = z.array(ruled(taint, taintFaults));
  return z.strictObject({
    metadata: z
      .strictObject({
        labels: ruled(stringMap, nodePoolLabelFaults).exactOptional(),
        annotations: stringMap.exactOptional(),
      })
      .exactOptional(),
    spec: ruled(
      z.strictObject({
        nodeClassRef: nodeClassReference,
        requirements: z.array(ruled(requirementEntry, nodePoolRequirementFaults)).max(100),
        taints: templateTaints.exactOptional(),
        startupTaints: templateTaints.exactOptional(),
        expireAfter: durationOrNever.default("720h"),
        terminationGracePeriod: duration.exactOptional(),
      }),
      duplicateTaintFaults,
    ),
  });
}

function disruptionSchema(ruled: Ruling) {
  const disruption = z.strictObject({
    consolidateAfter: durationOrNever.default("0s"),
    consolidationPolicy: z
      .enum(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"])
      .default("WhenEmptyOrUnderutilized"),
    budgets: z
      .array(ruled(budget, budgetFaults))
      .max(50)
      .default(() => [{ nodes: "10%" }]),
  });
  return disruption.default(() => disruption.parse({}));
}
