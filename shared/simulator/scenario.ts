import * as z from "zod";
import type { KubernetesObject } from "../api/kinds.ts";
import { type Fault, fault, withRule } from "../api/rules.ts";
import { parseDuration } from "../api/time.ts";
import {
  isKubernetesVersion,
  mostSlackPercent,
  oldestKubernetesVersion,
  regionPattern,
  type Settings,
} from "../state/settings.ts";

/** A story for the simulator, with its manifests read and its steps in order of time. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly durationSeconds: number;
  readonly settings: Partial<Settings>;
  /** In the cluster from the start. */
  readonly objects: readonly KubernetesObject[];
  readonly steps: readonly ScenarioStep[];
}

export interface ScenarioStep {
  /** After the start. */
  readonly atSeconds: number;
  readonly action: ScenarioAction;
}

export type ScenarioAction =
  /** Creates the objects, or replaces the spec of those that exist. */
  | { readonly do: "apply"; readonly objects: readonly KubernetesObject[] }
  | {
      readonly do: "scale";
      readonly kind: ScalableKind;
      readonly namespace: string;
      readonly name: string;
      readonly replicas: number;
    }
  | { readonly do: "delete"; readonly kind: string; readonly namespace?: string; readonly name: string }
  /** From now on each matching spot pool holds this many instances at once. */
  | {
      readonly do: "spotCapacity";
      readonly zone?: string;
      readonly instanceType?: string;
      readonly instances: number;
    }
  /** Notices to running spot instances: to so many, or to one node's. */
  | { readonly do: "interruptSpot"; readonly target: InstanceTarget }
  | { readonly do: "recommendRebalance"; readonly target: InstanceTarget }
  /** From now on this share (0 to 1) of all events is lost. */
  | { readonly do: "loseEvents"; readonly share: number }
  | { readonly do: "note"; readonly text: string };

export type InstanceTarget = { readonly count: number } | { readonly node: string };

const scalableKind = z.enum(["Deployment", "ReplicaSet", "StatefulSet"]);
export type ScalableKind = z.infer<typeof scalableKind>;

/** Time after the start: `90s`, `5m`, `1h30m`. */
const at = z
  .string()
  .refine((text) => (parseDuration(text) ?? -1) >= 0, "expected a time after the start such as 90s, 5m or 1h30m");
const objects = z.array(z.record(z.string(), z.unknown())).exactOptional();
/** Manifest files, relative to the scenario's own. */
const files = z.array(z.string()).exactOptional();
const count = z.number().int().min(1);
/** More than any cluster holds (Kubernetes supports 150,000). */
export const mostPods = 150_000;

const target = { at, do: z.string(), count: count.exactOptional(), node: z.string().exactOptional() };

/** The steps a scenario file may have, by the word after `do`. */
export const stepSchemas = {
  apply: withRule(z.strictObject({ at, do: z.literal("apply"), objects, files }), (step) =>
    fault([], step.objects || step.files ? undefined : "objects or files to apply", "neither"),
  ),
  /** Without a name, every workload of the kind; `factor` multiplies what its manifest asks for. */
  scale: withRule(
    z.strictObject({
      at,
      do: z.literal("scale"),
      kind: scalableKind,
      namespace: z.string().default("default"),
      name: z.string().exactOptional(),
      replicas: z.number().int().min(0).max(mostPods).exactOptional(),
      factor: z.number().min(0).max(mostPods).exactOptional(),
    }),
    ({ replicas, factor }) => exactlyOne({ replicas, factor }),
  ),
  delete: z.strictObject({
    at,
    do: z.literal("delete"),
    kind: z.string(),
    namespace: z.string().exactOptional(),
    name: z.string(),
  }),
  spotCapacity: z.strictObject({
    at,
    do: z.literal("spotCapacity"),
    zone: z.string().exactOptional(),
    instanceType: z.string().exactOptional(),
    instances: z.number().int().min(0),
  }),
  interruptSpot: withRule(z.strictObject({ ...target, do: z.literal("interruptSpot") }), oneTarget),
  recommendRebalance: withRule(z.strictObject({ ...target, do: z.literal("recommendRebalance") }), oneTarget),
  loseEvents: z.strictObject({ at, do: z.literal("loseEvents"), share: z.number().min(0).max(1) }),
  note: z.strictObject({ at, do: z.literal("note"), text: z.string() }),
} as const;
export type StepFile = z.infer<(typeof stepSchemas)[keyof typeof stepSchemas]>;

const nonEmpty = z.string().min(1, "expected a name that is not empty");
const whole = count.exactOptional();

/** A scenario file; its steps are looked at one by one, with {@link stepSchemas}. */
export const scenarioFile = z.strictObject({
  name: nonEmpty,
  description: z.string().default(""),
  durationSeconds: z
    .number()
    .positive()
    .max(7 * 24 * 3600),
  settings: z
    .strictObject({
      clusterName: nonEmpty.exactOptional(),
      region: z.string().regex(regionPattern, "expected an AWS region such as eu-central-1").exactOptional(),
      kubernetesVersion: z
        .string()
        .refine(isKubernetesVersion, `expected a minor version such as 1.34, from ${oldestKubernetesVersion} on`)
        .exactOptional(),
      batchIdleMilliseconds: whole,
      batchMaxMilliseconds: whole,
      maxNodes: whole,
      maxPriceUsdPerHour: z.number().positive().exactOptional(),
      maxLaunchesPerTenMinutes: whole,
      launchTimeoutSeconds: whole,
      registrationTimeoutSeconds: whole,
      initializationTimeoutSeconds: whole,
      spotSpreadShare: z.number().positive().max(1).exactOptional(),
      spotMinOfferings: whole,
      nominatePods: z.boolean().exactOptional(),
      packingSlackPercent: z.number().min(0).max(mostSlackPercent).exactOptional(),
      nodeChargeUsdPerHour: z.number().min(0).exactOptional(),
      volumePriceFactor: z.number().min(0).exactOptional(),
    })
    .default({}),
  objects,
  files,
  steps: z.array(z.unknown()).default([]),
});
export type ScenarioFile = z.infer<typeof scenarioFile>;

function oneTarget({ count, node }: { readonly count?: number; readonly node?: string }): readonly Fault[] {
  return exactlyOne({ count, node });
}

function exactlyOne(fields: Readonly<Record<string, unknown>>): readonly Fault[] {
  const given = Object.keys(fields).filter((field) => fields[field] !== undefined);
  const expected = `either ${Object.keys(fields).join(" or ")}`;
  return fault([], given.length === 1 ? undefined : expected, given.length === 0 ? "neither" : given.join(" and "));
}
