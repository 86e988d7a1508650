import { describe, expect, it } from "vitest";
import { type DrainState, type DrainStep, drainStep, isDrained } from "../../../shared/disruption/drain.ts";
import { podRecord } from "../../../shared/state/pod-decoding.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import { budgetNamed, type PodInput, podNamed } from "../../support/cluster-objects.ts";

const now = Date.UTC(2026, 10, 30, 12);

function pod(
  name: string,
  input: PodInput & { readonly ownerKind?: string; readonly deletedAt?: number } = {},
): PodRecord {
  const { ownerKind = "ReplicaSet", deletedAt } = input;
  const owner = { apiVersion: "apps/v1", kind: ownerKind, name: "owner", uid: "owner" };
  const record = podRecord(podNamed(name, { ...input, metadata: { uid: name, ownerReferences: [owner] } }));
  return { ...record, phase: "Running", startedAt: now, ...(deletedAt === undefined ? {} : { deletedAt }) };
}

function step(state: Partial<DrainState>): DrainStep {
  return drainStep({ now, pods: [], podDisruptionBudgets: [], homed: new Set(), ...state });
}

function names(pods: readonly PodRecord[]): readonly string[] {
  return pods.map(({ name }) => name);
}

function waits(result: DrainStep): Record<string, string> {
  return Object.fromEntries(result.waitingFor.map(({ pod: { name }, reason }) => [name, reason]));
}

describe("a drain", () => {
  it("is over when no pod has to leave: finished, static, tolerating and stuck pods stay", () => {
    const tolerating = { tolerations: [{ key: "karpenter.sh/disrupted", operator: "Exists" as const }] };
    const pods = [
      { ...pod("done"), phase: "Succeeded" },
      pod("static", { ownerKind: "Node" }),
      pod("agent", { ownerKind: "DaemonSet", spec: tolerating }),
      pod("stuck", { deletedAt: now - 60_001 }),
    ];
    expect(isDrained(step({ pods }))).toBe(true);
  });

  it("starts a group only when the one before it is gone", () => {
    const critical = { priorityClassName: "system-cluster-critical" };
    const agent = pod("agent", { ownerKind: "DaemonSet" });
    const dns = pod("dns", { spec: critical });
    const cni = pod("cni", { ownerKind: "DaemonSet", spec: critical });
    expect(names(step({ pods: [cni, dns, agent, pod("app")] }).evict)).toEqual(["app"]);
    expect(names(step({ pods: [cni, dns, agent, pod("app", { deletedAt: now })] }).evict)).toEqual([]);
    expect(names(step({ pods: [cni, dns, agent] }).evict)).toEqual(["agent"]);
    expect(names(step({ pods: [cni, dns] }).evict)).toEqual(["dns"]);
    expect(names(step({ pods: [cni] }).evict)).toEqual(["cni"]);
  });

  it("keeps pods with do-not-disrupt, for a duration only as long as it lasts", () => {
    const always = pod("always", { annotations: { "karpenter.sh/do-not-disrupt": "true" } });
    const briefly = pod("briefly", { annotations: { "karpenter.sh/do-not-disrupt": "10m" } });
    const wrong = pod("wrong", { annotations: { "karpenter.sh/do-not-disrupt": "-1h" } });
    const pods = [always, briefly, wrong];
    expect(names(step({ pods }).evict)).toEqual(["wrong"]);
    expect(names(step({ pods, now: now + 600_000 }).evict)).toEqual(["briefly", "wrong"]);
  });

  it("does not ask for what the Eviction API refuses: a pod with two budgets", () => {
    const selector = { matchLabels: { app: "a" } };
    const budgets = [budgetNamed("one", { selector }), budgetNamed("two", { selector })];
    const result = step({ pods: [pod("a", { labels: { app: "a" } })], podDisruptionBudgets: budgets });
    expect(result.evict).toEqual([]);
    expect(waits(result).a).toContain("one, two");
  });
});

describe("a drain with a termination timestamp", () => {
  const terminationAt = now + 20_000;

  it("force-deletes a pod, do-not-disrupt or not, from when its grace no longer fits, with what is left of it", () => {
    const pods = [pod("app", { annotations: { "karpenter.sh/do-not-disrupt": "true" } })];
    const late = step({ pods, terminationAt });
    expect(late.forceDelete.map(({ gracePeriodSeconds }) => gracePeriodSeconds)).toEqual([20]);
    expect(step({ pods, terminationAt: now + 30_000 }).forceDelete).toEqual([]);
  });

  it("cuts the grace of a pod that would terminate beyond it, and never below a second", () => {
    const pods = [pod("slow", { deletedAt: terminationAt + 1 })];
    expect(step({ pods, terminationAt }).forceDelete).toHaveLength(1);
    expect(step({ pods, terminationAt, now: terminationAt + 5_000 }).forceDelete[0]?.gracePeriodSeconds).toBe(1);
  });
});

describe("a drain with replacement", () => {
  const replacement = { reason: "spot-interruption", noticedAt: now, deadlineAt: now + 120_000 };

  it("evicts a pod when its next node is ready", () => {
    const pods = [pod("a"), pod("b")];
    const result = step({ pods, replacement, homed: new Set(["a"]) });
    expect(names(result.evict)).toEqual(["a"]);
    expect(waits(result)).toEqual({ b: "its next node is not ready" });
  });

  it("evicts every pod at deadline - grace - 10 s at the latest, whatever its group", () => {
    const pods = [pod("app"), pod("dns", { spec: { priorityClassName: "system-cluster-critical" } })];
    const early = step({ pods, replacement });
    expect(early.evict).toEqual([]);
    expect(early.nextAt).toBe(now + 80_000);
    expect(names(step({ pods, replacement, now: now + 80_000 }).evict)).toEqual(["app", "dns"]);
  });

  it("evicts pods with longer graces at once", () => {
    const pods = [pod("slow", { spec: { terminationGracePeriodSeconds: 110 } }), pod("quick")];
    expect(names(step({ pods, replacement }).evict)).toEqual(["slow"]);
  });

  it("without a deadline waits ten minutes for the next node", () => {
    const patient = { reason: "rebalance", noticedAt: now };
    expect(step({ pods: [pod("a")], replacement: patient, now: now + 599_999 }).evict).toEqual([]);
    expect(names(step({ pods: [pod("a")], replacement: patient, now: now + 600_000 }).evict)).toEqual(["a"]);
  });

  it("keeps do-not-disrupt pods to the end of the machine", () => {
    const pods = [pod("job", { annotations: { "karpenter.sh/do-not-disrupt": "true" } })];
    expect(step({ pods, replacement, now: now + 119_000 }).evict).toEqual([]);
  });
});
