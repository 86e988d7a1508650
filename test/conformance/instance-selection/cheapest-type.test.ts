import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { Catalog } from "../../../shared/cloud/catalog.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";

/** Types of both architectures at prices in no order, spot in two zones, one type in two zones only. */
const catalog: Catalog = catalogOf(
  Object.fromEntries(
    [0.31, 0.17, 0.23, 0.13, 0.29, 0.19, 0.37, 0.11].map((priceUsdPerHour, index) => [
      `t${index}.large`,
      {
        vcpus: 2 + index,
        memoryGib: 8,
        priceUsdPerHour,
        arch: index % 2 === 0 ? ("amd64" as const) : ("arm64" as const),
        spot: {
          a: priceUsdPerHour * (0.3 + 0.07 * ((index * 3) % 7)),
          b: priceUsdPerHour * (0.3 + 0.07 * ((index * 5) % 7)),
        },
        ...(index === 7 && { zones: ["a", "b"] }),
      },
    ]),
  ),
);

const systems = { linux: "al2023@latest", windows: "windows2022@latest" } as const;
const nodeClasses = Object.entries(systems).map(([name, alias]) => {
  const made = nodeClass({ amiSelectorTerms: [{ alias }] });
  return { ...made, metadata: { ...made.metadata, name } };
});

type Constraints = Partial<Record<"arch" | "os" | "zone" | "capacityType", string>>;

/** What one pod gets when NodePools of both systems, or of one, ask for `pool` and the pod for `pod`. */
function selected(pool: Constraints, pod: Constraints) {
  const { os, ...others } = pool;
  const requirements = Object.entries(others).map(([name, value]) => oneOf(label[name as keyof typeof others], value));
  const pools = nodeClasses
    .filter(({ metadata }) => os === undefined || metadata.name === os)
    .map(({ metadata: { name } }) => nodePool(name, { nodeClass: name, requirements }));
  const nodeSelector = Object.fromEntries(
    Object.entries(pod).map(([name, value]) => [label[name as keyof Constraints], value]),
  );
  return solve({
    catalog,
    nodeClasses,
    pools,
    pods: [pendingPod("p", { cpu: "100m", memory: "100Mi", spec: { nodeSelector } })],
  });
}

/** The least price among all offerings that meet the constraints, worked out from the catalog alone. */
function cheapest({ arch, os, zone, capacityType }: Constraints): number {
  const prices = catalog.types
    .filter((type) => (arch ?? type.arch) === type.arch && !(os === "windows" && type.arch === "arm64"))
    .flatMap(({ name }) => {
      const zones = (catalog.zonesByType.get(name) ?? []).filter((one) => (zone ?? one) === one);
      const onDemand = zones.map(() => catalog.onDemandPrices.get(name) ?? Number.NaN);
      const spot = zones.flatMap((one) => catalog.spotPrices.get(name)?.get(one) ?? []);
      return [...(capacityType === "spot" ? [] : onDemand), ...(capacityType === "on-demand" ? [] : spot)];
    });
  return Math.min(...prices);
}

function expectCheapest(pool: Constraints, pod: Constraints) {
  const both = { ...pool, ...pod };
  const { nodes, plan } = selected(pool, pod);
  const [node] = nodes;
  expect(plan.priceUsdPerHour, JSON.stringify({ pool, pod })).toBeCloseTo(cheapest(both), 10);
  const found = {
    arch: catalog.types.find(({ name }) => name === node?.type)?.arch,
    os: node?.pool,
    zone: node?.zone,
    capacityType: node?.capacityType,
  };
  expect(found).toMatchObject(both);
}

conforms(
  "select | arch amd64/arm64 from pod or pool; os windows/linux from pod or pool; zone from pod or pool; capacity-type from pod or pool (x14) | cheapest among matching",
  () => {
    const single: readonly Constraints[] = [
      { arch: "amd64" },
      { arch: "arm64" },
      { os: "linux" },
      { os: "windows" },
      { zone: "b" },
      { capacityType: "spot" },
      { capacityType: "on-demand" },
    ];
    for (const constraint of single) {
      expectCheapest({}, constraint);
      expectCheapest(constraint, {});
    }
  },
);

conforms("select | two/three/four constraints split between pool and pod (x6) | cheapest among matching", () => {
  expectCheapest({ capacityType: "on-demand" }, { zone: "b" });
  expectCheapest({}, { capacityType: "spot", zone: "b" });
  expectCheapest({ capacityType: "on-demand", zone: "a" }, { arch: "amd64" });
  expectCheapest({ os: "linux" }, { capacityType: "spot", arch: "arm64" });
  expectCheapest({ capacityType: "spot", zone: "b" }, { arch: "amd64", os: "linux" });
  expectCheapest({ os: "windows" }, { capacityType: "on-demand", zone: "c", arch: "amd64" });
});

function expectNone(pool: Constraints, pod: Constraints, reason: RegExp) {
  const { plan } = selected(pool, pod);
  expect(plan.nodeClaims).toEqual([]);
  expectUnschedulable(plan, ["p"], reason);
}

conforms("select | arch, arch+zone, pool arch vs pod zone that nothing offers (x3) | not scheduled", () => {
  expectNone({}, { arch: "riscv64" }, /kubernetes\.io\/arch/);
  expectNone({}, { arch: "riscv64", zone: "b" }, /kubernetes\.io\/arch/);
  expectNone({ arch: "riscv64" }, { zone: "b" }, /kubernetes\.io\/arch/);
});
