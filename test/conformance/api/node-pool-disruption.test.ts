import { expect } from "vitest";
import { nodePool } from "../../../shared/api/node-pool.ts";
import { type Change, nodePoolManifest, problemsOf } from "../../support/api-manifests.ts";
import { conforms } from "../../support/conformance.ts";
import { controllerWorld } from "../../support/controller-world.ts";

const problems = (...changes: readonly Change[]) => problemsOf(nodePoolManifest(...changes));
const expireAfter = (text: unknown) => problems(["spec.template.spec.expireAfter", text]);
const consolidateAfter = (text: unknown, policy = "WhenEmpty") =>
  problems(["spec.disruption", { consolidationPolicy: policy, consolidateAfter: text }]);
const policy = (found: unknown) => problems(["spec.disruption.consolidationPolicy", found]);
const budgets = (...entries: readonly object[]) => problems(["spec.disruption.budgets", entries]);

conforms("np.disruption | expireAfter / consolidateAfter: Never, single unit, several units (x8) | accepted", () => {
  for (const text of ["Never", "30s", "10m", "720h", "1h30m", "1h30m5s"]) {
    expect(expireAfter(text), text).toEqual([]);
    expect(consolidateAfter(text), text).toEqual([]);
  }
});

conforms("np.disruption | negative, bad unit, trailing junk for each (x6) | rejected", () => {
  for (const text of ["-1s", "1d", "1hNever", "1h x"]) {
    expect(expireAfter(text), text).toEqual([expect.stringContaining("spec.template.spec.expireAfter: found")]);
    expect(consolidateAfter(text), text).toEqual([expect.stringContaining("spec.disruption.consolidateAfter: found")]);
  }
});

conforms(
  "np.disruption | consolidateAfter with WhenEmpty / WhenEmptyOrUnderutilized, value or Never (x4) | accepted",
  () => {
    for (const found of ["WhenEmpty", "WhenEmptyOrUnderutilized"]) {
      expect(consolidateAfter("30s", found)).toEqual([]);
      expect(consolidateAfter("Never", found)).toEqual([]);
    }
  },
);

conforms("np.disruption | consolidateAfter omitted (dynamic; static) (x2) | defaults 0s", () => {
  const disruption: Change = ["spec.disruption", { consolidationPolicy: "WhenEmpty" }];
  for (const manifest of [nodePoolManifest(disruption), nodePoolManifest(disruption, ["spec.replicas", 3])]) {
    expect(problemsOf(manifest)).toEqual([]);
    expect(nodePool.parse(manifest).spec.disruption.consolidateAfter).toBe("0s");
  }
});

conforms("np.policy | WhenEmpty, WhenEmptyOrUnderutilized, Balanced (CEL and runtime, x6) | accepted", () => {
  for (const found of ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]) {
    expect(policy(found)).toEqual([]);
    expect(
      nodePool.parse(nodePoolManifest(["spec.disruption", { consolidationPolicy: found }])).spec.disruption,
    ).toEqual({ consolidationPolicy: found, consolidateAfter: "0s", budgets: [{ nodes: "10%" }] });
  }
});

conforms(
  "np.policy | old WhenUnderutilized, lower case, numbers, quoted numbers, empty, arbitrary (x11) | rejected",
  () => {
    const { server } = controllerWorld();
    server.create("NodePool", nodePool.parse(nodePoolManifest()));
    const wrong = [
      ...["WhenUnderutilized", "whenEmpty", "whenemptyorunderutilized", "balanced", "BALANCED"],
      ...[1, 0.5, "1", "0.5", "", "Always"],
    ];
    for (const found of wrong) {
      const patch = { spec: { disruption: { consolidationPolicy: found } } };
      expect(() => server.patch("NodePool", { name: "default" }, patch), String(found)).toThrow("consolidationPolicy");
    }
    // A file may still say the old word: it is read as the new one, with a note.
    for (const found of wrong.slice(1)) {
      expect(policy(found), String(found)).toEqual([
        expect.stringContaining(`spec.disruption.consolidationPolicy: found ${JSON.stringify(found)}`),
      ]);
    }
  },
);

conforms(
  "np.budget | bad cron; <5 fields; negative duration; seconds; negative int; negative %; >3-digit %; cron w/o duration; duration w/o cron; one bad among two; one half-set among several (x11) | rejected",
  () => {
    const good = { nodes: "10", schedule: "0 9 * * *", duration: "8h" };
    const wrong: readonly (readonly [object, string])[] = [
      [{ nodes: "10", schedule: "*", duration: "20m" }, "schedule"],
      [{ nodes: "10", schedule: "a b c d e", duration: "20m" }, "schedule"],
      [{ nodes: "10", schedule: "* * * *", duration: "20m" }, "schedule"],
      [{ nodes: "10", schedule: "* * * * *", duration: "-20m" }, "duration"],
      [{ nodes: "10", schedule: "* * * * *", duration: "30s" }, "duration"],
      [{ nodes: "-10" }, "nodes"],
      [{ nodes: "-10%" }, "nodes"],
      [{ nodes: "1000%" }, "nodes"],
      [{ nodes: "10", schedule: "* * * * *" }, "duration"],
      [{ nodes: "10", duration: "20m" }, "schedule"],
    ];
    for (const [budget, field] of wrong) {
      const title = JSON.stringify(budget);
      expect(budgets(budget), title).toEqual([expect.stringContaining(`spec.disruption.budgets[0].${field}: `)]);
    }
    expect(budgets(good, { nodes: "-10" })).toEqual([expect.stringContaining("spec.disruption.budgets[1].nodes: ")]);
    expect(budgets(good, { nodes: "5%" }, { nodes: "1", duration: "20m" })).toEqual([
      expect.stringContaining("spec.disruption.budgets[2].schedule: "),
    ]);
  },
);

conforms("np.budget | cron+duration; hours+minutes; neither; @macros (x4) | accepted", () => {
  expect(budgets({ nodes: "10", schedule: "* * * * *", duration: "20h" })).toEqual([]);
  expect(budgets({ nodes: "10", schedule: "0 9 * * mon-fri", duration: "2h20m" })).toEqual([]);
  expect(budgets({ nodes: "10" })).toEqual([]);
  for (const macro of ["annually", "yearly", "monthly", "weekly", "daily", "midnight", "hourly"]) {
    expect(budgets({ nodes: "10", schedule: `@${macro}`, duration: "20m" }), macro).toEqual([]);
  }
});

conforms("np.budget.reason | Drifted, Underutilized, Empty, several (x4) | accepted", () => {
  for (const reasons of [["Drifted"], ["Underutilized"], ["Empty"], ["Drifted", "Underutilized", "Empty"]]) {
    expect(budgets({ nodes: "10", reasons })).toEqual([]);
  }
});

conforms("np.budget.reason | unknown, Expired, empty string (x3) | rejected", () => {
  for (const reason of ["unknown", "Expired", ""]) {
    expect(budgets({ nodes: "10", reasons: [reason] })).toEqual([
      expect.stringContaining(`spec.disruption.budgets[0].reasons[0]: found ${JSON.stringify(reason)}`),
    ]);
  }
});

conforms("np.default | disruption omitted | filled with defaults", () => {
  expect(nodePool.parse(nodePoolManifest()).spec.disruption).toEqual({
    consolidationPolicy: "WhenEmptyOrUnderutilized",
    consolidateAfter: "0s",
    budgets: [{ nodes: "10%" }],
  });
});
