import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { fake, solve } from "../../support/karpenter-fixture.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";

/** What EC2 offers has one capacity for each type: it is a NodeOverlay that overrides it. */
const device = "example.com/device";
const nodeOverlays = [
  nodeOverlay("devices", {
    requirements: [oneOf(label.instanceType, fake.standard, fake.arm), oneOf(label.zone, "b")],
    capacity: { [device]: "2" },
  }),
];
const pods = [pendingPod("p", { spec: { containers: [{ resources: { requests: { cpu: "100m", [device]: "1" } } }] } })];

conforms(
  "sched.override | resource exists only in an offering's capacity override | only types with that offering kept",
  () => {
    const { plan } = solve({ pods, nodeOverlays });
    const types = plan.nodeClaims.map(({ offerings }) => new Set(offerings.map(({ instanceType }) => instanceType)));
    expect(types).toEqual([new Set([fake.standard, fake.arm])]);
    expectUnschedulable(solve({ pods }).plan, ["p"], /example\.com\/device/);
  },
);

conforms("sched.override | override offering unavailable | no claim", () => {
  const unavailable = [fake.standard, fake.arm].flatMap((instanceType) =>
    ["a", "b", "c"].flatMap((zone) =>
      ["spot", "on-demand"].map((capacityType) => ({
        ...{ instanceType, zone, capacityType, untilAt: 1, times: 1 },
        code: "InsufficientInstanceCapacity",
      })),
    ),
  );
  const { plan } = solve({ pods, nodeOverlays, unavailable });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /example\.com\/device/);
});
