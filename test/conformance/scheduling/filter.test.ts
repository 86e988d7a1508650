import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";

conforms("sched.filter | unknown arch, three pods | three pod errors", () => {
  const pools = [nodePool("default", { requirements: [oneOf(label.arch, "unknown")] })];
  const { plan } = solve({ pods: pendingPods(3, "p"), pools });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p-0", "p-1", "p-2"], /kubernetes\.io\/arch In \[unknown\]/);
});

conforms("sched.filter | contradictory arch requirements | one pod error", () => {
  const requirements = [oneOf(label.arch, "amd64"), oneOf(label.arch, "arm64")];
  const { plan } = solve({ pods: [pendingPod("p")], pools: [nodePool("default", { requirements })] });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /kubernetes\.io\/arch/);
});

conforms("sched.filter | unknown zones | one pod error", () => {
  const pools = [nodePool("default", { requirements: [oneOf(label.zone, "unknown", "nowhere")] })];
  const { plan } = solve({ pods: [pendingPod("p")], pools });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /topology\.kubernetes\.io\/zone In \[nowhere, unknown\]/);
});
