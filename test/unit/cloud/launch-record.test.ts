import { describe, expect, it } from "vitest";
import {
  clientToken,
  formatLaunchRecord,
  type LeaderRecord,
  launchGroupId,
  parseLaunchRecord,
  requestSha,
} from "../../../shared/cloud/launch-record.ts";
import { runInstancesRequest } from "../../../shared/cloud/run-instances.ts";
import { launchContext } from "../../support/launches.ts";

const record: LeaderRecord = {
  version: 1,
  role: "leader",
  group: launchGroupId("shop", ["uid-a"]),
  members: ["a"],
  attempt: 1,
  instanceType: "m5.large",
  zone: "z1",
  subnetId: "subnet-z1",
  capacityType: "spot",
  imageId: "ami-1",
  count: 1,
  clientToken: clientToken("shop", "group", "subnet-z1", 1),
  requestSha: "sha",
  state: "sent",
  startedAt: 1_000,
  sentAt: 1_000,
};

describe("launch records", () => {
  it("are read back as they were written", () => {
    expect(parseLaunchRecord(formatLaunchRecord(record))).toEqual({ kind: "record", record });
    const pointer = { version: 1, role: "member", group: "g", leader: "a" } as const;
    expect(parseLaunchRecord(formatLaunchRecord(pointer))).toEqual({ kind: "record", record: pointer });
  });

  it("tell a missing annotation from one that cannot be read", () => {
    expect(parseLaunchRecord(undefined)).toEqual({ kind: "absent" });
    expect(parseLaunchRecord("{}").kind).toBe("unreadable");
    expect(parseLaunchRecord("not json").kind).toBe("unreadable");
  });

  it("stay small: 50 members of the longest usual names fit 4 KiB", () => {
    const members = Array.from({ length: 50 }, (_, index) => `${"p".repeat(40)}-${String(index).padStart(10, "0")}-2`);
    expect(formatLaunchRecord({ ...record, members }).length).toBeLessThan(4_096);
  });
});

describe("clientToken", () => {
  it("differs by cluster, group, subnet and attempt, and fits EC2's 64 characters", () => {
    const tokens = [
      clientToken("shop", "g", "s", 1),
      clientToken("shop2", "g", "s", 1),
      clientToken("shop", "h", "s", 1),
      clientToken("shop", "g", "t", 1),
      clientToken("shop", "g", "s", 2),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) expect(token).toMatch(/^[a-z0-9]{51}$/);
  });
});

describe("launchGroupId", () => {
  it("does not depend on the order of the claims", () => {
    expect(launchGroupId("shop", ["2", "1"])).toBe(launchGroupId("shop", ["1", "2"]));
  });
});

describe("requestSha", () => {
  it("changes with anything that reaches EC2 and with nothing else", () => {
    const built = runInstancesRequest(launchContext(), record);
    if (built.kind === "problem") throw new Error(built.message);
    const reordered = Object.fromEntries(Object.entries(built.request).toReversed()) as typeof built.request;
    expect(requestSha(reordered)).toBe(requestSha(built.request));
    expect(requestSha({ ...built.request, securityGroupIds: ["sg-other"] })).not.toBe(requestSha(built.request));
    expect(requestSha({ ...built.request, userData: "other" })).not.toBe(requestSha(built.request));
  });
});
