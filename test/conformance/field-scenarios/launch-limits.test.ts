import { expect } from "vitest";
import { collectGarbage } from "../../../shared/controllers/garbage-collection.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaims, launchPass } from "../../support/launch-pass.ts";
import { offering } from "../../support/launches.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../../support/planner-world.ts";
import { apply, eightPods, restlessness, secondsToRest, wholeStack } from "../../support/whole-stack.ts";

const twoInA = new Map([
  ["subnet-a1", "us-east-1a"],
  ["subnet-a2", "us-east-1a"],
  ["subnet-b", "us-east-1b"],
]);
const inA = offering("m5.large/us-east-1a/on-demand", 0.1);
const inB = offering("m5.large/us-east-1b/on-demand", 0.11);

conforms(
  "B3.08 Two subnets in AZ a, one empty -> whole AZ ICEd -> only subnet; roll back reserved IPs on failed launch. [KA#9054]",
  async () => {
    const world = plannerWorld({}, { subnets: twoInA });
    addNodePool(world, "default", { zones: ["us-east-1a", "us-east-1b"] });
    addClaims(world, ["one", "two", "three"], 10);
    world.aws.faults.failNext("RunInstances", "InsufficientFreeAddressesInSubnet");
    const subnetAddresses = new Map([
      ["subnet-a1", 45],
      ["subnet-a2", 35],
    ]);

    await launchPass(world, [inA, inB], { subnetAddresses });

    // The zone goes on with its other subnet, which has the 33 addresses still that the failed launch would have taken.
    expect(world.requests).toMatchObject([
      { subnetId: "subnet-a1", maxCount: 3 },
      { subnetId: "subnet-a2", maxCount: 3 },
    ]);
    const marks = world.server.get("ConfigMap", { name: "journeyman-unavailable-offerings", namespace: "journeyman" });
    expect(Object.keys(marks?.data ?? {})).toEqual(["any_subnet-a1_any"]);
    expect(world.living()).toHaveLength(3);
  },
);

conforms(
  "B3.09 Subnet has 3 free IPs; node 1 IP starts, its 29 pods get none -> require free >= 1 + warm-IP demand (/28 for prefix). [KA#8874, KA#5234 (skew 7/7/25)]",
  async () => {
    const world = plannerWorld({}, { subnets: twoInA });
    addNodePool(world, "default", { zones: ["us-east-1a", "us-east-1b"] });
    addClaims(world, ["one", "two"], 29);
    const subnetAddresses = new Map([
      ["subnet-a1", 3],
      ["subnet-a2", 50],
      ["subnet-b", 40],
    ]);

    await launchPass(world, [inA, inB], { subnetAddresses });

    // Thirty addresses a node: one node fits into a2, and the other must go to b.
    expect(world.requests).toMatchObject([
      { subnetId: "subnet-a2", maxCount: 1 },
      { subnetId: "subnet-b", maxCount: 1 },
    ]);
    // Prefixes are whole: 33 addresses a node, of which no subnet has so many left.
    world.server.patch("EC2NodeClass", { name: "default" }, { spec: { ipPrefixCount: 1 } });
    addClaims(world, ["three"], 29);
    await launchPass(world, [inA, inB], { subnetAddresses, subnetAddressesReadAt: world.now() - 60_000 });
    expect(world.requests).toHaveLength(2);
    expect(world.claim("three")).toBeUndefined();
    const told = world.server.list("Event").find(({ involvedObject }) => involvedObject.name === "three");
    expect(told?.message).toContain("InsufficientFreeAddressesInSubnet");
  },
);

conforms(
  "B3.10 Bucket 5, refill 2/s: 6,833 invocations for 122 messages, 0 instances -> batch nodes per call, jittered retry, respect throttle globally. [GHR#5253]",
  async () => {
    const world = plannerWorld();
    world.aws.faults.setLatency("RunInstances", [5, 20]);
    // 122 nodes of 30 NodePools: no two pools can share a call.
    const pools = Array.from({ length: 30 }, (_, index) => `pool-${index}`);
    for (const pool of pools) addNodePool(world, pool);
    for (let index = 0; index < 122; index++) {
      addPendingPod(world, `pod-${index}`, { pool: pools[index % pools.length] ?? "" });
    }
    const beganAt = world.now();
    let invocations = 0;
    for (; world.living().length < 122 && invocations < 100; invocations++) {
      await world.provision();
      await world.advance(world.sent.at(-1)?.delaySeconds ?? 1);
    }
    expect(world.living()).toHaveLength(122);
    expect(world.aws.apiCalls().get("RunInstances")).toBe(30);
    expect(invocations).toBeLessThanOrEqual(30);
    expect(world.now() - beganAt).toBeLessThan(60_000);
    const refused = world.telemetry.lines.filter(({ message }) => message === "run-instances failed");
    expect(refused).toEqual([]);
    // Others in the account empty the bucket all the same: then everybody waits, each planner for a time of its own.
    world.aws.faults.failNext("RunInstances", "RequestLimitExceeded");
    for (const pool of ["pool-0", "pool-1"]) addPendingPod(world, `late-${pool}`, { pool });
    await world.provision();
    expect(world.aws.apiCalls().get("RunInstances")).toBe(31);
    expect(world.sent.at(-1)?.delaySeconds).toBeGreaterThanOrEqual(5);
  },
);

conforms(
  "B3.20 DescribeInstances NotFound 2 s after launch -> taken as dead, second launch -> grace (>= 30-60 s). [kubernetes-sigs/cluster-api-provider-aws#2915, boto/boto3#2556]",
  async () => {
    const world = plannerWorld();
    world.aws.faults.hideLaunches(50_000);
    world.aws.faults.loseAnswers("RunInstances");
    addNodePool(world, "default");
    for (const name of ["one", "two"]) addPendingPod(world, name);
    await world.provision();
    await world.advance(2);
    await world.provision();
    // Nothing is to be seen of the first request: the same token again is answered with what it launched.
    expect(new Set(world.requests.map(({ clientToken }) => clientToken)).size).toBe(1);
    expect(world.living()).toHaveLength(2);
    const claims = world.claims().map(({ metadata }) => metadata.name);
    await world.settle(collectGarbage(world.ports, world.settings));
    expect(world.claims().map(({ metadata }) => metadata.name)).toEqual(claims);
    expect(world.claims().some(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(false);
    expect(world.living()).toHaveLength(2);
  },
);

conforms(
  "B7.16 Lambda killed at timeout after RunInstances, before persist -> redelivery relaunches -> deterministic ClientToken + tag lookup first. [B5.01 + B3.12]",
  async () => {
    let hasCrashed = false;
    const lookups: string[] = [];
    const world = wholeStack({
      crashPlan: (_index, call, name) => {
        if (name !== "provisioning") return false;
        if (hasCrashed && call.phase === "before" && call.name.startsWith("ec2.")) lookups.push(call.name);
        const isHere = !hasCrashed && call.name === "ec2.runInstances" && call.phase === "after";
        hasCrashed ||= isHere;
        return isHere;
      },
    });
    apply(world, eightPods);
    await secondsToRest(world, { pods: 8, claims: 4 }, 300);
    expect(restlessness(world, { pods: 8, claims: 4 })).toEqual([]);
    expect(hasCrashed).toBe(true);
    expect(lookups[0]).toBe("ec2.describeInstances");
    expect(world.ec2.instances()).toHaveLength(4);
  },
);
