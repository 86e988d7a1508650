import * as z from "zod";
import { labelKeyFault } from "./label-syntax.ts";
import { duplicates, fault, withRule } from "./rules.ts";

const constraint = withRule(
  z.strictObject({
    maxSkew: z.number().int().min(1),
    topologyKey: z.string(),
    whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
    minDomains: z.number().int().min(1).exactOptional(),
    nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).exactOptional(),
    nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).exactOptional(),
  }),
  ({ topologyKey, minDomains, whenUnsatisfiable }) => [
    ...fault(["topologyKey"], labelKeyFault(topologyKey)),
    ...fault(
      ["minDomains"],
      minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule"
        ? "no minDomains, as whenUnsatisfiable is not DoNotSchedule"
        : undefined,
    ),
  ],
);

const constraints = withRule(z.array(constraint), (list) =>
  duplicates(list, ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`).flatMap((index) =>
    fault([index], "each pair of topologyKey and whenUnsatisfiable once"),
  ),
);

/**
 * Karpenter's scheduler configuration, as far as there is one: the spread of pods that ask for none (karpenter-core §5). Selectors are
 * each workload's own, so that no constraint may have one. Unknown fields are refused: a default that is misspelt would do nothing.
 */
export const schedulerConfig = z.strictObject({
  podTopologySpread: z.strictObject({ defaultConstraints: constraints }),
});

export type DefaultSpreadConstraint = z.infer<typeof constraint>;
