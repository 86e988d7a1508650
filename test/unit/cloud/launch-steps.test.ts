import { describe, expect, it } from "vitest";
import { tag } from "../../../shared/api/labels.ts";
import { launchGroups } from "../../../shared/cloud/launch-groups.ts";
import { advance, openSituation } from "../../../shared/cloud/launch-progress.ts";
import type { LaunchSituation, LaunchStep } from "../../../shared/cloud/launch-situation.ts";
import { nextLaunchStep } from "../../../shared/cloud/launch-steps.ts";
import { launchRequests } from "../../../shared/cloud/run-instances.ts";
import type { Ec2Instance } from "../../../shared/ports.ts";
import { instance, launchContext, offering, requestsOfDefaultClass } from "../../support/launches.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodeClass } from "../../support/node-classes.ts";

describe("nextLaunchStep", () => {
  it("commits the leader's record after the members' pointers, and then sends what it says", () => {
    const opened = situationOf(["b", "a"]);
    const write = stepOf(opened, "write-record");
    expect(write.writes.map((one) => one.nodeClaim)).toEqual(["b", "a"]);
    expect(write.record).toMatchObject({ members: ["a", "b"], attempt: 1, count: 2, state: "sent", zone: "z1" });
    const { request } = stepOf(following(opened, write), "send");
    expect(request).toMatchObject({ clientToken: write.record.clientToken, minCount: 1, maxCount: 2 });
    expect(request.tags[tag.launchGroup]).toBe(write.record.group);
  });

  it("gives instances and members to each other in order", () => {
    const step = stepOf(launched(sent(["b", "a"]), ["i-2", "i-1"]), "assign");
    expect(pairsOf(step)).toEqual(["a=i-1", "b=i-2"]);
    expect(step).toMatchObject({ surplus: [], mark: [], record: { state: "done" } });
  });

  it("takes what EC2 gives and asks the next offering for the rest", () => {
    const before = launched(sent(["a", "b", "c"]), ["i-1", "i-2"]);
    const assign = stepOf(before, "assign");
    expect(assign.mark).toMatchObject([{ instanceType: "m5.large", zone: "z1", capacityType: "spot", times: 1 }]);
    const next = stepOf(following(before, assign), "write-record");
    expect(next.writes.map((one) => one.nodeClaim)).toEqual(["a"]);
    expect(next.record).toMatchObject({ instanceType: "c5.large", attempt: 2, count: 1 });
  });

  it("looks a record of an earlier pass up by tag and then sends the same token", () => {
    const crashed = reopened(sent(["a", "b"]));
    expect(stepOf(crashed, "resolve-by-tag")).toMatchObject({ tagKey: tag.launchGroup, tagValue: crashed.group.id });
    const looked = { ...crashed, instances: [], now: 5_000 };
    const renewed = stepOf(looked, "write-record");
    expect(renewed.record).toEqual({ ...crashed.group.record, sentAt: 5_000 });
    expect(stepOf(following(looked, renewed), "send").request.clientToken).toBe(crashed.group.record?.clientToken);
  });

  it("skips instances that a claim has, gives the others away and terminates the surplus", () => {
    const crashed = reopened(sent(["a", "b"]));
    const members = crashed.group.members.map((member) =>
      member.name === "a" ? { ...member, instanceId: "i-2" } : member,
    );
    const instances = ["i-1", "i-2", "i-3"].map((id) => ofAttempt(crashed, id));
    const step = stepOf({ ...crashed, group: { ...crashed.group, members }, instances }, "assign");
    expect(pairsOf(step)).toEqual(["b=i-1"]);
    expect(step.surplus).toEqual(["i-3"]);
  });

  it("does not send again for claims that are being deleted, but waits for what may still appear", () => {
    const crashed = reopened(sent(["a"]));
    const members = crashed.group.members.map((member) => ({ ...member, deleting: true }));
    const deleting = { ...crashed, group: { ...crashed.group, members }, instances: [] };
    expect(stepOf(deleting, "wait").delaySeconds).toBe(120);
    expect(stepOf({ ...deleting, now: 121_000 }, "assign").record.state).toBe("failed");
    expect(stepOf({ ...deleting, instances: [ofAttempt(deleting, "i-1")] }, "assign").surplus).toEqual(["i-1"]);
  });

  it("makes a new attempt after a change of the NodeClass only once the old request cannot appear any more", () => {
    const changed = launchRequests(launchContext({ nodeClass: nodeClass({ userData: "#!/bin/sh" }) }));
    const crashed = { ...reopened(sent(["a"])), instances: [] };
    expect(nextLaunchStep(crashed, changed)).toMatchObject({ kind: "wait", delaySeconds: 120 });
    const settled = nextLaunchStep({ ...crashed, now: 120_000 }, changed);
    expect(settled).toMatchObject({ kind: "assign", record: { state: "failed", attempt: 1 } });
    const next = nextLaunchStep(following(crashed, settled), changed);
    expect(next).toMatchObject({ kind: "write-record", record: { attempt: 2 } });
  });

  it("marks the offering of a capacity error and goes on with another token", () => {
    const before = refused(sent(["a"]), "InsufficientInstanceCapacity");
    const step = stepOf(before, "next-offering");
    expect(step.mark).toMatchObject([{ instanceType: "m5.large", zone: "z1", capacityType: "spot", untilAt: 180_000 }]);
    const next = stepOf(following(before, step), "write-record");
    expect(next.record.instanceType).toBe("c5.large");
    expect(next.record.clientToken).not.toBe(before.group.record?.clientToken);
  });

  it("leaves spot alone when the account's spot quota is used up (B3.01)", () => {
    const before = refused(sent(["a"]), "MaxSpotInstanceCountExceeded");
    const next = stepOf(following(before, stepOf(before, "next-offering")), "write-record");
    expect(next.record).toMatchObject({ capacityType: "on-demand", instanceType: "r5.large" });
  });

  it("tries three offerings in a pass and leaves the rest to the next", () => {
    let situation = situationOf(
      ["a"],
      ["m5.large/z1/spot", "m5.large/z2/spot", "c5.large/z1/spot", "r5.large/z1/spot"],
    );
    for (let attempt = 1; attempt <= 3; attempt++) {
      situation = refused(following(following(situation), { kind: "send" }), "InsufficientInstanceCapacity");
      situation = following(situation);
    }
    expect(stepOf(situation, "wait").reason).toContain("3 offerings");
    expect(stepOf({ ...situation, attemptsThisPass: 0 }, "write-record").record.attempt).toBe(4);
  });

  it("gives the claims up when no offering is left, and says what refused them", () => {
    const situation = refused(sent(["a", "b"], ["m5.large/z1/spot"]), "InsufficientInstanceCapacity");
    expect(stepOf(following(situation), "give-up")).toEqual({
      kind: "give-up",
      mark: [],
      nodeClaims: ["a", "b"],
      reason: "no offering is left: InsufficientInstanceCapacity (1)",
    });
  });

  it("waits with the same attempt when EC2 throttles, and asks the others to wait too", () => {
    const step = stepOf(refused(sent(["a"]), "RequestLimitExceeded"), "wait");
    expect(step).toMatchObject({ pause: "all", delaySeconds: 5 });
  });

  it("looks by tag after an error it does not know, then waits longer the longer it lasts, and reports it", () => {
    const unknown = refused(sent(["a"]), "SomethingNew");
    expect(stepOf(unknown, "resolve-by-tag").tagValue).toBe(unknown.group.id);
    const looked = { ...unknown, instances: [] };
    expect(stepOf(looked, "wait")).toMatchObject({ delaySeconds: 5, pause: "group", error: { known: false } });
    expect(stepOf({ ...looked, now: 120_000 }, "wait").delaySeconds).toBe(60);
    expect(stepOf({ ...looked, instances: [ofAttempt(looked, "i-1")] }, "assign").pairs).toHaveLength(1);
  });

  it("stops the pool on an error that only a person can mend", () => {
    const step = stepOf(refused(sent(["a"]), "UnauthorizedOperation"), "stop-pool");
    expect(step).toMatchObject({ nodeClaims: ["a"], reason: "Unauthorized", record: { state: "failed" } });
  });

  it("writes nothing for a NodeClass whose user data cannot be made", () => {
    const requests = launchRequests(
      launchContext({ nodeClass: nodeClass({ userData: "Content-Type: text/plain\n\nhello" }) }),
    );
    const step = nextLaunchStep(situationOf(["a"]), requests);
    expect(step).toMatchObject({ kind: "stop-pool", reason: "InvalidUserData" });
  });

  it("passes over offerings without a subnet", () => {
    const status = { instanceProfile: "p", subnets: [{ id: "subnet-b", zone: "z2" }] };
    const requests = launchRequests(launchContext({ nodeClass: nodeClass({}, status) }));
    expect(nextLaunchStep(situationOf(["a"]), requests)).toMatchObject({
      kind: "write-record",
      record: { instanceType: "r5.large", subnetId: "subnet-b" },
    });
  });

  it("is finished when every claim has its instance", () => {
    expect(nextLaunchStep(following(launched(sent(["a"]), ["i-1"])), requestsOfDefaultClass)).toEqual({
      kind: "finished",
    });
  });
});

function situationOf(
  names: readonly string[],
  keys: readonly string[] = ["m5.large/z1/spot", "c5.large/z1/spot", "r5.large/z2/on-demand"],
): LaunchSituation {
  const offerings = keys.map((key) => offering(key));
  const { groups } = launchGroups(
    names.map((name) => ({ nodeClaim: nodeClaim(name), offerings })),
    { clusterName: "shop" },
  );
  const [group] = groups;
  if (group === undefined) throw new Error("no group");
  return openSituation(group, [], 0);
}

/** Committed and about to be sent. */
function sent(names: readonly string[], keys?: readonly string[]): LaunchSituation {
  return following(situationOf(names, keys));
}

function launched(situation: LaunchSituation, ids: readonly string[]): LaunchSituation {
  return { ...situation, outcome: { kind: "launched", instances: ids.map((id) => ofAttempt(situation, id)) } };
}

function refused(situation: LaunchSituation, code: string): LaunchSituation {
  return { ...situation, outcome: { kind: "refused", code, message: "" } };
}

/** As the next pass reads it after a crash. */
function reopened({ group }: LaunchSituation): LaunchSituation {
  return openSituation(group, [], 0);
}

function ofAttempt({ group }: LaunchSituation, instanceId: string): Ec2Instance {
  return instance(instanceId, { clientToken: group.record?.clientToken ?? "" });
}

function following(
  situation: LaunchSituation,
  step: LaunchStep | { readonly kind: "send" } = nextLaunchStep(situation, requestsOfDefaultClass),
): LaunchSituation {
  if (step.kind === "send") return situation;
  return advance(situation, step, { kind: "performed" }, situation.now);
}

function stepOf<K extends LaunchStep["kind"]>(situation: LaunchSituation, kind: K): Extract<LaunchStep, { kind: K }> {
  const step = nextLaunchStep(situation, requestsOfDefaultClass);
  expect(step.kind).toBe(kind);
  return step as Extract<LaunchStep, { kind: K }>;
}

function pairsOf(step: Extract<LaunchStep, { kind: "assign" }>): readonly string[] {
  return step.pairs.map((pair) => `${pair.nodeClaim}=${pair.instance.instanceId}`);
}
