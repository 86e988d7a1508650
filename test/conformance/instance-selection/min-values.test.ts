import { expect } from "vitest";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import type { RequirementEntry } from "../../../shared/api/node-pool.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms, differs } from "../../support/conformance.ts";
import { fake, type Solved, solve } from "../../support/karpenter-fixture.ts";
import { nodePool } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";

const cpus = `${awsGroup}/instance-cpu`;

function solveWith(requirements: readonly RequirementEntry[], cpu = "100m"): Solved {
  const pools = [nodePool("default", { requirements })];
  return solve({ pods: [pendingPod("p", { cpu, memory: "10Mi" })], pools });
}

function valuesOf({ nodes }: Solved, key: string) {
  return nodes[0]?.object.spec.requirements.find((entry) => entry.key === key)?.values?.toSorted();
}

function expectNone({ plan }: Solved) {
  expect(plan.nodeClaims).toEqual([]);
  expectUnschedulable(plan, ["p"], /minValues/);
}

function typesIn(minValues: number, ...values: string[]): RequirementEntry {
  return { key: label.instanceType, operator: "In", values, minValues };
}

conforms("minvalues | instance-type In with minValues 2 and exactly two fitting | both options kept", () => {
  const solved = solveWith([typesIn(2, fake.small, fake.standard)]);
  expect(valuesOf(solved, label.instanceType)).toEqual([fake.small, fake.standard]);
  expect(new Set(solved.plan.nodeClaims[0]?.offerings.map(({ instanceType }) => instanceType))).toEqual(
    new Set([fake.small, fake.standard]),
  );
});

conforms("minvalues | Gt / Lt not reachable (x2) | pod error", () => {
  expectNone(solveWith([{ key: cpus, operator: "Gt", values: ["4"], minValues: 2 }]));
  expectNone(solveWith([{ key: cpus, operator: "Lt", values: ["4"], minValues: 2 }]));
  expect(solveWith([{ key: cpus, operator: "Gt", values: ["4"], minValues: 1 }]).nodes).toHaveLength(1);
});

conforms("minvalues | fewer fitting types than minValues | not scheduled", () => {
  const requirements = [typesIn(3, fake.small, fake.standard, fake.arm)];
  expect(solveWith(requirements, "1").nodes).toHaveLength(1);
  expectNone(solveWith(requirements, "3"));
});

differs(
  "minvalues | reachable only before truncation to the max list | not scheduled",
  "we cut a claim's list only as far as minValues is still met: what can be launched is launched",
  () => {
    const names = Array.from({ length: 90 }, (_, index) => `t${index}.large`);
    const catalog = catalogOf(
      Object.fromEntries(
        names.map((name, index) => [name, { vcpus: 2, memoryGib: 4, priceUsdPerHour: 0.1 + index / 1_000 }]),
      ),
    );
    const pools = [
      nodePool("default", { requirements: [{ key: label.instanceType, operator: "Exists", minValues: 50 }] }),
    ];
    const solved = solve({ pods: [pendingPod("p")], pools, catalog });
    expect(solved.unscheduled).toEqual([]);
    expect(valuesOf(solved, label.instanceType)?.length).toBeGreaterThanOrEqual(50);
  },
);

conforms("minvalues | several operators on the same key | max taken", () => {
  const between = (least: number, most: number): readonly RequirementEntry[] => [
    { key: cpus, operator: "Gt", values: ["1"], minValues: least },
    { key: cpus, operator: "Lt", values: ["5"], minValues: most },
  ];
  for (const requirements of [between(1, 2), between(2, 1)]) {
    const [node] = solveWith(requirements).nodes;
    expect(node?.object.spec.requirements.find(({ key }) => key === cpus)?.minValues).toBe(2);
  }
  expectNone(solveWith(between(1, 3)));
  expectNone(solveWith(between(3, 1)));
});

conforms("minvalues | minValues on instance-type and on another key | both met", () => {
  const both = (types: number, sizes: number): readonly RequirementEntry[] => [
    typesIn(types, fake.small, fake.standard, fake.singlePod),
    { key: cpus, operator: "Exists", minValues: sizes },
  ];
  const solved = solveWith(both(3, 2));
  const kept = valuesOf(solved, label.instanceType) ?? [];
  expect(kept).toEqual([fake.singlePod, fake.small, fake.standard]);
  expectNone(solveWith(both(3, 3)));
  expectNone(solveWith(both(3, 2), "3"));
});
