import { expect } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import type { RequirementEntry } from "../../../shared/api/node-pool.ts";
import { conforms } from "../../support/conformance.ts";
import { fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { awayFrom, near, pendingPod, pendingPods, preferring, spread } from "../../support/pods.ts";

const little = { cpu: "100m", memory: "10Mi" };
const soft = { key: "dedicated", value: "x", effect: "PreferNoSchedule" } as const;

function preferringNodes(...terms: readonly (readonly [key: string, value: string])[]): Partial<PodSpec> {
  const preferred = terms.map(([key, value], index) => ({
    weight: 100 - index,
    preference: { matchExpressions: [{ key, operator: "In" as const, values: [value] }] },
  }));
  return { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
}

conforms(
  "prov.fallback | PreferNoSchedule only tolerated after affinity relaxations | scheduled on tainted pool",
  () => {
    const pod = pendingPod("p", { ...little, spec: preferringNodes(["invalid", "x"], [label.zone, "unknown"]) });
    const { nodes, unscheduled } = solve({ pods: [pod], pools: [nodePool("tainted", { taints: [soft] })] });
    expect(unscheduled).toEqual([]);
    expect(nodes.map(({ pool }) => pool)).toEqual(["tainted"]);
    // A pool without the taint is worth giving up the affinity for.
    const pools = [
      nodePool("tainted", { taints: [soft], requirements: [oneOf(label.zone, "b")] }),
      nodePool("plain", { requirements: [oneOf(label.zone, "a")] }),
    ];
    const torn = pendingPod("p", { ...little, spec: preferringNodes([label.zone, "b"]) });
    expect(solve({ pods: [torn], pools }).nodes.map(({ pool }) => pool)).toEqual(["plain"]);
  },
);

const ignoring = { preferencePolicy: "Ignore" } as const;

conforms("prov.ignore | policy Ignore: node preference | not considered", () => {
  const pods = [pendingPod("p", { ...little, spec: preferringNodes([label.zone, "b"]) })];
  expect(solve({ pods }).nodes.map(({ zone }) => zone)).toEqual(["b"]);
  expect(solve({ pods, settings: ignoring }).nodes.map(({ zone }) => zone)).toEqual(["a"]);
});

conforms(
  "prov.ignore | ScheduleAnyway / preferred anti-affinity / preferred affinity, per topology key | not considered",
  () => {
    for (const key of [label.hostname, label.zone, label.capacityType]) {
      const kinds: readonly Partial<PodSpec>[] = [
        spread(key, "p", { whenUnsatisfiable: "ScheduleAnyway" }),
        preferring(awayFrom("p", key)),
        preferring(near("absent", key)),
      ];
      for (const spec of kinds) {
        const { nodes, unscheduled } = solve({ pods: pendingPods(4, "p", { ...little, spec }), settings: ignoring });
        expect(unscheduled).toEqual([]);
        expect(
          nodes.map(({ type, pods }) => [type, pods.length]),
          key,
        ).toEqual([[fake.small, 4]]);
      }
    }
  },
);

const cpus = `${awsGroup}/instance-cpu`;
const minValuesRelaxed = "karpenter.sh/nodeclaim-min-values-relaxed";
const bestEffort = { minValuesPolicy: "BestEffort" } as const;

function relaxed(pools: ReturnType<typeof nodePool>[], cpu = "100m") {
  const { nodes, unscheduled } = solve({ pods: [pendingPod("p", { ...little, cpu })], pools, settings: bestEffort });
  expect(unscheduled).toEqual([]);
  return nodes.map(({ pool, object }) => [pool, object.metadata.annotations?.[minValuesRelaxed] === "true"]);
}

const tooMany = (name: string, weight: number, requirements: readonly RequirementEntry[]) =>
  nodePool(name, { weight, requirements });

conforms("mvp.besteffort | same (x2) | scheduled, annotation relaxed=true", () => {
  const gt: RequirementEntry = { key: cpus, operator: "Gt", values: ["4"], minValues: 2 };
  const lt: RequirementEntry = { key: cpus, operator: "Lt", values: ["4"], minValues: 2 };
  expect(relaxed([tooMany("default", 1, [gt])])).toEqual([["default", true]]);
  expect(relaxed([tooMany("default", 1, [lt])])).toEqual([["default", true]]);
  expect(relaxed([tooMany("default", 1, [{ ...gt, minValues: 1 }])])).toEqual([["default", false]]);
});

const unreachable: RequirementEntry = {
  key: label.instanceType,
  operator: "In",
  values: [fake.small, fake.standard, fake.arm],
  minValues: 3,
};

conforms(
  "mvp.besteffort | two pools, heavy one needs relaxing | relaxes heavy pool rather than moving to light one",
  () => {
    const pools = [tooMany("heavy", 100, [unreachable]), nodePool("light", { weight: 1 })];
    expect(relaxed(pools, "3")).toEqual([["heavy", true]]);
  },
);

conforms("mvp.besteffort | both pools need relaxing | heavy pool", () => {
  const pools = [tooMany("heavy", 100, [unreachable]), tooMany("light", 1, [unreachable])];
  expect(relaxed(pools, "3")).toEqual([["heavy", true]]);
});

conforms("mvp.besteffort | types and zones both unreachable | scheduled", () => {
  const zones: RequirementEntry = { key: label.zone, operator: "Exists", minValues: 4 };
  expect(relaxed([tooMany("default", 1, [unreachable, zones])], "3")).toEqual([["default", true]]);
});
