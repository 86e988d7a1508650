import { expect, it } from "vitest";
import { flowObjects } from "../../infra/flow-schemas.ts";

const objects = flowObjects("journeyman");
const find = (kind: string, name: string) =>
  objects.find(
    (object) => "kind" in object && object.kind === kind && JSON.stringify(object).includes(`"name":"${name}"`),
  );

it("our functions' requests have a priority level of their own, shared out by function", () => {
  expect(find("FlowSchema", "journeyman")).toMatchObject({
    spec: {
      priorityLevelConfiguration: { name: "journeyman" },
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [{ kind: "Group", group: { name: "journeyman:controllers" } }] }],
    },
  });
  expect(find("PriorityLevelConfiguration", "journeyman")).toMatchObject({
    spec: { type: "Limited", limited: { limitResponse: { type: "Queue" } } },
  });
});

it("our Leases come before the rest, with the leader elections of Kubernetes", () => {
  const [leases, rest] = objects.flatMap((object) =>
    "kind" in object && object.kind === "FlowSchema" ? [object] : [],
  );
  expect(leases).toMatchObject({
    spec: {
      priorityLevelConfiguration: { name: "leader-election" },
      rules: [{ resourceRules: [{ resources: ["leases"], namespaces: ["journeyman"] }] }],
    },
  });
  const precedence = (object: object | undefined): number => JSON.parse(JSON.stringify(object)).spec.matchingPrecedence;
  expect(precedence(leases)).toBeLessThan(precedence(rest));
  // Before Kubernetes' own schemas for service accounts and for everybody (9000 and 9900).
  expect(precedence(rest)).toBeLessThan(9_000);
});
