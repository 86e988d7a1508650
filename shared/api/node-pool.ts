import * as z from "zod";
import {
  budgetFaults,
  duplicateTaintFaults,
  nodePoolLabelFaults,
  staticPoolFaults,
  taintFaults,
} from "./node-pool-validation.ts";
import { nodePoolRequirementFaults } from "./requirement-validation.ts";
import { withRule } from "./rules.ts";
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
const duration = z.string().regex(/^([0-9]+(s|m|h))+$/, "expected a duration such as 30m or 1h30m");

const disruptionReason = z.enum(["Underutilized", "Empty", "Drifted"]);
export type DisruptionReason = z.infer<typeof disruptionReason>;

const budgetWindow = z
  .string()
  .regex(/^([0-9]+h([0-9]+m)?|[0-9]+m)(0s)?$/, "expected hours and minutes such as 8h, 30m or 1h30m");

const budget = withRule(
  z.strictObject({
    nodes: z
      .string()
      .regex(/^((100|[0-9]{1,2})%|[0-9]+)$/, 'expected a count such as "5" or a share such as "10%"')
      .default("10%"),
    reasons: z.array(disruptionReason).max(50).exactOptional(),
    schedule: z.string().exactOptional(),
    duration: budgetWindow.exactOptional(),
  }),
  budgetFaults,
);
export type Budget = z.infer<typeof budget>;

const disruption = z.strictObject({
  consolidateAfter: durationOrNever.default("0s"),
  consolidationPolicy: z
    .enum(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"])
    .default("WhenEmptyOrUnderutilized"),
  budgets: z
    .array(budget)
    .max(50)
    .default(() => [{ nodes: "10%" }]),
});

const templateTaints = z.array(withRule(taint, taintFaults));

const nodeClaimTemplate = z.strictObject({
  metadata: z
    .strictObject({
      labels: withRule(stringMap, nodePoolLabelFaults).exactOptional(),
      annotations: stringMap.exactOptional(),
    })
    .exactOptional(),
  spec: withRule(
    z.strictObject({
      nodeClassRef: nodeClassReference,
      requirements: z.array(withRule(requirementEntry, nodePoolRequirementFaults)).max(100),
      taints: templateTaints.exactOptional(),
      startupTaints: templateTaints.exactOptional(),
      expireAfter: durationOrNever.default("720h"),
      terminationGracePeriod: duration.exactOptional(),
    }),
    duplicateTaintFaults,
  ),
});

export const nodePool = z.strictObject({
  apiVersion: z.literal("karpenter.sh/v1"),
  kind: z.literal("NodePool"),
  metadata: objectMeta,
  spec: withRule(
    z.strictObject({
      template: nodeClaimTemplate,
      disruption: disruption.default(() => disruption.parse({})),
      limits: resourceList.exactOptional(),
      weight: z.number().int().min(1).max(100).exactOptional(),
      replicas: z.number().int().min(0).exactOptional(),
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
export type NodePool = z.infer<typeof nodePool>;
