import { type Change, nodePoolManifest as pool } from "../api-manifests.ts";
import { type ApiCase, type ApiRows, accepted, atRuntime, byServer, rejected } from "./api-case.ts";

const expireAfter = (text: unknown) => pool(["spec.template.spec.expireAfter", text]);
const consolidateAfter = (text: unknown, policy = "WhenEmpty") =>
  pool(["spec.disruption", { consolidationPolicy: policy, consolidateAfter: text }]);
const policy = (found: unknown) => pool(["spec.disruption", { consolidationPolicy: found, consolidateAfter: "0s" }]);
const budgets = (...entries: readonly object[]) =>
  pool(["spec.disruption", { consolidateAfter: "0s", budgets: entries }]);

const after = ["spec", "disruption", "consolidateAfter"];
const withoutAfter: Change = ["spec.disruption", { consolidationPolicy: "WhenEmpty" }];
const goodBudget = { nodes: "10", schedule: "0 9 * * *", duration: "8h" };
const policies = ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"];
const macros = ["annually", "yearly", "monthly", "weekly", "daily", "midnight", "hourly"];

const badBudget = (field: string, budget: object): ApiCase =>
  rejected(`spec.disruption.budgets[0].${field}: `, budgets(budget));

export const nodePoolDisruptionRows: ApiRows = {
  "np.disruption | expireAfter / consolidateAfter: Never, single unit, several units (x8) | accepted": [
    "Never",
    "30s",
    "10m",
    "720h",
    "1h30m",
    "1h30m5s",
  ].flatMap((text) => [accepted(expireAfter(text)), accepted(consolidateAfter(text))]),
  "np.disruption | negative, bad unit, trailing junk for each (x6) | rejected": [
    "-1s",
    "1d",
    "1hNever",
    "1h x",
  ].flatMap((text) => [
    rejected("spec.template.spec.expireAfter: found", expireAfter(text)),
    rejected("spec.disruption.consolidateAfter: found", consolidateAfter(text)),
  ]),
  "np.disruption | consolidateAfter with WhenEmpty / WhenEmptyOrUnderutilized, value or Never (x4) | accepted": [
    "WhenEmpty",
    "WhenEmptyOrUnderutilized",
  ].flatMap((found) => [accepted(consolidateAfter("30s", found)), accepted(consolidateAfter("Never", found))]),
  "np.disruption | consolidateAfter omitted (dynamic; static) (x2) | defaults 0s": [
    accepted(pool(withoutAfter), [[after, "0s"]]),
    accepted(pool(withoutAfter, ["spec.replicas", 3]), [[after, "0s"]]),
  ],
  "np.policy | WhenEmpty, WhenEmptyOrUnderutilized, Balanced (CEL and runtime, x6) | accepted": policies.map((found) =>
    accepted(policy(found), [
      [["spec", "disruption"], { consolidationPolicy: found, consolidateAfter: "0s", budgets: [{ nodes: "10%" }] }],
    ]),
  ),
  "np.policy | old WhenUnderutilized, lower case, numbers, quoted numbers, empty, arbitrary (x11) | rejected": [
    // A file may still say the old word: it is read as the new one, with a note.
    byServer("consolidationPolicy", policy("WhenUnderutilized")),
    ...["whenEmpty", "whenemptyorunderutilized", "balanced", "BALANCED", 1, 0.5, "1", "0.5", "", "Always"].map(
      (found) => rejected(`spec.disruption.consolidationPolicy: found ${JSON.stringify(found)}`, policy(found)),
    ),
  ],
  "np.budget | bad cron; <5 fields; negative duration; seconds; negative int; negative %; >3-digit %; cron w/o duration; duration w/o cron; one bad among two; one half-set among several (x11) | rejected":
    [
      badBudget("schedule", { nodes: "10", schedule: "*", duration: "20m" }),
      badBudget("schedule", { nodes: "10", schedule: "* * * *", duration: "20m" }),
      badBudget("duration", { nodes: "10", schedule: "* * * * *", duration: "-20m" }),
      badBudget("duration", { nodes: "10", schedule: "* * * * *", duration: "30s" }),
      badBudget("nodes", { nodes: "-10" }),
      badBudget("nodes", { nodes: "-10%" }),
      badBudget("nodes", { nodes: "1000%" }),
      badBudget("duration", { nodes: "10", schedule: "* * * * *" }),
      badBudget("schedule", { nodes: "10", duration: "20m" }),
      rejected("spec.disruption.budgets[1].nodes: ", budgets(goodBudget, { nodes: "-10" })),
      rejected(
        "spec.disruption.budgets[2].schedule: ",
        budgets(goodBudget, { nodes: "5%" }, { nodes: "1", duration: "20m" }),
      ),
      // Five parts, of which the CRD knows no more.
      atRuntime("spec.disruption.budgets[0].schedule: ", budgets({ ...goodBudget, schedule: "a b c d e" })),
    ],
  "np.budget | cron+duration; hours+minutes; neither; @macros (x4) | accepted": [
    { nodes: "10", schedule: "* * * * *", duration: "20h" },
    { nodes: "10", schedule: "0 9 * * mon-fri", duration: "2h20m" },
    { nodes: "10" },
    ...macros.map((macro) => ({ nodes: "10", schedule: `@${macro}`, duration: "20m" })),
  ].map((budget) => accepted(budgets(budget))),
  "np.budget.reason | Drifted, Underutilized, Empty, several (x4) | accepted": [
    ["Drifted"],
    ["Underutilized"],
    ["Empty"],
    ["Drifted", "Underutilized", "Empty"],
  ].map((reasons) => accepted(budgets({ nodes: "10", reasons }))),
  "np.budget.reason | unknown, Expired, empty string (x3) | rejected": ["unknown", "Expired", ""].map((reason) =>
    rejected(
      `spec.disruption.budgets[0].reasons[0]: found ${JSON.stringify(reason)}`,
      budgets({ nodes: "10", reasons: [reason] }),
    ),
  ),
  "np.default | disruption omitted | filled with defaults": [
    accepted(pool(), [
      [
        ["spec", "disruption"],
        { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s", budgets: [{ nodes: "10%" }] },
      ],
    ]),
  ],
};
