import { expect } from "vitest";
import { nodePoolHash } from "../../../shared/api/hashes.ts";
import { annotation, label } from "../../../shared/api/labels.ts";
import type { NodePool } from "../../../shared/api/node-pool.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../../support/planner-world.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";

type Template = NodePool["spec"]["template"];

function withTemplate(pool: NodePool, change: (template: Template) => Template): NodePool {
  return { ...pool, spec: { ...pool.spec, template: change(pool.spec.template) } };
}

const little = () => [pendingPod("p", { cpu: "100m", memory: "10Mi" })];

function claimOf(pool: NodePool, world: Parameters<typeof solve>[0] = {}) {
  const [node] = solve({ pods: little(), pools: [pool], ...world }).nodes;
  if (node === undefined) throw new Error("nothing was planned");
  return node.object;
}

conforms(
  "prov.tgp | pool unset + global default set / both unset / pool set (x3) | claim gets global / nil / pool value",
  () => {
    const withPeriod = (terminationGracePeriod: string) =>
      withTemplate(nodePool(), (template) => ({ ...template, spec: { ...template.spec, terminationGracePeriod } }));
    const settings = { terminationGracePeriod: "5m" };
    expect(claimOf(nodePool(), { settings }).spec.terminationGracePeriod).toBe("5m");
    expect(claimOf(nodePool()).spec).not.toHaveProperty("terminationGracePeriod");
    expect(claimOf(withPeriod("10m"), { settings }).spec.terminationGracePeriod).toBe("10m");
  },
);

conforms("prov | NodePool edited mid-pass | claim carries the hash computed with the template it used", async () => {
  const world = plannerWorld();
  const before = addNodePool(world, "default");
  addPendingPod(world, "web");
  const { kubernetes } = world.ports;
  const editing = new Proxy(kubernetes, {
    get: (target, name: keyof typeof kubernetes) => {
      if (name !== "create") return target[name].bind(target);
      return (...input: Parameters<typeof kubernetes.create>) => {
        const change = { spec: { template: { metadata: { labels: { edited: "yes" } } } } };
        if (input.includes("NodeClaim" as never)) world.server.patch("NodePool", { name: "default" }, change);
        return target.create(...input);
      };
    },
  });
  await world.provision(undefined, { kubernetes: editing });
  const after = world.server.get("NodePool", { name: "default" });
  const [claim] = world.claims();
  expect(after?.spec.template.metadata?.labels).toEqual({ edited: "yes" });
  expect(claim?.metadata.annotations?.[annotation.nodePoolHash]).toBe(nodePoolHash(before));
  expect(after && nodePoolHash(after)).not.toBe(nodePoolHash(before));
});

conforms("claim | pool annotations | on node", () => {
  const annotated = withTemplate(nodePool(), (template) => ({
    ...template,
    metadata: { ...template.metadata, annotations: { "example.com/own": "value" } },
  }));
  expect(claimOf(annotated).metadata.annotations).toMatchObject({ "example.com/own": "value" });
});

conforms(
  "claim | labels incl. custom requirement values | single-value and chosen values on node; NotIn/DoesNotExist handled",
  () => {
    const { labels = {} } = claimOf(
      nodePool("default", {
        labels: { "test-key-1": "v1" },
        requirements: [
          oneOf("test-key-2", "v2"),
          { key: "test-key-3", operator: "NotIn", values: ["v3"] },
          { key: "test-key-4", operator: "Lt", values: ["4"] },
          { key: "test-key-5", operator: "Gt", values: ["5"] },
          { key: "test-key-6", operator: "Exists" },
          { key: "test-key-7", operator: "DoesNotExist" },
        ],
      }),
    ).metadata;
    expect(labels).toMatchObject({ "test-key-1": "v1", "test-key-2": "v2", "test-key-6": expect.any(String) });
    expect(labels["test-key-3"]).not.toBe("v3");
    expect(Number(labels["test-key-4"])).toBeLessThan(4);
    expect(Number(labels["test-key-5"])).toBeGreaterThan(5);
    expect(labels).not.toHaveProperty("test-key-7");
  },
);

conforms("claim | labels in kubernetes.io and its subdomains (x2) | applied", () => {
  for (const key of ["kubernetes.io/custom", "subdomain.kubernetes.io/custom"]) {
    expect(claimOf(nodePool("default", { labels: { [key]: "value" } })).metadata.labels?.[key]).toBe("value");
    expect(claimOf(nodePool("default", { requirements: [oneOf(key, "value")] })).metadata.labels?.[key]).toBe("value");
  }
});

conforms("claim | well-known keys only in requirements | not labelled by core", () => {
  const requirements = [
    oneOf(label.zone, "b"),
    oneOf(label.arch, "amd64"),
    oneOf(label.capacityType, "on-demand"),
    oneOf(label.instanceType, fake.small),
  ];
  const { metadata, spec } = claimOf(nodePool("default", { requirements }));
  expect(spec.requirements).toEqual(expect.arrayContaining(requirements));
  expect(Object.keys(metadata.labels ?? {}).sort()).toEqual([label.nodeClass, label.nodePool]);
});

conforms("claim | pods tolerating pool taints | scheduled", () => {
  const taint = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" } as const;
  const pools = [nodePool("default", { taints: [taint] })];
  const tolerations = [
    [{ key: taint.key, operator: "Exists" as const, effect: taint.effect }],
    [{ key: taint.key, operator: "Equal" as const, value: "true", effect: taint.effect }],
  ];
  for (const each of tolerations) {
    const { nodes } = solve({ pools, pods: [pendingPod("p", { cpu: "100m", spec: { tolerations: each } })] });
    expect(nodes.map(({ object }) => object.spec.taints)).toEqual([[taint]]);
  }
  expect(solve({ pools, pods: little() }).unscheduled).toEqual(["p"]);
  const wrong = [{ key: taint.key, operator: "Equal" as const, value: "false", effect: taint.effect }];
  const refused = solve({ pools, pods: [pendingPod("p", { cpu: "100m", spec: { tolerations: wrong } })] });
  expect(refused.unscheduled).toEqual(["p"]);
});

conforms("claim | basic | requirements = instance types + nodepool + nodeclass label", () => {
  const requirements = new Map(claimOf(nodePool()).spec.requirements.map((entry) => [entry.key, entry]));
  expect(requirements.get(label.instanceType)).toEqual({
    key: label.instanceType,
    operator: "In",
    values: [fake.small, fake.standard, fake.singlePod, fake.arm].toSorted(),
  });
  expect(requirements.get(label.nodePool)?.values).toEqual(["default"]);
  expect(requirements.get(label.nodeClass)?.values).toEqual(["default"]);
  // The rest says what the offerings are.
  const [, ...known] = [label.instanceType, label.nodePool, label.nodeClass, label.zone, label.capacityType];
  expect([...requirements.keys()].filter((key) => ![label.instanceType, ...known].includes(key as never))).toEqual([]);
});

conforms("claim | extra pool requirements | present on claim", () => {
  const extra = [
    oneOf("custom-requirement-key", "value"),
    { key: "custom-requirement-key2", operator: "In" as const, values: ["value"] },
  ];
  expect(claimOf(nodePool("default", { requirements: extra })).spec.requirements).toEqual(
    expect.arrayContaining(extra),
  );
});

conforms("claim | ownerReference | NodePool kind/name/uid, blockOwnerDeletion", () => {
  expect(claimOf(nodePool("own")).metadata.ownerReferences).toEqual([
    { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "own", uid: "nodepool-own", blockOwnerDeletion: true },
  ]);
});

conforms("claim | nodeClassRef | propagated", () => {
  expect(claimOf(nodePool()).spec.nodeClassRef).toEqual({
    group: "karpenter.k8s.aws",
    kind: "EC2NodeClass",
    name: "default",
  });
});

conforms("claim | resource requests | sum of pods, plus daemon overhead once", () => {
  const pods = pendingPods(2, "p", { cpu: "500m", memory: "100Mi" });
  expect(claimOf(nodePool(), { pods }).spec.resources?.requests).toMatchObject({
    cpu: "1",
    memory: "200Mi",
    pods: "2",
  });
  const daemonSets = [daemonSetNamed("agent", { cpu: "250m", memory: "50Mi" })];
  expect(claimOf(nodePool(), { pods, daemonSets }).spec.resources?.requests).toMatchObject({
    cpu: "1250m",
    memory: "250Mi",
    pods: "3",
  });
});
