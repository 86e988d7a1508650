import { describe, expect, it } from "vitest";
import { type LoadedObject, readDocuments } from "../../../shared/api/documents.ts";
import { describeProblem } from "../../../shared/api/problems.ts";
import {
  nodeClassManifest,
  nodePoolManifest,
  problemsOf,
  readManifests,
  readText,
} from "../../support/api-manifests.ts";

const names = (objects: readonly LoadedObject[]) =>
  objects.map(({ kind, object }) => `${kind} ${object.metadata.name}`);
const pod = (name: string, more: object = {}, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...more },
  spec: { containers: [{}], ...spec },
});

describe("readDocuments", () => {
  it("gives each object with the place where it was read", () => {
    const { objects } = readDocuments([
      { name: "a.yaml", text: JSON.stringify(nodePoolManifest()) },
      { name: "b.yaml", text: `---\n${JSON.stringify(pod("x"))}\n---\n${JSON.stringify(nodeClassManifest())}` },
    ]);
    expect(objects.map(({ kind, source }) => [kind, source])).toEqual([
      ["NodePool", { name: "a.yaml", document: 1 }],
      ["Pod", { name: "b.yaml", document: 1 }],
      ["EC2NodeClass", { name: "b.yaml", document: 2 }],
    ]);
  });

  it("unwraps a List, and a typed list whose items say neither kind nor version", () => {
    const bare = (name: string) => ({ metadata: { name }, spec: { containers: [{}] } });
    const list = { apiVersion: "v1", kind: "List", items: [pod("a"), nodePoolManifest()] };
    const podList = { apiVersion: "v1", kind: "PodList", metadata: {}, items: [bare("b"), bare("c")] };
    const { objects, problems } = readManifests(list, podList);
    expect(problems).toEqual([]);
    expect(names(objects)).toEqual(["Pod a", "NodePool default", "Pod b", "Pod c"]);
    expect(objects[3]?.source).toEqual({ name: "input.yaml", document: 2, items: [1] });
  });

  it("unwraps Lists in one another, to a depth that no person needs", () => {
    const list = (...items: readonly object[]) => ({ apiVersion: "v1", kind: "List", items });
    const bare = { metadata: { name: "b" }, spec: { containers: [{}] } };
    const { objects, problems } = readManifests(
      list(pod("a"), list(list(), { apiVersion: "v1", kind: "PodList", items: [bare] })),
    );
    expect(problems).toEqual([]);
    expect(objects.map(({ source }) => source.items)).toEqual([[0], [1, 1, 0]]);
    expect(problemsOf(list(list(pod("Upper"))))[0]).toContain("items[0].items[0].metadata.name");
    const deep = Array.from({ length: 12 }).reduce<object>((inner) => list(inner), pod("a"));
    expect(problemsOf({ ...deep })[0]).toContain("an object: Lists stand too deep in one another");
  });

  it.each(["List", "PodList"])("refuses a %s whose items are no list", (kind) => {
    expect(problemsOf({ apiVersion: "v1", kind, items: "foo" })).toEqual(['items: found "foo", expected a list']);
  });

  it("fills in the namespace of namespaced kinds and takes it from the others", () => {
    const { objects } = readManifests(
      pod("a"),
      pod("b", { namespace: "shop" }),
      nodePoolManifest(["metadata.namespace", "x"]),
    );
    expect(objects.map(({ object }) => object.metadata.namespace)).toEqual(["default", "shop", undefined]);
  });

  it("gives an object with generateName a name, the same each time", () => {
    const manifest = pod("", { name: undefined, generateName: "job-" });
    const [first] = names(readManifests(manifest).objects);
    expect(first).toMatch(/^Pod job-[0-9a-z]{5}$/);
    expect(names(readManifests(manifest).objects)).toEqual([first]);
  });

  it("skips kinds that are not read here with one note for each, also a known name in another group", () => {
    const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name } });
    const volcano = { apiVersion: "batch.volcano.sh/v1alpha1", kind: "Job", metadata: { name: "x" } };
    const { objects, notes, problems } = readManifests(secret("a"), secret("b"), volcano);
    expect([objects, problems]).toEqual([[], []]);
    expect(notes).toEqual(["kind Secret is not read here: 2 skipped", "kind Job is not read here: 1 skipped"]);
  });

  it.each(["apps/v1beta2", "extensions/v1beta1"])("refuses a Deployment of %s rather than skip it", (apiVersion) => {
    const spec = { template: { spec: { containers: [{}] } } };
    expect(problemsOf({ apiVersion, kind: "Deployment", metadata: { name: "x" }, spec })).toEqual([
      `apiVersion: found "${apiVersion}", expected "apps/v1"`,
    ]);
  });

  it("takes an empty effect or operator of a toleration as absent, as the API server does", () => {
    const { objects } = readManifests(pod("a", {}, { tolerations: [{ key: "x", operator: "", effect: "" }] }));
    const [loaded] = objects;
    expect(loaded?.kind === "Pod" && loaded.object.spec.tolerations).toEqual([{ key: "x" }]);
  });
});

describe("the same object twice", () => {
  it("is read once, with a note that names both places, when its content is equal", () => {
    const { objects, notes, problems } = readManifests(pod("a"), pod("a", { namespace: "default" }));
    expect(names(objects)).toEqual(["Pod a"]);
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      "input.yaml, document 2: Pod default/a again, the same as in input.yaml, document 1; read once",
    ]);
  });

  it("is a problem that names both places when its content differs", () => {
    expect(problemsOf(nodePoolManifest(), nodePoolManifest(["spec.weight", 5]))).toEqual([
      "metadata.name: found NodePool default again, with other content, expected another name, or the same content as in input.yaml, document 1",
    ]);
  });

  it("is another object in another namespace", () => {
    expect(readManifests(pod("a"), pod("a", { namespace: "shop" })).objects).toHaveLength(2);
  });
});

describe("problems", () => {
  it("of all documents come together, from top to bottom", () => {
    const { problems } = readText(
      [JSON.stringify(nodePoolManifest(["spec.limits", { cpu: -1 }], ["spec.weight", 0])), "a: [", "- x", "a: 1"].join(
        "\n---\n",
      ),
    );
    expect(problems.map(describeProblem)).toEqual([
      expect.stringContaining("input.yaml, document 1, spec.limits.cpu: found -1"),
      expect.stringContaining("input.yaml, document 1, spec.weight: found 0"),
      expect.stringContaining("input.yaml, document 2, line 4, column 1: found"),
      'input.yaml, document 3: found ["x"], expected a Kubernetes object',
      "input.yaml, document 4, kind: found nothing, expected a kind such as NodePool",
    ]);
  });

  it("have the path of the item in a List", () => {
    const list = { apiVersion: "v1", kind: "List", items: [pod("a"), 3, pod("b", {}, { containers: "x" })] };
    expect(problemsOf(list)).toEqual([
      "items[1]: found 3, expected a Kubernetes object",
      'items[2].spec.containers: found "x", expected a list',
    ]);
  });

  it("say what any of several types would have been", () => {
    const metadata = { name: "a" };
    const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { maxUnavailable: ["1"] } };
    expect(problemsOf(budget)).toEqual([
      expect.stringMatching(/^spec.maxUnavailable: found \["1"\], expected .* or a/),
    ]);
  });

  it("say what a quantity is, and quote keys that are no plain words", () => {
    const resources = { requests: { cpu: ["1"], "nvidia.com/gpu": "x" } };
    const [cpu, gpu] = problemsOf(pod("a", {}, { containers: [{ resources }] }));
    expect(cpu).toBe(
      'spec.containers[0].resources.requests.cpu: found ["1"], expected a non-negative quantity such as 500m, 2 or 1.5Gi',
    );
    expect(gpu).toContain(
      'spec.containers[0].resources.requests["nvidia.com/gpu"]: found "x", expected a non-negative',
    );
  });

  it.each([
    [pod("Upper"), 'metadata.name: found "Upper", expected lower-case letters'],
    [pod("a", { labels: { "a b": "x" } }), 'metadata.labels["a b"]: found "a b", expected a label key'],
    [pod("a", { labels: { team: 1 } }), "metadata.labels.team: found 1, expected a string: put it in quotes"],
    [pod("a", { labels: { on: false } }), "metadata.labels.on: found false, expected a string: put it in quotes"],
    [pod("a", { creationTimestamp: "today" }), "expected a time such as"],
    [pod("a", {}, { overhead: { cpu: "1".repeat(65) } }), "expected a quantity of at most 64 characters"],
    [pod("a", {}, { tolerations: [{ operator: "Equal" }] }), "expected Exists, as there is no key"],
    [pod("a", {}, { tolerations: [{ key: "a", operator: "Exists", value: "b" }] }), "expected no value"],
    [pod("a", {}, { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 1 }] }), "expected NoExecute"],
    [{ kind: "Pod" }, "apiVersion: found nothing, expected an API version such as apps/v1"],
    [{ apiVersion: "v1", kind: 3 }, "kind: found 3"],
    [{ apiVersion: "v1", kind: "constructor" }, undefined],
  ])("are found in %j", (manifest, expected) => {
    expect(problemsOf(manifest)).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
  });

  it.each([
    ["In", undefined, "at least one value"],
    ["NotIn", [], "at least one value"],
    ["Exists", ["a"], "no values"],
    ["Gt", ["1", "2"], "one value"],
  ])("are found in a selector with %s and %j", (operator, values, expected) => {
    const term = { matchExpressions: [{ key: "a", operator, values }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    expect(problemsOf(pod("a", {}, { affinity }))[0]).toContain(`expected ${expected}, as the operator is ${operator}`);
  });
});
