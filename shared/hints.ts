import * as z from "zod";

/**
 * A hint says "look there"; it is never trusted and never needed (design rule 1). `at` is when it was made, epoch milliseconds.
 * The queue it travels on follows from its kind (design §1).
 */
export const hint = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("provision"),
    reason: z.enum(["pods-pending", "node-leaving", "claim-unlaunched", "retry", "sweep"]),
    at: z.number(),
  }),
  z.object({ kind: z.literal("node"), name: z.string(), at: z.number() }),
  z.object({ kind: z.literal("node-claim"), name: z.string(), at: z.number() }),
  z.object({ kind: z.literal("node-pool"), name: z.string(), at: z.number() }),
  z.object({ kind: z.literal("instance-changed"), instanceId: z.string(), at: z.number() }),
  z.object({ kind: z.literal("lifecycle-sweep"), at: z.number() }),
  /** `step` is the counter the NodeClaim must stand at for this step to run (design rule 7). */
  z.object({ kind: z.literal("termination"), nodeClaim: z.string(), step: z.number().int(), at: z.number() }),
]);
export type Hint = z.infer<typeof hint>;
export type HintKind = Hint["kind"];

export type HintQueue = "provisioning" | "lifecycle" | "termination";

const queues: { readonly [K in HintKind]: HintQueue } = {
  provision: "provisioning",
  node: "lifecycle",
  "node-claim": "lifecycle",
  "node-pool": "lifecycle",
  "instance-changed": "lifecycle",
  "lifecycle-sweep": "lifecycle",
  termination: "termination",
};

export function queueOf(hint: Hint): HintQueue {
  return queues[hint.kind];
}

/** The webhook tells of it too, and no queue takes it: the bus invokes the catalog function, which looks at all classes. */
export interface NodeClassHint {
  readonly kind: "node-class";
  readonly name: string;
  readonly at: number;
}

/** What travels on the cluster's bus. */
export type BusHint = Hint | NodeClassHint;
