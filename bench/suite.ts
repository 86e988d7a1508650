import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { requirementEntry } from "../shared/api/node-pool.ts";

/** The suite of this repository. */
export const ownSuite = fileURLToPath(new URL("suite.json", import.meta.url));

/** How one amount of a pod's requests is drawn; in the unit of the field it stands in. */
const distribution = z.union([
  z.strictObject({ from: z.int().positive(), to: z.int().positive(), step: z.int().positive() }),
  z.strictObject({ oneOf: z.array(z.int().positive()).min(1) }),
  /** Log-normal, cut off at both ends. */
  z.strictObject({
    median: z.int().positive(),
    sigma: z.number().positive(),
    least: z.int().positive(),
    most: z.int().positive(),
  }),
]);
export type Distribution = z.infer<typeof distribution>;

const shape = z.strictObject({
  /** How often it is drawn, beside the others. */
  weight: z.int().positive().default(1),
  cpuMillis: distribution,
  memoryMib: distribution,
  gpus: z.int().positive().optional(),
});
export type Shape = z.infer<typeof shape>;

const spread = z.strictObject({ topologyKey: z.string(), maxSkew: z.int().positive() });
export type Spread = z.infer<typeof spread>;

const service = z.strictObject({
  name: z.string(),
  cpuMillis: z.int().positive(),
  memoryMib: z.int().positive(),
  spread: z.array(spread).optional(),
});

const workload = z
  .strictObject({
    name: z.string(),
    nodePools: z.array(z.string()).min(1).default(["general-purpose"]),
    /** Whether rules about where pods may lie take part: the figures are stated apart. */
    topology: z.boolean().default(false),
    /** Services in turn share the pods; each has one size. A list gives the services themselves. */
    services: z.union([
      z.strictObject({ most: z.int().positive(), podsEach: z.int().positive() }),
      z.literal("one for each pod"),
      z.array(service).min(1),
    ]),
    shapes: z.array(shape).default([]),
    /** Required spread of every service over these keys. */
    spread: z.array(spread).default([]),
  })
  .refine(({ services, shapes }) => Array.isArray(services) || shapes.length > 0, {
    error: "a workload that does not list its services needs shapes to draw their sizes from",
  });
export type Workload = z.infer<typeof workload>;

const suite = z
  .strictObject({
    seed: z.int().nonnegative(),
    sizes: z.array(z.int().positive()).min(1),
    markets: z.array(z.enum(["on-demand", "spot"])).min(1),
    nodePools: z.record(z.string(), z.array(requirementEntry)),
    workloads: z.array(workload).min(1),
  })
  .refine(({ nodePools, workloads }) => workloads.every((one) => one.nodePools.every((name) => name in nodePools)), {
    error: "a workload names a NodePool that nodePools does not have",
  });
export type Suite = z.infer<typeof suite>;

/** Reads a suite: workloads to be planned at several sizes in several markets. Exits with 2 and all problems if it is none. */
export function readSuite(file: string): Suite {
  try {
    return suite.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    console.error(`${file} is not a suite of workloads:\n${what}`);
    process.exit(2);
  }
}
