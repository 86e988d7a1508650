import { describe, expect, it } from "vitest";
import type { RawObject } from "../../../shared/api/raw-objects.ts";
import { valueIn } from "../../../shared/api/raw-objects.ts";
import {
  type Change,
  nodeClassManifest,
  nodePoolManifest,
  problemsOf,
  readManifests,
} from "../../support/api-manifests.ts";

const beta = (group: string): Change => ["apiVersion", `${group}/v1beta1`];
const betaPool = (...changes: readonly Change[]) => nodePoolManifest(beta("karpenter.sh"), ...changes);
const betaClass = (...changes: readonly Change[]) =>
  nodeClassManifest(beta("karpenter.k8s.aws"), ["spec.amiSelectorTerms", undefined], ...changes);
const template = "spec.template.spec";

/** The value at a path of the first object as it was read, with no problem and with a note on how. */
function expectReadAs(manifest: RawObject, path: string, value: unknown, note: string): void {
  const { objects, notes, problems } = readManifests(manifest);
  expect(problems).toEqual([]);
  expect(valueIn(objects[0]?.object, path.split("."))).toEqual(value);
  expect(notes.join("\n")).toContain(note);
}

describe("a v1beta1 NodePool", () => {
  it("is read as v1, with a note that names it", () => {
    expectReadAs(
      betaPool(),
      "apiVersion",
      "karpenter.sh/v1",
      "document 1, NodePool default: karpenter.sh/v1beta1 is read as",
    );
  });

  it("names its class by API version, or by name alone", () => {
    const reference = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
    const full = { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", name: "default" };
    for (const written of [full, { name: "default" }]) {
      const manifest = betaPool([`${template}.nodeClassRef`, written]);
      expectReadAs(
        manifest,
        `${template}.nodeClassRef`,
        reference,
        "nodeClassRef is read with group karpenter.k8s.aws",
      );
    }
  });

  it("states expireAfter under disruption", () => {
    const manifest = betaPool(["spec.disruption.expireAfter", "240h"]);
    expectReadAs(manifest, `${template}.expireAfter`, "240h", "spec.disruption.expireAfter is read as");
  });

  it("calls the policy WhenUnderutilized", () => {
    const manifest = betaPool(["spec.disruption.consolidationPolicy", "WhenUnderutilized"]);
    expectReadAs(
      manifest,
      "spec.disruption.consolidationPolicy",
      "WhenEmptyOrUnderutilized",
      "WhenUnderutilized is read as",
    );
  });

  it("loses resources, which had no effect", () => {
    expectReadAs(
      betaPool([`${template}.resources`, { requests: { cpu: 1 } }]),
      `${template}.resources`,
      undefined,
      "no effect",
    );
  });
});

describe("kubelet settings of a v1beta1 NodePool", () => {
  const kubelet: Change = [`${template}.kubelet`, { maxPods: 20 }];
  const kubeletsOf = (...manifests: readonly RawObject[]) => {
    const { objects, notes } = readManifests(...manifests);
    const found = objects.flatMap(({ object }) => (object.kind === "EC2NodeClass" ? [object.spec.kubelet] : []));
    return { found, notes: notes.join("\n") };
  };

  it("go to the class that it names, wherever that stands", () => {
    expect(kubeletsOf(betaPool(kubelet), betaClass()).found).toEqual([{ maxPods: 20 }]);
    expect(kubeletsOf(nodeClassManifest(), betaPool(kubelet)).found).toEqual([{ maxPods: 20 }]);
  });

  it("yield to the class's own", () => {
    const { found, notes } = kubeletsOf(betaPool(kubelet), nodeClassManifest(["spec.kubelet", { maxPods: 5 }]));
    expect(found).toEqual([{ maxPods: 5 }]);
    expect(notes).toContain("its own spec.kubelet is kept");
  });

  it("are left out with a note when there is no such class", () => {
    expect(kubeletsOf(betaPool(kubelet)).notes).toContain("there is no EC2NodeClass default");
  });

  it("may be shared by two NodePools, but not differ", () => {
    const other = betaPool(kubelet, ["metadata.name", "other"]);
    const differing = betaPool([`${template}.kubelet`, { maxPods: 5 }], ["metadata.name", "other"]);
    expect(problemsOf(betaPool(kubelet), other, betaClass())).toEqual([]);
    expect(problemsOf(betaPool(kubelet), differing, betaClass())).toEqual([
      `${template}.kubelet: found {"maxPods":5}, expected the settings of input.yaml, document 1, as both name EC2NodeClass default`,
    ]);
  });
});

describe("a v1beta1 EC2NodeClass", () => {
  it.each([
    ["AL2023", "al2023@latest"],
    ["Bottlerocket", "bottlerocket@latest"],
    [undefined, "al2@latest"],
  ])("of the family %s without image selectors has the alias %s", (family, alias) => {
    expectReadAs(
      betaClass(["spec.amiFamily", family]),
      "spec.amiSelectorTerms",
      [{ alias }],
      `read as the alias ${alias}`,
    );
  });

  it("with image selectors but no family is AL2", () => {
    expectReadAs(betaClass(["spec.amiSelectorTerms", [{ id: "ami-1" }]]), "spec.amiFamily", "AL2", "its default then");
  });

  it("needs image selectors when its family is Custom", () => {
    expect(problemsOf(betaClass(["spec.amiFamily", "Custom"]))[0]).toContain("spec.amiSelectorTerms: found nothing");
  });

  it("keeps the hop limit that was the default then", () => {
    expectReadAs(betaClass(), "spec.metadataOptions.httpPutResponseHopLimit", 2, "is 2, its default then");
  });
});

describe("a v1 NodePool with fields of older times", () => {
  it("takes ttlSecondsAfterEmpty for the removal of empty nodes alone", () => {
    const manifest = nodePoolManifest(["spec.ttlSecondsAfterEmpty", 30]);
    expectReadAs(manifest, "spec.disruption.consolidateAfter", "30s", "spec.ttlSecondsAfterEmpty is read as");
    expectReadAs(manifest, "spec.disruption.consolidationPolicy", "WhenEmpty", "consolidationPolicy is WhenEmpty");
  });

  it("takes ttlSecondsUntilExpired for expireAfter, which wins when both are there", () => {
    const ttl: Change = ["spec.ttlSecondsUntilExpired", 3600];
    expectReadAs(nodePoolManifest(ttl), `${template}.expireAfter`, "3600s", "is read as");
    expectReadAs(
      nodePoolManifest(ttl, [`${template}.expireAfter`, "1h"]),
      `${template}.expireAfter`,
      "1h",
      "is left out",
    );
  });

  it.each([
    [true, "consolidationPolicy", "WhenEmptyOrUnderutilized"],
    [false, "consolidateAfter", "Never"],
  ])("takes consolidation.enabled %s for %s %s", (enabled, field, value) => {
    const manifest = nodePoolManifest(["spec.consolidation.enabled", enabled]);
    expectReadAs(manifest, `spec.disruption.${field}`, value, "spec.consolidation.enabled is read as");
  });

  it("takes providerRef for the class of that name", () => {
    const manifest = nodePoolManifest([`${template}.nodeClassRef`, undefined], ["spec.providerRef", { name: "old" }]);
    expectReadAs(manifest, `${template}.nodeClassRef.name`, "old", "spec.providerRef is read as");
  });

  it("refuses inline provider settings, and says where they belong", () => {
    expect(problemsOf(nodePoolManifest(["spec.provider", { subnetSelector: {} }]))).toEqual([
      "spec.provider: found inline provider settings, expected an EC2NodeClass that nodeClassRef names",
    ]);
  });

  it("takes node.kubernetes.io/instance-family for Karpenter's key", () => {
    const entry = { key: "node.kubernetes.io/instance-family", operator: "In", values: ["m5"] };
    const manifest = nodePoolManifest([`${template}.requirements`, [entry]]);
    const key = "karpenter.k8s.aws/instance-family";
    expectReadAs(manifest, `${template}.requirements.0.key`, key, `is read as ${key}`);
  });

  it("says that disruption.maxUnavailable has no meaning, and what has", () => {
    const manifest = nodePoolManifest(["spec.disruption.maxUnavailable", 1]);
    expectReadAs(manifest, "spec.disruption.maxUnavailable", undefined, "spec.disruption.budgets limits disruption");
  });
});

describe("the do-not-evict annotation", () => {
  it("is read as do-not-disrupt on pods and on their templates", () => {
    const metadata = { name: "web", annotations: { "karpenter.sh/do-not-evict": "true" } };
    const spec = { containers: [{}] };
    const kept = { "karpenter.sh/do-not-disrupt": "true" };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec };
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { template: { metadata, spec } },
    };
    expectReadAs(pod, "metadata.annotations", kept, "karpenter.sh/do-not-evict is read as");
    expectReadAs(deployment, "spec.template.metadata.annotations", kept, "karpenter.sh/do-not-evict is read as");
  });
});

describe("kinds before v1beta1", () => {
  it.each([
    ["karpenter.sh/v1alpha5", "Provisioner", "a NodePool of karpenter.sh/v1"],
    ["karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate", "an EC2NodeClass of karpenter.k8s.aws/v1"],
  ])("%s %s are skipped with a note on what to write", (apiVersion, kind, successor) => {
    const { objects, notes, problems } = readManifests({ apiVersion, kind, metadata: { name: "default" } });
    expect([objects, problems]).toEqual([[], []]);
    expect(notes).toEqual([`input.yaml, document 1, ${kind} default: skipped; write it as ${successor}`]);
  });
});
