import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { assignInstance, explainUnlaunched } from "../../shared/controllers/launch-writes.ts";
import { ProviderError, type RunInstancesRequest } from "../../shared/ports.ts";
import { instance } from "../support/launches.ts";
import { nodeClaim } from "../support/node-claims.ts";
import { addNodePool, addPendingPod, leaderRecord, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

const threeZones = ["us-east-1a", "us-east-1b", "us-east-1c"];

function addPods(world: PlannerWorld, pool: string, count: number): void {
  for (let index = 0; index < count; index++) addPendingPod(world, `${pool}-${index}`, { pool });
}

function addPoolWithPods(world: PlannerWorld, name: string, pods: number, zones?: readonly string[]): void {
  addNodePool(world, name, { ...(zones && { zones }), labels: { team: name } });
  addPods(world, name, pods);
}

function subnetsAsked(world: PlannerWorld): readonly string[] {
  return world.requests.map(({ subnetId }) => subnetId);
}

function poolOf({ tags }: RunInstancesRequest): string | undefined {
  return tags["karpenter.sh/nodepool"];
}

function unavailableKeys({ server }: PlannerWorld): readonly string[] {
  const stored = server.get("ConfigMap", { name: "journeyman-unavailable-offerings", namespace: "journeyman" });
  return Object.keys(stored?.data ?? {});
}

/** What is wrong: claims that share an instance or have none that lives, instances without a claim. */
function expectOneInstanceEach(world: PlannerWorld): void {
  const claimed = world.claims().map(({ status }) => status?.providerID?.split("/").at(-1));
  expect(claimed.sort()).toEqual(
    world
      .living()
      .map(({ instanceId }) => instanceId)
      .sort(),
  );
}

function launchedCondition(world: PlannerWorld, pool: string) {
  const claim = world.claims().find(({ metadata }) => metadata.labels?.[label.nodePool] === pool);
  return claim?.status?.conditions?.find(({ type }) => type === "Launched");
}

describe("a launch", () => {
  it("asks for all alike claims in one call", async () => {
    const world = plannerWorld();
    addPoolWithPods(world, "default", 4);

    await world.provision();

    expect(world.requests).toMatchObject([{ minCount: 1, maxCount: 4, instanceType: "m5.large" }]);
    expectOneInstanceEach(world);
    expect(world.sent).toEqual([]);
  });

  it("takes the NodePools in turn", async () => {
    const world = plannerWorld();
    for (const name of ["a", "b"]) {
      addNodePool(world, name, { types: ["m5.large", "m5.xlarge"] });
      addPods(world, name, 1);
      addPendingPod(world, `${name}-large`, { pool: name, cpu: "3500m" });
    }

    await world.provision();

    expect(world.requests.map(poolOf)).toEqual(["a", "b", "a", "b"]);
  });

  it("asks for what is missing elsewhere in the same pass", async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ zone: "us-east-1a" }, 2);
    addPoolWithPods(world, "default", 3, ["us-east-1a", "us-east-1b"]);

    await world.provision();

    expect(world.requests).toMatchObject([
      { maxCount: 3, subnetId: "subnet-us-east-1a" },
      { maxCount: 1, subnetId: "subnet-us-east-1b" },
    ]);
    expectOneInstanceEach(world);
    expect(unavailableKeys(world)).toEqual(["m5.large_us-east-1a_on-demand"]);
  });

  it("gives a later member's node no label of the leader's machine", async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ instanceType: "m5.large" }, 1);
    addNodePool(world, "default", { types: ["m5.large", "m6i.large"] });
    addPods(world, "default", 2);
    const { ec2 } = world.ports;
    const failing: typeof ec2.runInstances = async (request) => {
      if (request.instanceType === "m5.large") return ec2.runInstances(request);
      throw new ProviderError("Throttled", "RequestLimitExceeded", "later");
    };

    await world.provision(undefined, { ec2: { ...ec2, runInstances: failing } });
    await world.advance(10);
    await world.provision();

    const [first, second] = world.requests;
    expect([first?.instanceType, second?.instanceType]).toEqual(["m5.large", "m6i.large"]);
    expect(first?.userData).toContain("karpenter.sh/nodepool=default");
    expect(second?.userData).toContain("karpenter.sh/nodepool=default");
    expect(second?.userData).not.toContain("instance-family");
    expectOneInstanceEach(world);
  });

  it("remembers a capacity error for everybody and goes on", async () => {
    const world = plannerWorld();
    world.aws.setCapacity({ zone: "us-east-1a" }, 0);
    addPoolWithPods(world, "a", 1, ["us-east-1a", "us-east-1b"]);
    addPoolWithPods(world, "b", 1, ["us-east-1a", "us-east-1b"]);

    await world.provision();

    expect(subnetsAsked(world)).toEqual(["subnet-us-east-1a", "subnet-us-east-1b", "subnet-us-east-1b"]);
    expect(unavailableKeys(world)).toEqual(["m5.large_us-east-1a_on-demand"]);
    expectOneInstanceEach(world);
  });

  it("tries three offerings in one pass and the others later", async () => {
    const world = plannerWorld();
    for (const zone of threeZones) world.aws.setCapacity({ zone }, 0);
    addPoolWithPods(world, "default", 1, [...threeZones, "us-east-1d"]);

    await world.provision();

    expect(world.requests).toHaveLength(3);
    expect(world.sent).toMatchObject([{ hint: { reason: "retry" }, delaySeconds: 10 }]);
    await world.advance(10);
    await world.provision();
    expect(subnetsAsked(world).slice(3)).toEqual(["subnet-us-east-1d"]);
    expectOneInstanceEach(world);
  });

  it("lets everybody wait when the account's bucket is empty", async () => {
    const world = plannerWorld();
    world.aws.faults.failNext("RunInstances", "RequestLimitExceeded");
    for (const name of ["a", "b"]) addPoolWithPods(world, name, 1);

    await world.provision();

    expect(world.requests.map(poolOf)).toEqual(["a"]);
    const [{ delaySeconds } = { delaySeconds: 0 }] = world.sent;
    // Half as long again at most, so that planners that share the bucket do not come back together.
    expect(delaySeconds).toBeGreaterThanOrEqual(5);
    expect(delaySeconds).toBeLessThanOrEqual(8);
    await world.advance(delaySeconds);
    await world.provision();
    expect(world.requests).toHaveLength(3);
    expect(world.requests[1]).toEqual(world.requests[0]);
    expectOneInstanceEach(world);
  });

  it("gives a claim up when all its offerings are gone, and plans its pod again", async () => {
    const world = plannerWorld();
    world.aws.setCapacity({}, 0);
    addPoolWithPods(world, "default", 1);

    await world.provision();

    const [given] = world.claims();
    expect(given?.metadata.deletionTimestamp).toBeDefined();
    expect(world.sent.map(({ hint, delaySeconds }) => [hint.kind, delaySeconds])).toEqual([
      ["termination", 0],
      ["provision", 5],
    ]);
    world.aws.setCapacity({}, 10);
    await world.advance(200);
    await world.provision();
    const names = world.claims().map(({ metadata }) => metadata.name);
    expect(names).toEqual([given?.metadata.name, `${given?.metadata.name}-2`]);
    expect(world.living()).toHaveLength(1);
  });
});

describe("a launch that only a person can help", () => {
  it("says so on its claims and leaves the other NodePools alone", async () => {
    const world = plannerWorld();
    world.aws.faults.failNext("RunInstances", "UnauthorizedOperation");
    for (const name of ["a", "b"]) addPoolWithPods(world, name, 1);

    await world.provision();

    expect(launchedCondition(world, "a")).toMatchObject({ status: "Unknown", reason: "Unauthorized" });
    expect(launchedCondition(world, "b")).toMatchObject({ status: "True" });
    expect(world.sent).toMatchObject([{ delaySeconds: 60 }]);
  });

  it("does not begin for a class that nobody has resolved", async () => {
    const world = plannerWorld();
    addPoolWithPods(world, "default", 1);
    world.server.patch("EC2NodeClass", { name: "default" }, { status: null }, { subresource: "status" });
    world.server.create("NodeClaim", nodeClaim("by-hand"));

    await world.provision();

    expect(world.requests).toEqual([]);
    expect(world.claims().map(({ metadata }) => metadata.name)).toEqual(["by-hand"]);
    expect(launchedCondition(world, "default")).toMatchObject({ status: "Unknown", reason: "NodeClassNotReady" });
  });

  it("is tried again after a minute, however many passes there are until then", async () => {
    const world = plannerWorld();
    world.aws.faults.failNext("RunInstances", "UnauthorizedOperation");
    addPoolWithPods(world, "default", 1);
    await world.provision();
    await world.advance(20);
    await world.provision();
    expect(world.requests).toHaveLength(1);
    expect(world.sent.at(-1)?.delaySeconds).toBeLessThanOrEqual(40);

    await world.advance(41);
    await world.provision();

    expect(world.requests).toHaveLength(2);
    expectOneInstanceEach(world);
  });
});

describe("a launch whose outcome is not known", () => {
  it("sends the same token again when the answer was lost", async () => {
    const world = plannerWorld();
    world.aws.faults.loseAnswers("RunInstances");
    addPoolWithPods(world, "default", 3);

    await world.provision();
    await world.advance(5);
    await world.provision();

    expect(new Set(world.requests.map(({ clientToken }) => clientToken)).size).toBe(1);
    expectOneInstanceEach(world);
    expect(leaderRecord(world.claims())?.state).toBe("done");
  });

  it("goes on where the pass before was cut off between two claims", async () => {
    const failures = [new ProviderError("Unknown", "TimeoutError", "no answer"), undefined];
    const world = plannerWorld({
      beforeCall: (verb) => {
        const error = verb === "patch-status" ? failures.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    addPoolWithPods(world, "default", 3);
    await expect(world.provision()).rejects.toThrow("no answer");
    expect(leaderRecord(world.claims())?.state).toBe("sent");

    await world.provision();

    expect(new Set(world.requests.map(({ clientToken }) => clientToken)).size).toBe(1);
    expectOneInstanceEach(world);
  });

  it("replays the same request after its leader has its labels", async () => {
    const failures = [new ProviderError("Unknown", "TimeoutError", "no answer"), undefined];
    const world = plannerWorld({
      beforeCall: (verb) => {
        const error = verb === "patch-status" ? failures.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    addPoolWithPods(world, "default", 2);
    await expect(world.provision()).rejects.toThrow("no answer");
    const { ec2 } = world.ports;

    // EC2 does not show the new instances yet.
    await world.provision(undefined, { ec2: { ...ec2, describeInstances: async () => [] } });

    expect(world.requests).toHaveLength(2);
    expect(world.requests[1]).toEqual(world.requests[0]);
    expectOneInstanceEach(world);
  });

  it("keeps the image that its class's alias named when it was written down; the next launch takes the newer one", async () => {
    const world = plannerWorld();
    world.aws.faults.hideLaunches(30_000);
    world.aws.faults.loseAnswers("RunInstances");
    addPoolWithPods(world, "default", 1);
    await world.provision();
    const [image] = world.server.get("EC2NodeClass", { name: "default" })?.status?.amis ?? [];
    const status = { amis: [{ ...image, id: "ami-2" }] };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });

    await world.advance(10);
    await world.provision();
    addPendingPod(world, "later", { pool: "default" });
    await world.provision();

    const images = world.requests.map(({ imageId, clientToken }) => [imageId, clientToken]);
    const [first] = world.requests;
    expect(images.slice(0, 2)).toEqual([
      ["ami-1", first?.clientToken],
      ["ami-1", first?.clientToken],
    ]);
    expect(images.at(-1)).toEqual(["ami-2", expect.not.stringContaining(first?.clientToken ?? "")]);
    expectOneInstanceEach(world);
  });

  it("leaves no instance behind that nobody wants, though EC2 does not show it yet", async () => {
    const world = plannerWorld();
    world.aws.faults.hideLaunches(30_000);
    world.aws.faults.loseAnswers("RunInstances");
    addPoolWithPods(world, "default", 3);
    await world.provision();
    // Two of the claims are gone before anybody knows of their instances.
    for (const { metadata } of world.claims().slice(1)) {
      world.server.patch("NodeClaim", { name: metadata.name }, { metadata: { finalizers: null } });
      world.server.delete("NodeClaim", { name: metadata.name });
    }
    for (let pass = 0; pass < 5; pass++) {
      await world.advance(10);
      await world.provision();
    }
    expectOneInstanceEach(world);
  });

  it("is settled by tag alone when the class is gone, and nobody's condition is overwritten", async () => {
    const world = plannerWorld();
    world.aws.faults.loseAnswers("RunInstances");
    addPoolWithPods(world, "default", 2);
    await world.provision();
    world.server.delete("EC2NodeClass", { name: "default" });
    await world.advance(10);

    await world.provision();

    expect(world.requests).toHaveLength(1);
    expectOneInstanceEach(world);
    expect(launchedCondition(world, "default")).toMatchObject({ status: "True" });
  });
});

describe("an instance", () => {
  it("has its claim name the profile that it was launched with, not the one that was planned", async () => {
    const world = plannerWorld();
    const { metadata } = world.server.create("NodeClaim", nodeClaim("a"));
    const nodeClass = world.server.patch(
      "EC2NodeClass",
      { name: "default" },
      { status: { instanceProfile: "of another role" } },
      { subresource: "status" },
    );

    const pair = { nodeClaim: metadata.name, instance: instance("i-a") };
    await assignInstance(world.ports, pair, { type: undefined, nodeClass });

    expect(world.claim("a")?.metadata.annotations).toMatchObject({
      "karpenter.k8s.aws/instance-profile-name": "of another role",
    });
  });

  it("is not given to a claim that has another", async () => {
    const world = plannerWorld();
    addPoolWithPods(world, "default", 1);
    await world.provision();
    const [claim] = world.claims();

    await assignInstance(
      world.ports,
      { nodeClaim: claim?.metadata.name ?? "", instance: instance("i-other", { instanceType: "c5.large" }) },
      { type: undefined, nodeClass: undefined },
    );

    expect(world.claims()).toEqual([claim]);
  });

  it("is not explained away: a claim that has one keeps its condition", async () => {
    const world = plannerWorld();
    addPoolWithPods(world, "default", 1);
    await world.provision();
    const names = world.claims().map(({ metadata }) => metadata.name);

    await explainUnlaunched(world.ports, names, { reason: "LaunchFailed", message: "an older answer" });

    expect(launchedCondition(world, "default")).toMatchObject({ status: "True" });
  });
});
