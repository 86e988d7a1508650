import { describe, expect, it } from "vitest";
import type { Node, PodSpec } from "../../../shared/api/core.ts";
import { awaitedNodes } from "../../../shared/state/awaited-nodes.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import { podRecord } from "../../../shared/state/pod-decoding.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { plainNode } from "../../support/nodes.ts";
import { hostnameSpread, pendingPod, zoneSpread } from "../../support/pods.ts";

const providerID = (name: string) => `aws:///a/i-${name}`;
const madeAt = "2026-01-01T00:00:00Z";

/** A claim that is meant for a pod of its own name. */
function claimFor(name: string, options: { readonly createdAt?: string; readonly deletedAt?: string } = {}) {
  const annotations = { "journeyman.sh/nominated-pods": formatNominations([{ uid: name, owner: "", class: "web" }]) };
  return nodeClaim(name, { createdAt: madeAt, annotations, status: { providerID: providerID(name) }, ...options });
}

function readyNode(name: string, status: "True" | "False" = "True"): Node {
  const node = plainNode(name);
  const ready = { type: "Ready", status, reason: "", message: "", lastTransitionTime: madeAt } as const;
  return { ...node, spec: { providerID: providerID(name) }, status: { ...node.status, conditions: [ready] } };
}

function podOf(spec: Partial<PodSpec>) {
  return podRecord(pendingPod("own", { metadata: { uid: "own" }, labels: { app: "web" }, spec }));
}

describe("the nodes that a node waits for before it opens", () => {
  const claims = ["own", "one", "two"].map((name) => claimFor(name));
  const own = claimFor("own");
  const spreading = podOf(zoneSpread("web"));

  it("are those of its plan that are not ready yet", () => {
    expect(awaitedNodes(own, claims, [readyNode("own")], [spreading])).toEqual(["one", "two"]);
    expect(awaitedNodes(own, claims, [readyNode("one"), readyNode("two", "False")], [spreading])).toEqual(["two"]);
    expect(awaitedNodes(own, claims, [readyNode("one"), readyNode("two")], [spreading])).toEqual([]);
  });

  it("are not those of claims that are being deleted, that nobody has planned pods for, or of another plan", () => {
    const others = [
      claimFor("leaving", { deletedAt: madeAt }),
      nodeClaim("by-hand", { createdAt: madeAt }),
      claimFor("earlier", { createdAt: "2025-12-31T23:59:00Z" }),
    ];
    expect(awaitedNodes(own, [own, ...others], [], [spreading])).toEqual([]);
  });

  it("are none for pods that spread over nodes alone, or as far as possible, or have their node", () => {
    const none = (spec: Partial<PodSpec>) => awaitedNodes(own, claims, [], [podOf(spec)]);
    expect(none(hostnameSpread("web"))).toEqual([]);
    expect(none(zoneSpread("web", { whenUnsatisfiable: "ScheduleAnyway" }))).toEqual([]);
    expect(none({ ...zoneSpread("web"), nodeName: "own" })).toEqual([]);
  });
});
