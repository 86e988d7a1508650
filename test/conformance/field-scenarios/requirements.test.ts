import { expect } from "vitest";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import { describeNodePoolFaults, nodePoolFaults } from "../../../shared/api/node-pool-faults.ts";
import { isImpossible, requirementsOf } from "../../../shared/scheduling/requirements.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { addPendingPod, plannerWorld } from "../../support/planner-world.ts";
import { pendingPod } from "../../support/pods.ts";

const cpus = `${awsGroup}/instance-cpu`;
type Entries = NonNullable<NonNullable<Parameters<typeof nodePool>[1]>["requirements"]>;

/** The requirements of the one NodeClaim that is planned for a pod in a pool of these requirements. */
function writtenFor(requirements: Entries): Entries {
  const { nodes } = solve({ pods: [pendingPod("web")], pools: [nodePool("default", { requirements })] });
  expect(nodes).toHaveLength(1);
  return nodes.flatMap(({ object }) => object.spec.requirements);
}

conforms(
  "B1.14 Requirement Gt 5 rewritten as Gte 6 while the installed CRD knows only Gt/Lt -> NodeClaim invalid -> write operators the installed CRD accepts. [KA#8951, KS#2876]",
  () => {
    const known = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
    for (const operator of ["Gt", "Gte", "Lt", "Lte"] as const) {
      const written = writtenFor([{ key: cpus, operator, values: ["5"] }]);
      expect(
        written.filter((entry) => !known.includes(entry.operator)),
        operator,
      ).toEqual([]);
    }
    expect(writtenFor([{ key: cpus, operator: "Gt", values: ["5"] }])).toContainEqual({
      key: cpus,
      operator: "Gt",
      values: ["5"],
    });
  },
);

conforms(
  "B1.15 Gt 2 and Lt 9 on one key; merged value loses one bound -> keep both; Gt 4 ∩ Lt 5 = empty on integers. [KS#2674]",
  () => {
    const bounds = (above: string, below: string) => [
      { key: cpus, operator: "Gt" as const, values: [above] },
      { key: cpus, operator: "Lt" as const, values: [below] },
    ];
    expect(writtenFor(bounds("2", "9")).filter(({ key }) => key === cpus)).toEqual(bounds("2", "9"));
    expect([...requirementsOf(bounds("4", "5")).values()].map(isImpossible)).toEqual([true]);
    const { nodes } = solve({
      pods: [pendingPod("web")],
      pools: [nodePool("default", { requirements: bounds("3", "4") })],
    });
    expect(nodes).toEqual([]);
  },
);

conforms(
  'B1.16 capacity-type In ["xspot"] -> endless retry, no signal -> NodePool Ready=False naming key and value; no launch attempts. [KS#2164]',
  async () => {
    const pool = nodePool("default", { requirements: [oneOf(label.capacityType, "xspot")] });
    const world = plannerWorld();
    world.server.create("NodePool", pool);
    addPendingPod(world, "web");
    await world.provision();
    await world.provision();
    const written = world.server.get("NodePool", { name: "default" })?.status?.conditions;
    const ready = written?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("False");
    expect(ready?.message).toContain('found ["xspot"], expected at least one of spot, on-demand, reserved');
    expect(ready?.message).toContain("karpenter.sh/capacity-type");
    expect(world.claims()).toEqual([]);
    expect(world.requests).toEqual([]);
    const { plan } = solve({ pods: [pendingPod("web")], pools: [pool] });
    expect(plan.unschedulable.map(({ reasons }) => reasons[0]?.reason)).toEqual([
      `it breaks the rules of a NodePool: ${describeNodePoolFaults(nodePoolFaults(pool))}`,
    ]);
  },
);

conforms(
  "B1.17 NotIn / DoesNotExist on a custom label absent from the pool: pod NotIn[x] must match, pod In[x] must not; unknown selector key (e.g. eks.amazonaws.com/nodegroup) -> vague error -> name the key. [KS#1162]",
  () => {
    const planned = (key: string, operator: "In" | "NotIn" | "DoesNotExist", ...values: string[]) => {
      const nodeSelectorTerms = [{ matchExpressions: [{ key, operator, values }] }];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      return solve({ pods: [pendingPod("web", { spec: { affinity: { nodeAffinity } } })] });
    };
    expect(planned("team", "NotIn", "x").unscheduled).toEqual([]);
    expect(planned("team", "DoesNotExist").unscheduled).toEqual([]);
    expect(planned("team", "In", "x").unscheduled).toEqual(["web"]);
    const { plan } = planned("eks.amazonaws.com/nodegroup", "In", "blue");
    expect(plan.unschedulable).toHaveLength(1);
    expect(JSON.stringify(plan.unschedulable)).toContain("label eks.amazonaws.com/nodegroup is not defined");
  },
);
