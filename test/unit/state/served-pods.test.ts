import { describe, expect, it } from "vitest";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { PodDecoder } from "../../../shared/state/pod-decoding.ts";
import { notServedReason } from "../../../shared/state/served-pods.ts";
import { podNamed } from "../../support/cluster-objects.ts";
import { claimedNode } from "../../support/nodes.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";
import { planFor, snapshotWith } from "../../support/snapshot.ts";

function reason(annotations: Record<string, string>, setting?: string) {
  return notServedReason(podNamed("web", { annotations }), setting);
}

describe("a pod", () => {
  it("is served unless it opts out", () => {
    expect(reason({})).toBeUndefined();
    expect(reason({ "journeyman.sh/do-not-provision": "false" })).toBeUndefined();
    expect(reason({ "journeyman.sh/do-not-provision": "true" })).toBe(
      'its annotation journeyman.sh/do-not-provision is "true"',
    );
  });

  it("is served by the annotation that the setting names", () => {
    expect(reason({ "example.com/served": "" }, "example.com/served")).toBeUndefined();
    expect(reason({}, "example.com/served")).toBe(
      "it lacks the annotation example.com/served, by which pods are served",
    );
  });

  it("is served by the value that the setting names", () => {
    expect(reason({ team: "a=b" }, "team=a=b")).toBeUndefined();
    expect(reason({ team: "c" }, "team=a=b")).toBe('its annotation team is "c", and pods are served with "a=b"');
    expect(reason({ team: "" }, "team=")).toBeUndefined();
  });

  it("opts out although it has the annotation", () => {
    expect(reason({ served: "yes", "journeyman.sh/do-not-provision": "true" }, "served")).toContain("do-not-provision");
  });
});

describe("a pod that is not served", () => {
  const annotations = { "journeyman.sh/do-not-provision": "true" };

  it("makes no node, and is told of as waiting", () => {
    const plan = planFor({ pods: [pendingPod("web", { annotations })] });
    expect(plan).toMatchObject({ nodeClaims: [], unschedulable: [], waiting: [{ pod: { name: "web" } }] });
  });

  it("gets no new place when its node leaves", () => {
    const { node, claim } = claimedNode("old", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] });
    const pods = [runningPod("web", "old", { annotations })];
    const plan = planProvisioning(snapshotWith({ nodes: [node], nodeClaims: [claim], pods }));
    expect(plan).toMatchObject({ nodeClaims: [], unschedulable: [] });
  });

  it("is so by the setting too", () => {
    const decoder = new PodDecoder({ servedPodAnnotation: "served" });
    expect(decoder.decode(podNamed("web")).notServed).toContain("served");
    expect("notServed" in decoder.decode(podNamed("web", { annotations: { served: "" } }))).toBe(false);
  });
});
