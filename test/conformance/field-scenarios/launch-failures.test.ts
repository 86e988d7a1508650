import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { metric } from "../../../shared/metrics.ts";
import { conforms } from "../../support/conformance.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../../support/planner-world.ts";

const twoZones = ["us-east-1a", "us-east-1b"];
const bothMarkets = ["spot", "on-demand"];

function addPods(world: PlannerWorld, pool: string, count: number): void {
  for (let index = 0; index < count; index++) addPendingPod(world, `${pool}-${index}`, { pool });
}

/** Passes in a row, each when the one before asked for it, or after a minute's sweep. */
async function passes(world: PlannerWorld, minutes: number): Promise<void> {
  const endAt = world.now() + minutes * 60_000;
  while (world.now() < endAt) {
    const asked = world.sent.length;
    await world.provision();
    const delays = world.sent
      .slice(asked)
      .flatMap(({ hint, delaySeconds }) => (hint.kind === "provision" ? delaySeconds : []));
    await world.advance(Math.max(0.2, Math.min(60, ...delays)));
  }
}

function callsOf(world: PlannerWorld, pool: string): number {
  return world.requests.filter(({ tags }) => tags[label.nodePool] === pool).length;
}

function conditionsOf(world: PlannerWorld, pool: string) {
  const claims = world.claims().filter(({ metadata }) => metadata.labels?.[label.nodePool] === pool);
  return claims.map(({ status }) => status?.conditions?.find(({ type }) => type === "Launched"));
}

function eventsOf(world: PlannerWorld, kind: string): readonly string[] {
  const events = world.server.list("Event").filter(({ involvedObject }) => involvedObject.kind === kind);
  return events.map(({ reason }) => reason);
}

function marks(world: PlannerWorld): Readonly<Record<string, string>> {
  const reference = { name: "journeyman-unavailable-offerings", namespace: "journeyman" };
  return world.server.get("ConfigMap", reference)?.data ?? {};
}

conforms(
  "B3.01 MaxSpotInstanceCountExceeded with 1000 jobs -> infinite spot retry -> mark capacity type spot unavailable account-wide for TTL; use OD if allowed. [KA#1556, KA#5789, KA#1715]",
  async () => {
    const world = plannerWorld();
    world.aws.faults.failNext("RunInstances", "MaxSpotInstanceCountExceeded");
    addNodePool(world, "default", { capacityTypes: bothMarkets, zones: twoZones });
    addPods(world, "default", 1_000);
    await passes(world, 3);
    expect(world.living()).toHaveLength(1_000);
    const spotCalls = world.requests.filter(({ capacityType }) => capacityType === "spot");
    expect(spotCalls).toHaveLength(1);
    expect(Object.keys(marks(world))).toEqual(["any_any_spot"]);
    // Eight minutes for a first refusal: its own three, and five before launches go back to spot.
    await world.advance(9 * 60);
    addPendingPod(world, "later", { pool: "default" });
    await world.provision();
    expect(world.requests.at(-1)?.capacityType).toBe("spot");
  },
);

conforms(
  "B3.03 UnfulfillableCapacity/ICE -> claim create/delete tight loop, cluster stalls -> exponential per-pool backoff; other pools unaffected. [KS#3198, KA#6643]",
  async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ instanceType: "m5.large" }, 0);
    addNodePool(world, "empty", { zones: twoZones });
    addNodePool(world, "full", { types: ["m6i.large"] });
    addPods(world, "empty", 5);
    addPods(world, "full", 5);
    await world.provision();
    expect(callsOf(world, "full")).toBe(1);
    expect(world.living()).toHaveLength(5);
    const calls: number[] = [];
    for (let half = 0; half < 4; half++) {
      const before = callsOf(world, "empty");
      await passes(world, 30);
      calls.push(callsOf(world, "empty") - before);
    }
    const [first = 0, second = 0, third = 0, last = 0] = calls;
    expect(first).toBeLessThanOrEqual(8);
    expect(second).toBeLessThan(first);
    expect(third + last).toBeLessThanOrEqual(4);
    expect(world.claims().filter(({ metadata }) => metadata.labels?.[label.nodePool] === "full")).toHaveLength(5);
  },
);

conforms(
  'B3.05 ICE message holds "null" or several types -> parse failure -> tolerate; mark override of the request. [KA#1219, KA#476]',
  async () => {
    const world = plannerWorld();
    addNodePool(world, "default", { zones: twoZones });
    addPods(world, "default", 1);
    const text = "We currently do not have sufficient null capacity, nor m5.xlarge, c5.large (us-east-1b, us-east-1c)";
    world.aws.faults.failNext("RunInstances", "InsufficientInstanceCapacity", 1, text);
    await world.provision();
    expect(Object.keys(marks(world))).toEqual(["m5.large_us-east-1a_on-demand"]);
    expect(world.living()).toMatchObject([{ zone: "us-east-1b" }]);
  },
);

conforms("B3.06 `Unsupported` (type not in AZ) -> mark (type, az) long TTL; try others. [KA#476]", async () => {
  const world = plannerWorld();
  addNodePool(world, "default", { capacityTypes: bothMarkets, zones: twoZones });
  addPods(world, "default", 1);
  world.aws.faults.failNext("RunInstances", "Unsupported");
  await world.provision();
  const [tried, next] = world.requests;
  expect(next?.subnetId).not.toBe(tried?.subnetId);
  const zone = tried?.subnetId.replace("subnet-", "");
  const mark = JSON.parse(marks(world)[`m5.large_${zone}_any`] ?? "{}");
  expect(Date.parse(mark.until) - world.now()).toBeGreaterThan(5 * 3_600_000);
  expect(world.living()).toHaveLength(1);
});

conforms(
  "B3.12 Spot try fails; OD retry reuses ClientToken with different params -> IdempotentParameterMismatch for ever -> token = f(claim, attempt params). [checked]",
  async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ capacityType: "spot" }, 0);
    addNodePool(world, "default", { capacityTypes: bothMarkets });
    addPods(world, "default", 2);
    await world.provision();
    expect(world.requests.map(({ capacityType }) => capacityType)).toEqual(["spot", "on-demand"]);
    expect(new Set(world.requests.map(({ clientToken }) => clientToken)).size).toBe(2);
    expect(world.living()).toHaveLength(2);
  },
);

conforms(
  "B3.14 Fleet asks 8, gets 6 + errors -> exception throws the 6 away, orphans; ~9 % of jobs stuck at batch >= 5 -> record 6, retry 2. [GHR#5131]",
  async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ zone: "us-east-1a" }, 6);
    addNodePool(world, "default", { zones: twoZones });
    addPods(world, "default", 8);
    await world.provision();
    expect(world.requests).toMatchObject([
      { maxCount: 8, subnetId: "subnet-us-east-1a" },
      { maxCount: 2, subnetId: "subnet-us-east-1b" },
    ]);
    const claimed = world.claims().map(({ status }) => status?.providerID?.split("/").at(-1));
    expect(claimed.sort()).toEqual(
      world
        .living()
        .map(({ instanceId }) => instanceId)
        .sort(),
    );
    expect(claimed).toHaveLength(8);
  },
);

conforms("B3.15 MaxFleetCountExceeded / fleet quota -> no fallback -> use RunInstances. [checked]", async () => {
  const world = plannerWorld();
  addNodePool(world, "default", { zones: twoZones });
  addPods(world, "default", 3);
  await world.provision();
  // No fleet is ever made; should EC2 speak of one all the same, the next offering is asked.
  expect(Object.fromEntries(world.aws.apiCalls())).toEqual({ RunInstances: 1 });
  world.aws.faults.failNext("RunInstances", "MaxFleetCountExceeded");
  addPendingPod(world, "more", { pool: "default" });
  await world.provision();
  expect(world.living()).toHaveLength(4);
  expect(world.living().filter(({ zone }) => zone === "us-east-1b")).toHaveLength(1);
});

conforms(
  'B3.16 Instance profile made seconds ago -> "Invalid IAM Instance Profile" -> retryable; UnauthorizedOperation not retryable (condition + event). [KA#7849, KA#5018, KA#3051]',
  async () => {
    const world = plannerWorld();
    for (const name of ["a", "b"]) {
      addNodePool(world, name, { types: name === "a" ? ["m5.large"] : ["m6i.large"] });
      addPods(world, name, 1);
    }
    const text = "Value (node) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name";
    world.aws.faults.failNext("RunInstances", "InvalidParameterValue", 1, text);
    world.aws.faults.failNext("RunInstances", "UnauthorizedOperation");
    await world.provision();
    expect(conditionsOf(world, "a")).toMatchObject([{ status: "Unknown", reason: "InstanceProfileNameInvalid" }]);
    expect(conditionsOf(world, "b")).toMatchObject([{ status: "Unknown", reason: "Unauthorized" }]);
    expect(eventsOf(world, "NodeClaim").toSorted()).toEqual(["InstanceProfileNameInvalid", "Unauthorized"]);
    expect(eventsOf(world, "NodePool")).toEqual(["Unauthorized"]);
    const health = world.server.get("NodePool", { name: "b" })?.status?.conditions ?? [];
    expect(health.find(({ type }) => type === "LaunchHealthy")).toMatchObject({
      status: "False",
      reason: "Unauthorized",
    });
    await world.advance(12);
    await world.provision();
    expect([callsOf(world, "a"), callsOf(world, "b")]).toEqual([2, 1]);
    expect(conditionsOf(world, "a")).toMatchObject([{ status: "True" }]);
  },
);

conforms(
  "B3.17 No spot service-linked role -> AuthFailure on first spot -> distinct message; OD goes on. [terraform-aws-modules/terraform-aws-eks#2605]",
  async () => {
    const world = plannerWorld();
    addNodePool(world, "default", { capacityTypes: bothMarkets });
    addPods(world, "default", 1);
    world.aws.faults.failNext("RunInstances", "AuthFailure.ServiceLinkedRoleCreationNotPermitted");
    await world.provision();
    expect(world.living()).toMatchObject([{ capacityType: "on-demand" }]);
    expect(world.telemetry.total(metric.launchFailures)).toBe(1);
    const told = world.server.list("Event").find(({ involvedObject }) => involvedObject.kind === "NodeClaim");
    expect(told).toMatchObject({ reason: "SpotSLRCreationFailed" });
    expect(told?.message).toContain("AWSServiceRoleForEC2Spot");
    expect(Object.keys(marks(world))).toEqual(["any_any_spot"]);
  },
);
