import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { clusterNodes } from "../../../shared/state/cluster-nodes.ts";
import { plainNode } from "../../support/nodes.ts";
import { runningPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";
import { claim, claimed, csiNode, ebs, storageClass } from "../../support/volumes.ts";

const m5 = { [label.instanceType]: "m5.large", [label.nodeClass]: "default" };

function limits(world: World): Readonly<Record<string, number>> {
  return Object.fromEntries(clusterNodes(snapshotWith(world))[0]?.attachLimits ?? []);
}

describe("volumes of a node", () => {
  it("are limited as its driver reports", () => {
    expect(
      limits({ nodes: [plainNode("n", { labels: m5 })], csiNodes: [csiNode("n", 5), csiNode("other", 3)] }),
    ).toEqual({
      [ebs]: 5,
    });
  });

  it("have no limit when the driver names none, or the type is unknown", () => {
    expect(limits({ nodes: [plainNode("n", { labels: m5 })], csiNodes: [csiNode("n")] })).toEqual({});
    expect(limits({ nodes: [plainNode("n", { labels: { [label.instanceType]: "own" } })] })).toEqual({});
  });

  it("are limited as its type and class lead one to expect, until the driver reports", () => {
    const other = { ...csiNode("n"), spec: { drivers: [{ name: "efs.csi.aws.com", nodeID: "i-n" }] } };
    expect(limits({ nodes: [plainNode("n", { labels: m5 })], csiNodes: [other] })).toEqual({ [ebs]: 26 });
    expect(limits({ nodes: [plainNode("n", { labels: m5 })] })).toEqual({ [ebs]: 26 });
  });

  it("are those of its pods, a shared one once", () => {
    const pods = ["a", "b", "c"].map((name) =>
      runningPod(name, "n", { spec: claimed(name === "c" ? "own" : "shared") }),
    );
    const world = {
      nodes: [plainNode("n")],
      pods,
      persistentVolumeClaims: [claim("own"), claim("shared")],
      storageClasses: [storageClass()],
    };
    const [node] = clusterNodes(snapshotWith(world));
    expect(node?.attached).toEqual(new Map([[ebs, new Set(["default/shared", "default/own"])]]));
  });
});
