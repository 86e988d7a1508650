import { describe, expect, it } from "vitest";
import { ec2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import { ec2NodeClassHash, nodePoolHash } from "../../../shared/api/hashes.ts";
import { nodePool } from "../../../shared/api/node-pool.ts";
import { type Change, nodeClassManifest, nodePoolManifest } from "../../support/api-manifests.ts";

const poolHash = (...changes: readonly Change[]) => nodePoolHash(nodePool.parse(nodePoolManifest(...changes)));
const classHash = (...changes: readonly Change[]) =>
  ec2NodeClassHash(ec2NodeClass.parse(nodeClassManifest(...changes)));
const template = "spec.template.spec";

describe("nodePoolHash", () => {
  it.each<Change>([
    ["spec.template.metadata.labels", { team: "a" }],
    ["spec.template.metadata.annotations", { team: "a" }],
    [`${template}.taints`, [{ key: "a", effect: "NoSchedule" }]],
    [`${template}.startupTaints`, [{ key: "a", effect: "NoSchedule" }]],
    [`${template}.nodeClassRef.name`, "other"],
    [`${template}.expireAfter`, "1h"],
    [`${template}.terminationGracePeriod`, "1h"],
  ])("changes with %s", (...change) => {
    expect(poolHash(change)).not.toBe(poolHash());
  });

  it.each<Change>([
    [`${template}.requirements`, [{ key: "a", operator: "Exists" }]],
    ["spec.disruption.budgets", [{ nodes: "1" }]],
    ["spec.limits", { cpu: 1 }],
    ["spec.weight", 5],
    ["metadata.name", "other"],
    [`${template}.expireAfter`, "720h"],
    [`${template}.taints`, []],
    ["spec.template.metadata.labels", {}],
  ])("stays the same with %s %j, which make no other node", (...change) => {
    expect(poolHash(change)).toBe(poolHash());
  });

  it("does not depend on the order of taints", () => {
    const [a, b] = [
      { key: "a", effect: "NoSchedule" },
      { key: "b", effect: "NoSchedule" },
    ];
    expect(poolHash([`${template}.taints`, [a, b]])).toBe(poolHash([`${template}.taints`, [b, a]]));
  });
});

describe("ec2NodeClassHash", () => {
  it.each<Change>([
    ["spec.userData", "x"],
    ["spec.role", "other"],
    ["spec.tags", { a: "b" }],
    ["spec.kubelet", { maxPods: 20 }],
    ["spec.blockDeviceMappings", [{ ebs: { volumeSize: "20Gi" } }]],
    ["spec.metadataOptions", { httpTokens: "optional" }],
    ["spec.associatePublicIPAddress", false],
    ["spec.amiFamily", "Custom"],
  ])("changes with %s %j", (...change) => {
    expect(classHash(change)).not.toBe(classHash());
  });

  it.each<Change>([
    ["spec.subnetSelectorTerms", [{ id: "subnet-1" }]],
    ["spec.securityGroupSelectorTerms", [{ id: "sg-1" }]],
    ["spec.capacityReservationSelectorTerms", [{ id: "cr-1" }]],
    ["spec.amiSelectorTerms", [{ alias: "al2023@v20260101" }]],
    ["spec.amiFamily", "AL2023"],
    ["spec.ipPrefixCount", 1],
    ["spec.metadataOptions", { httpTokens: "required" }],
  ])("stays the same with %s %j, which nodes are compared with themselves or which is a default", (...change) => {
    expect(classHash(change)).toBe(classHash());
  });
});
