import { expect } from "vitest";
import { nodePoolManifest, problemsOf } from "../../support/api-manifests.ts";
import { conforms } from "../../support/conformance.ts";
import { controllerWorld } from "../../support/controller-world.ts";
import { nodePool } from "../../support/node-pools.ts";

/** The API server with one NodePool, and what it says to a change of its spec. */
function serverWith(options: Parameters<typeof nodePool>[1] = {}) {
  const { server } = controllerWorld();
  server.create("NodePool", nodePool("default", options));
  return (spec: object) => server.patch("NodePool", { name: "default" }, { spec }).spec;
}

const classRef = (fields: object) => ({ template: { spec: { nodeClassRef: fields } } });
const withSpec = (spec: object) =>
  problemsOf(nodePoolManifest(...Object.entries(spec).map(([field, value]) => [`spec.${field}`, value] as const)));

conforms("np.ref | mutate group / kind; unset group / kind / name (x5) | rejected", () => {
  const update = serverWith();
  expect(() => update(classRef({ group: "karpenter.test.sh" }))).toThrow(
    "spec.template.spec.nodeClassRef.group: expected karpenter.k8s.aws, as it is immutable",
  );
  expect(() => update(classRef({ kind: "OtherNodeClass" }))).toThrow(
    "spec.template.spec.nodeClassRef.kind: expected EC2NodeClass, as it is immutable",
  );
  expect(update(classRef({ name: "other" })).template.spec.nodeClassRef.name).toBe("other");
  const reference = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  for (const field of ["group", "kind", "name"]) {
    expect(() => update(classRef({ [field]: null }))).toThrow(`spec.template.spec.nodeClassRef.${field}`);
    const empty = nodePoolManifest(["spec.template.spec.nodeClassRef", { ...reference, [field]: "" }]);
    expect(problemsOf(empty)).toEqual([expect.stringContaining(`spec.template.spec.nodeClassRef.${field}: found ""`)]);
  }
});

conforms("np.replicas | positive; 0; very large (x3) | accepted", () => {
  for (const replicas of [1, 5, 0, 2_147_483_647, 1_000_000_000_000]) {
    expect(withSpec({ replicas }), String(replicas)).toEqual([]);
  }
});

conforms("np.replicas | negative | rejected", () => {
  expect(withSpec({ replicas: -1 })).toEqual([expect.stringContaining("spec.replicas: found -1, expected at least 0")]);
});

conforms("np.replicas | with limits.cpu/memory/pods/ephemeral-storage or weight (x5) | rejected", () => {
  for (const [resource, amount] of Object.entries({
    cpu: "10",
    memory: "1Gi",
    pods: "10",
    "ephemeral-storage": "1Gi",
  })) {
    expect(withSpec({ replicas: 3, limits: { [resource]: amount } }), resource).toEqual([
      expect.stringContaining(`spec.limits.${resource}: found`),
    ]);
  }
  expect(withSpec({ replicas: 3, weight: 10 })).toEqual([expect.stringContaining("spec.weight: found 10")]);
});

conforms(
  "np.replicas | with limits.nodes, budgets, labels, annotations, taints, startup taints, requirements, expireAfter, TGP (x9) | accepted",
  () => {
    expect(withSpec({ replicas: 3, limits: { nodes: "10" } })).toEqual([]);
    expect(withSpec({ replicas: 3, disruption: { budgets: [{ nodes: "20%" }] } })).toEqual([]);
    for (const metadata of [{ labels: { team: "a" } }, { annotations: { note: "a" } }]) {
      expect(withSpec({ replicas: 3, "template.metadata": metadata })).toEqual([]);
    }
    const taint = { key: "team", value: "a", effect: "NoSchedule" };
    const fields = {
      taints: [taint],
      startupTaints: [taint],
      requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }],
      expireAfter: "24h",
      terminationGracePeriod: "1h",
    };
    for (const [field, value] of Object.entries(fields)) {
      expect(withSpec({ replicas: 3, [`template.spec.${field}`]: value }), field).toEqual([]);
    }
  },
);

conforms("np.replicas | raise replicas; change limits.nodes (x2) | accepted", () => {
  const update = serverWith({ replicas: 1, limits: { nodes: "5" } });
  expect(update({ replicas: 3 }).replicas).toBe(3);
  expect(update({ limits: { nodes: "10" } }).limits).toEqual({ nodes: "10" });
  expect(() => update({ replicas: null })).toThrow("spec.replicas: expected neither to appear nor to go");
  expect(() => serverWith()({ replicas: 1 })).toThrow("spec.replicas: expected neither to appear nor to go");
});
