import { describe, expect, it } from "vitest";
import { nodePool } from "../../../shared/api/node-pool.ts";
import { type Change, nodePoolManifest, problemsOf } from "../../support/api-manifests.ts";

const template = "spec.template.spec";
const problems = (...changes: readonly Change[]) => problemsOf(nodePoolManifest(...changes));
const budget = (entry: object) => problems(["spec.disruption.budgets", [entry]]);
const labelled = (key: string, value = "x") => problems([["spec", "template", "metadata", "labels", key], value]);
const taints = (...entries: readonly object[]) => problems([`${template}.taints`, entries]);

describe("a NodePool's defaults", () => {
  it("are Karpenter's: consolidation at once, a tenth at a time, nodes for 720 h", () => {
    const { spec } = nodePool.parse(nodePoolManifest());
    expect(spec.disruption).toEqual({
      consolidateAfter: "0s",
      consolidationPolicy: "WhenEmptyOrUnderutilized",
      budgets: [{ nodes: "10%" }],
    });
    expect(spec.template.spec.expireAfter).toBe("720h");
  });

  it("fill a disruption block that leaves consolidateAfter out, in static pools too", () => {
    const manifest = nodePoolManifest(["spec.replicas", 2], ["spec.disruption", { consolidationPolicy: "WhenEmpty" }]);
    expect(nodePool.parse(manifest).spec.disruption.consolidateAfter).toBe("0s");
  });
});

describe("a NodePool's durations", () => {
  it.each(["30s", "1h", "1h30m5s", "Never"])("may be %s", (text) => {
    expect(problems([`${template}.expireAfter`, text], ["spec.disruption.consolidateAfter", text])).toEqual([]);
  });

  it.each(["-1h", "1d", "1hx", "never", ""])("may not be %j", (text) => {
    const found = problems([`${template}.expireAfter`, text], ["spec.disruption.consolidateAfter", text]);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain(`found ${JSON.stringify(text)}, expected a duration such as 720h, or "Never"`);
  });

  it("may not be Never for the grace period of a termination", () => {
    expect(problems([`${template}.terminationGracePeriod`, "Never"])[0]).toContain("expected a duration");
  });
});

describe("a NodePool's disruption", () => {
  it.each(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"])("may have the policy %s", (policy) => {
    expect(problems(["spec.disruption.consolidationPolicy", policy])).toEqual([]);
  });

  it.each(["whenEmpty", "", "1", 1, "Always"])("may not have the policy %j", (policy) => {
    expect(problems(["spec.disruption.consolidationPolicy", policy])[0]).toContain('expected one of "WhenEmpty"');
  });

  it.each([
    { nodes: "0" },
    { nodes: "100%" },
    { schedule: "0 9 * * mon-fri", duration: "8h" },
    { schedule: "@daily", duration: "1h30m" },
    { schedule: "@daily", duration: "10m0s" },
    { reasons: ["Drifted", "Underutilized", "Empty"] },
  ])("may have the budget %j", (entry) => {
    expect(budget(entry)).toEqual([]);
  });

  it.each([
    [{ nodes: "-1" }, "nodes: "],
    [{ nodes: "-5%" }, "nodes: "],
    [{ nodes: "101%" }, "nodes: "],
    [{ nodes: "1000%" }, "nodes: "],
    [{ nodes: 5 }, "found 5, expected a string: put it in quotes"],
    [{ schedule: "@daily" }, "duration: found nothing, expected schedule and duration together"],
    [{ duration: "1h" }, "schedule: found nothing, expected schedule and duration together"],
    [{ schedule: "* * * *", duration: "1h" }, "expected five cron fields"],
    [{ schedule: "99 * * * *", duration: "1h" }, "whose minute lies in 0 to 59"],
    [{ schedule: "@daily", duration: "-1h" }, "duration: "],
    [{ schedule: "@daily", duration: "30s" }, "duration: "],
    [{ reasons: ["Expired"] }, 'reasons[0]: found "Expired"'],
    [{ reasons: [""] }, "reasons[0]: "],
  ])("may not have the budget %j", (entry, expected) => {
    const found = budget(entry);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("spec.disruption.budgets[0].");
    expect(found[0]).toContain(expected);
  });

  it("reports each bad budget among good ones", () => {
    const budgets = [{ nodes: "1" }, { schedule: "@daily" }, { nodes: "x" }];
    expect(problems(["spec.disruption.budgets", budgets])).toHaveLength(2);
  });
});

describe("a NodePool's labels", () => {
  it.each(["team", "kops.k8s.io/instancegroup", "kubernetes.io/x", "node.kubernetes.io/x"])("may include %s", (key) => {
    expect(labelled(key)).toEqual([]);
  });

  it.each(["karpenter.sh/nodepool", "karpenter.sh/x", "kubernetes.io/hostname", "a b", "x".repeat(64)])(
    "may not include %s",
    (key) => {
      expect(labelled(key)).toHaveLength(1);
    },
  );

  it("have values of label syntax, and no more than 100 of them", () => {
    expect(labelled("team", "a b")[0]).toContain('labels.team: found "a b", expected a label value');
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`l${index}`, "x"]));
    expect(problems(["spec.template.metadata.labels", many])[0]).toContain("found 101 labels, expected at most 100");
  });
});

describe("a NodePool's taints", () => {
  it("may repeat a key with another effect, not with the same, startup taints included", () => {
    const taint = { key: "team", effect: "NoSchedule" };
    expect(taints(taint, { ...taint, effect: "NoExecute" })).toEqual([]);
    expect(taints(taint, { ...taint, value: "b" })[0]).toContain("taints[1]: found team:NoSchedule again");
    expect(problems([`${template}.taints`, [taint]], [`${template}.startupTaints`, [taint]])[0]).toContain(
      "startupTaints[0]: found team:NoSchedule again",
    );
  });

  it.each([
    [{ effect: "NoSchedule" }, "key: found nothing"],
    [{ key: "a b", effect: "NoSchedule" }, "key: "],
    [{ key: "x".repeat(64), effect: "NoSchedule" }, "key: "],
    [{ key: "a", value: "a b", effect: "NoSchedule" }, "value: "],
    [{ key: "a", effect: "NoSchedul" }, 'did you mean "NoSchedule"?'],
  ])("may not be %j", (taint, expected) => {
    expect(taints(taint)).toHaveLength(1);
    expect(taints(taint)[0]).toContain(expected);
  });
});

describe("a NodePool's class reference", () => {
  it.each([
    [{ group: "", kind: "K", name: "n" }, "group"],
    [{ group: "a/v1", kind: "K", name: "n" }, "group"],
    [{ group: "a", kind: "", name: "n" }, "kind"],
    [{ group: "a", kind: "K", name: "" }, "name"],
    [{ group: "a", kind: "K" }, "name"],
  ])("may not be %j", (reference, field) => {
    const found = problems([`${template}.nodeClassRef`, reference]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${template}.nodeClassRef.${field}: `);
  });
});

describe("a static NodePool", () => {
  it.each([0, 1, 1_000_000])("may have %i replicas and a limit on nodes", (replicas) => {
    expect(problems(["spec.replicas", replicas], ["spec.limits", { nodes: 10 }])).toEqual([]);
  });

  it("has no weight, no other limit and no negative size", () => {
    expect(problems(["spec.replicas", 1], ["spec.weight", 5])[0]).toContain("spec.weight: found 5, expected no weight");
    expect(problems(["spec.replicas", 1], ["spec.limits", { cpu: "1", memory: "1Gi" }])).toHaveLength(2);
    expect(problems(["spec.replicas", -1])[0]).toContain("found -1, expected at least 0");
  });
});

describe("other fields of a NodePool", () => {
  it("are limits that are not negative and a weight of 1 to 100", () => {
    expect(problems(["spec.limits", { cpu: "-1" }])).toEqual([
      'spec.limits.cpu: found "-1", expected a non-negative quantity such as 500m, 2 or 1.5Gi',
    ]);
    expect(problems(["spec.weight", 0])[0]).toContain("expected at least 1");
    expect(problems(["spec.weight", 101])[0]).toContain("expected at most 100");
  });

  it("are a name that can be a label's value", () => {
    expect(problems(["metadata.name", "x".repeat(64)])[0]).toContain("at most 63 characters");
  });

  it("are the known ones: a misspelt or misplaced field is named with the one that was meant", () => {
    expect(problems(["spec.limit", {}])[0]).toContain("spec.limit: found unknown field");
    expect(problems(["spec.limit", {}])[0]).toContain("did you mean limits?");
    expect(problems(["spec.repl", 1])[0]).toContain("did you mean replicas?");
    expect(problems(["spec.taints", []])[0]).toContain("did you mean spec.template.spec.taints?");
  });
});
