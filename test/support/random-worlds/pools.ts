import fc from "fast-check";
import { label } from "../../../shared/api/labels.ts";
import type { NodePool } from "../../../shared/api/node-pool.ts";
import type { DaemonSet } from "../../../shared/api/workloads.ts";
import type { Catalog, UnavailableOffering } from "../../../shared/cloud/catalog.ts";
import { catalogOf } from "../catalog.ts";
import { daemonSetNamed } from "../cluster-objects.ts";
import { nodePool, oneOf } from "../node-pools.ts";
import { custom } from "./pod-rules.ts";
import { taint } from "./workloads.ts";

const pool = fc.record({
  weight: fc.constantFrom(1, 1, 10),
  limits: fc.constantFrom(undefined, undefined, { cpu: "10" }, { nodes: "2" }, { memory: "40Gi" }),
  zones: fc.constantFrom(undefined, undefined, ["a"], ["a", "b"]),
  taints: fc.constantFrom([], [], [taint]),
  startupTaints: fc.constantFrom([], [{ key: "starting", effect: "NoExecute" } as const]),
  team: fc.constantFrom(undefined, undefined, ["x"], ["x", "y"]),
  label: fc.boolean(),
});

/** `minValues` asks for more than one instance type in some pools. */
export function nodePools(options: { readonly minValues: boolean }): fc.Arbitrary<readonly NodePool[]> {
  const minValues = options.minValues ? fc.constantFrom(undefined, 1, 2, 4) : fc.constant(undefined);
  return fc
    .array(fc.tuple(pool, minValues), { minLength: 1, maxLength: 3 })
    .map((inputs) => inputs.map(([input, least], index) => poolOf(input, least, index)));
}

type PoolInput = typeof pool extends fc.Arbitrary<infer T> ? T : never;

function poolOf({ zones, team, limits, ...input }: PoolInput, minValues: number | undefined, index: number): NodePool {
  const types = minValues === undefined ? [] : [{ key: label.instanceType, operator: "Exists" as const, minValues }];
  const asLabel = input.label && team?.length === 1;
  return nodePool(`pool-${index}`, {
    ...input,
    ...(limits && { limits }),
    ...(asLabel && { labels: { [custom]: team[0] ?? "" } }),
    requirements: [
      ...(zones ? [oneOf(label.zone, ...zones)] : []),
      ...(team && !asLabel ? [oneOf(custom, ...team)] : []),
      ...types,
    ],
  });
}

const spotCatalog = catalogOf({
  "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { a: 0.03, b: 0.04, c: 0.06 } },
  "c5.xlarge": { vcpus: 4, memoryGib: 8, priceUsdPerHour: 0.17, spot: { a: 0.09, b: 0.05 } },
  "r5.2xlarge": { vcpus: 8, memoryGib: 64, priceUsdPerHour: 0.5, spot: { b: 0.12, c: 0.11 }, zones: ["b", "c"] },
  "t3.small": { vcpus: 2, memoryGib: 2, priceUsdPerHour: 0.02, pods: 8 },
  "m6g.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.08, arch: "arm64" },
});

export const catalogs: fc.Arbitrary<Catalog> = fc.constantFrom(catalogOf(), spotCatalog);

/** Marks of a moment after which all of them are in force. */
export const unavailable: fc.Arbitrary<readonly UnavailableOffering[]> = fc.array(
  fc.record({
    instanceType: fc.constantFrom("m5.large", "c5.xlarge", "*"),
    zone: fc.constantFrom("a", "b", "*"),
    capacityType: fc.constantFrom("spot", "on-demand"),
    untilAt: fc.constantFrom(1_000, 0),
    times: fc.constant(1),
    code: fc.constant("InsufficientInstanceCapacity"),
  }),
  { maxLength: 1 },
);

export const daemonSets: fc.Arbitrary<readonly DaemonSet[]> = fc.subarray([
  daemonSetNamed("agent", { cpu: "100m", memory: "64Mi" }),
  daemonSetNamed("in-a", { cpu: "300m", spec: { nodeSelector: { [label.zone]: "a" } } }),
  daemonSetNamed("everywhere", { cpu: "200m", spec: { tolerations: [{ operator: "Exists" }] } }),
  daemonSetNamed("web", {
    spec: { containers: [{ ports: [{ hostPort: 80, hostIP: "10.0.0.1" }], resources: { requests: { cpu: "50m" } } }] },
  }),
]);
