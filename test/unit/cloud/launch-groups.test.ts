import { describe, expect, it } from "vitest";
import { annotation } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { type LaunchClaim, launchGroups, unsettledClaims } from "../../../shared/cloud/launch-groups.ts";
import { formatLaunchRecord, type LeaderRecord } from "../../../shared/cloud/launch-record.ts";
import { offering } from "../../support/launches.ts";
import { nodeClaim } from "../../support/node-claims.ts";

const options = { clusterName: "shop" };
const spot = offering("m5.large/z1/spot");
const other = offering("c5.large/z1/spot");

const dedicated = { key: "karpenter.k8s.aws/instance-tenancy", operator: "In" as const, values: ["dedicated"] };

function withSpec(one: LaunchClaim, spec: Partial<NodeClaim["spec"]>): LaunchClaim {
  return { ...one, nodeClaim: { ...one.nodeClaim, spec: { ...one.nodeClaim.spec, ...spec } } };
}

describe("launchGroups", () => {
  it("joins claims that ask for the same thing, whatever the order of the list", () => {
    const claims = [claim("c"), claim("a"), claim("b")];
    const { groups } = launchGroups(claims, options);
    expect(groups).toEqual(launchGroups(claims.toReversed(), options).groups);
    expect(groups.map(namesOf)).toEqual([["a", "b", "c"]]);
    expect(groups[0]).toMatchObject({ leader: "a", nodePool: "default", nodeClass: "default" });
  });

  it("keeps claims apart whose nodes would differ", () => {
    const claims = [
      claim("a"),
      claim("b", { labels: { team: "x" } }),
      claim("c", { taints: [{ key: "gpu", effect: "NoSchedule" }] }),
      claim("d", { startupTaints: [{ key: "cni", effect: "NoSchedule" }] }),
      { ...claim("e"), offerings: [other, spot] },
      withSpec(claim("f"), { resources: { requests: { "vpc.amazonaws.com/efa": "1" } } }),
      withSpec(claim("g"), { resources: { requests: { cpu: "1" } } }),
      withSpec(claim("h"), { requirements: [dedicated] }),
    ];
    const apart = [["a", "g"], ["b"], ["c"], ["d"], ["e"], ["f"], ["h"]];
    expect(launchGroups(claims, options).groups.map(namesOf)).toEqual(apart);
  });

  it("offers a group what suits all of its members", () => {
    const claims = [claim("a"), { ...claim("b"), offerings: [spot] }];
    expect(launchGroups(claims, options).groups[0]?.offerings).toEqual([spot]);
  });

  it("cuts groups at their largest size", () => {
    const { groups } = launchGroups([claim("a"), claim("b"), claim("c")], { ...options, maxGroupSize: 2 });
    expect(groups.map(namesOf)).toEqual([["a", "b"], ["c"]]);
  });

  it("leaves launched, deleting, hopeless and unreadable claims out, and says why", () => {
    const claims = [
      claim("a", { status: { providerID: "aws:///z1/i-1" } }),
      claim("b", { deletedAt: "2026-01-01T00:00:00Z" }),
      { ...claim("c"), offerings: [] },
      claim("d", { annotations: { [annotation.launch]: "?" } }),
    ];
    const { groups, skipped } = launchGroups(claims, options);
    expect(groups).toEqual([]);
    expect(skipped.map((one) => one.nodeClaim)).toEqual(["c", "d"]);
    expect(skipped[1]?.reason).toContain("launch record");
  });

  it("resumes a committed group with its own members and identity", () => {
    const claims = [claim("a", leader("sent")), claim("b", pointer()), claim("c")];
    const { groups } = launchGroups(claims, options);
    expect(groups.map(namesOf)).toEqual([["a", "b"], ["c"]]);
    expect(groups[0]).toMatchObject({ id: "g1", record: { state: "sent" } });
  });

  it("resumes a settled group whose leader has its instance for the member that has none", () => {
    const launched = { ...leader("done"), status: { providerID: "aws:///z1/i-1" } };
    const [group] = launchGroups([claim("a", launched), claim("b", pointer())], options).groups;
    expect(group).toMatchObject({ id: "g1", leader: "a", members: [{ instanceId: "i-1" }, { name: "b" }] });
  });

  it("forgets pointers to a leader that never committed, or that is going and settled", () => {
    const deleting = { ...leader("failed"), deletedAt: "2026-01-01T00:00:00Z" };
    for (const first of [claim("a"), claim("a", deleting)]) {
      const { groups } = launchGroups([first, claim("b", pointer())], options);
      expect(groups.map((group) => group.id)).not.toContain("g1");
      expect(groups.flatMap(namesOf)).toContain("b");
    }
  });

  it("gives a claim that was made again under its old name another group", () => {
    const [before] = launchGroups([claim("a", { uid: "1" })], options).groups;
    const [after] = launchGroups([claim("a", { uid: "2" })], options).groups;
    expect(after?.id).not.toBe(before?.id);
  });
});

describe("unsettledClaims", () => {
  it("names the members of groups that may still have a launch under way", () => {
    const nodeClaims = [claim("a", leader("sent")), claim("b", pointer()), claim("c")].map((one) => one.nodeClaim);
    expect([...unsettledClaims(nodeClaims)]).toEqual(["a", "b"]);
    expect(unsettledClaims([claim("a", leader("done")), claim("b", pointer())].map((one) => one.nodeClaim)).size).toBe(
      0,
    );
  });
});

function claim(name: string, changes: Parameters<typeof nodeClaim>[1] = {}): LaunchClaim {
  return { nodeClaim: nodeClaim(name, changes), offerings: [spot, other] };
}

function leader(state: LeaderRecord["state"]) {
  const record: LeaderRecord = {
    version: 1,
    role: "leader",
    group: "g1",
    members: ["a", "b"],
    attempt: 1,
    instanceType: "m5.large",
    zone: "z1",
    subnetId: "subnet-z1",
    capacityType: "spot",
    imageId: "ami-1",
    count: 2,
    clientToken: "token",
    requestSha: "sha",
    state,
    startedAt: 0,
    sentAt: 0,
  };
  return { annotations: { [annotation.launch]: formatLaunchRecord(record) } };
}

function pointer() {
  const text = formatLaunchRecord({ version: 1, role: "member", group: "g1", leader: "a" });
  return { annotations: { [annotation.launch]: text } };
}

function namesOf(group: { readonly members: readonly { readonly name: string }[] }): readonly string[] {
  return group.members.map((member) => member.name);
}
