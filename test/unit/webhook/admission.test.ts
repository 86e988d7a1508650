import { describe, expect, it } from "vitest";
import { admit } from "../../../functions/webhook/admission.ts";
import type { AdmissionReview } from "../../../functions/webhook/admission-review.ts";
import { isSelected, selections } from "../../../functions/webhook/match-conditions.ts";
import { nodeWithReady, pendingPod, review, unschedulableReview } from "../../support/admission.ts";

const now = 1_000;

function expectEvents(given: AdmissionReview, ...subjects: readonly string[]): void {
  const { response, events } = admit(given, now);
  expect(response.response).toEqual({ uid: "review-1", allowed: true });
  expect(events.map(({ subject }) => subject)).toEqual(subjects);
}

describe("admission of pods/status", () => {
  it("hints at pending pods when the scheduler says for the first time that there is no node", () => {
    expectEvents(unschedulableReview(undefined, "0/3 nodes are available"), "pod/uid-1");
    expect(admit(unschedulableReview(undefined, "no node"), now).events[0]?.hint).toEqual({
      kind: "provision",
      reason: "pods-pending",
      at: now,
    });
  });

  it("hints again when the scheduler's message changes, and not when it stays", () => {
    expectEvents(unschedulableReview("0/3 nodes", "0/4 nodes"), "pod/uid-1");
    expectEvents(unschedulableReview("0/3 nodes", "0/3 nodes"));
  });

  it("ignores a pod that has a node or is being deleted", () => {
    expectEvents(unschedulableReview(undefined, "no node", { object: pendingPod("no node", { nodeName: "node-1" }) }));
    const deleting = { ...pendingPod("no node"), metadata: { name: "web-1", uid: "uid-1", deletionTimestamp: "now" } };
    expectEvents(unschedulableReview(undefined, "no node", { object: deleting }));
  });

  it("ignores pods that the cluster needs for itself: they wait for nobody", () => {
    expectEvents(unschedulableReview(undefined, "no node", { namespace: "kube-system" }));
    expectEvents(unschedulableReview(undefined, "no node", { namespace: "shop" }), "pod/uid-1");
  });

  it("ignores our own patches and dry runs", () => {
    expectEvents(unschedulableReview(undefined, "no node", { groups: ["journeyman:controllers"] }));
    expectEvents(unschedulableReview(undefined, "no node", { dryRun: true }));
  });

  it("ignores the pod itself: only its status says that it is unschedulable", () => {
    expectEvents(unschedulableReview(undefined, "no node", { subResource: "" }));
  });
});

describe("admission of nodes", () => {
  it("hints at a node that was created", () => {
    expectEvents(review({ resource: "nodes", operation: "CREATE", object: nodeWithReady("False") }), "node/node-1");
  });

  it("hints at a node that became ready, and not at one that was", () => {
    const status = { resource: "nodes", subResource: "status", object: nodeWithReady("True") };
    expectEvents(review({ ...status, oldObject: nodeWithReady("False") }), "node/node-1");
    expectEvents(review({ ...status, oldObject: nodeWithReady("True") }));
  });
});

describe("admission of NodePools and NodeClaims", () => {
  const karpenter = { group: "karpenter.sh", name: "general" };
  const at = (generation: number) => ({ metadata: { name: "general", generation } });

  it("hints at one that was created or deleted", () => {
    expectEvents(
      review({ ...karpenter, resource: "nodepools", operation: "CREATE", object: at(1) }),
      "node-pool/general",
    );
    expectEvents(
      review({ ...karpenter, resource: "nodeclaims", operation: "DELETE", oldObject: at(1) }),
      "node-claim/general",
    );
  });

  it("hints at a changed spec, and not at changed labels", () => {
    expectEvents(review({ ...karpenter, resource: "nodepools", object: at(2), oldObject: at(1) }), "node-pool/general");
    expectEvents(review({ ...karpenter, resource: "nodepools", object: at(1), oldObject: at(1) }));
  });

  it("hints at an EC2NodeClass that was made or changed, and not at its status", () => {
    const ec2 = { group: "karpenter.k8s.aws", resource: "ec2nodeclasses" };
    expectEvents(review({ ...ec2, operation: "CREATE", object: at(1) }), "node-class/general");
    expectEvents(review({ ...ec2, object: at(2), oldObject: at(1) }), "node-class/general");
    expectEvents(review({ ...ec2, object: at(1), oldObject: at(1) }));
  });
});

describe("the breaker's probe", () => {
  const probe = { resource: "configmaps", operation: "CREATE", name: "journeyman-webhook-probe", dryRun: true };

  it("is refused, which proves that it was heard", () => {
    const { response, events } = admit(review({ ...probe, object: { metadata: {} } }), now);
    expect(response.response).toMatchObject({ allowed: false, status: { code: 403 } });
    expect(events).toEqual([]);
  });

  it("is the only thing that is refused: a real ConfigMap and one of another name are none", () => {
    for (const other of [{ dryRun: false }, { name: "facts" }, { resource: "secrets" }]) {
      expectEvents(review({ ...probe, ...other, object: { metadata: {} } }));
    }
  });
});

describe("the webhook's selections", () => {
  it("leave out what no rule names", () => {
    expect(isSelected(review({ resource: "configmaps", operation: "CREATE", object: { metadata: {} } }).request)).toBe(
      false,
    );
  });

  it("keep within what a webhook may have: 64 conditions with distinct names", () => {
    for (const { matchConditions } of selections) {
      const names = matchConditions.map(({ name }) => name);
      expect(names.length).toBeLessThanOrEqual(64);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
