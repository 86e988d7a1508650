import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutArrays } from "../../../shared/adapters/kubernetes/cut-arrays.ts";
import { decode } from "../../../shared/adapters/kubernetes/decoding.ts";
import { PodReader } from "../../../shared/adapters/kubernetes/pod-reader.ts";
import { PodDecoder, RememberedRecords } from "../../../shared/state/pod-decoding.ts";

const requests = fc.record({ cpu: fc.constantFrom("100m", "1", "2") }, { requiredKeys: [] });
const container = fc.record(
  {
    name: fc.constantFrom("main", "proxy"),
    image: fc.constantFrom("a", "b"),
    resources: fc.record({ requests }, { requiredKeys: [] }),
    volumeMounts: fc.array(fc.record({ name: fc.string() }), { maxLength: 1 }),
  },
  { requiredKeys: ["name"] },
);
const anySpec = fc.record(
  {
    containers: fc.array(container, { maxLength: 2 }),
    nodeName: fc.constantFrom("node-1", "node-2"),
    nodeSelector: fc.constantFrom({ a: "b" }, { a: "c" }, {}),
    priority: fc.constantFrom(0, 1),
    tolerations: fc.constantFrom([], [{ operator: "Exists" }]),
    affinity: fc.constantFrom({}, { podAntiAffinity: {} }),
    volumes: fc.constantFrom([], [{ name: "token-x" }], [{ name: "data", persistentVolumeClaim: { claimName: "c" } }]),
  },
  { requiredKeys: ["containers"] },
);
/** Mostly of one template, so that pods meet it. */
const onTemplate = fc.record({
  containers: fc.constant([{ name: "main" }]),
  nodeName: fc.constantFrom("node-1", "node-2"),
});
const spec = fc.oneof({ weight: 3, arbitrary: onTemplate }, anySpec);
const time = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
const condition = fc.record(
  {
    type: fc.constantFrom("Ready", "PodScheduled"),
    status: fc.constantFrom("True", "False"),
    reason: fc.constantFrom("Unschedulable", "Why"),
    message: fc.constantFrom("", "no room"),
    lastProbeTime: fc.constant(null),
    lastTransitionTime: time,
    observedGeneration: fc.constantFrom(1, 2),
  },
  { requiredKeys: ["type", "status"] },
);
const status = fc.record(
  {
    phase: fc.constantFrom("Running", "Pending"),
    podIP: fc.string(),
    startTime: time,
    conditions: fc.array(condition, { maxLength: 2 }),
    nominatedNodeName: fc.constant("node-1"),
  },
  { requiredKeys: [] },
);
const running = {
  phase: "Running",
  startTime: "2026-01-01T00:00:00Z",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
};
const body = fc.record({
  metadata: fc.record(
    {
      name: fc.constantFrom("a", "b", "c"),
      namespace: fc.constantFrom("n", "m"),
      uid: fc.constantFrom("1", "2"),
      resourceVersion: fc.constantFrom("1", "2"),
      creationTimestamp: time,
      deletionTimestamp: time,
      generateName: fc.constantFrom("a-", "b-"),
      labels: fc.constantFrom({ app: "web" }, { app: "db" }),
      ownerReferences: fc.constantFrom([{ apiVersion: "v1", kind: "X", name: "x", uid: "1" }], []),
      managedFields: fc.constant([{ manager: "m" }]),
    },
    { requiredKeys: ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] },
  ),
  spec,
  status: fc.oneof({ weight: 3, arbitrary: fc.constant(running) }, status),
});

/** As the schema decodes it, but for volumes of which only the name is known. */
function plainly(raw: object): unknown {
  const { spec: decodedSpec, ...pod } = decode("Pod", raw);
  const { volumes = [], ...others } = decodedSpec;
  const kept = volumes.filter((volume) => Object.keys(volume).length > 1);
  return { ...pod, spec: { ...others, ...(kept.length > 0 && { volumes: kept }) } };
}

describe("pods decoded together", () => {
  it("are what the schema makes of each, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 12 }), (bodies) => {
        const reader = new PodReader();
        for (const each of bodies) {
          const raw = { apiVersion: "v1", kind: "Pod", ...each };
          expect(reader.decode(raw)).toEqual(plainly(raw));
        }
      }),
      { seed: 6, numRuns: 1_000 },
    );
  });

  it("share what their template decides", () => {
    const reader = new PodReader();
    const pod = (name: string, nodeName: string) => reader.decode(manifest(name, nodeName));
    const [one, other] = [pod("web-1", "node-1"), pod("web-2", "node-2")];
    expect(other.spec.containers).toBe(one.spec.containers);
    expect(other.metadata.labels).toBe(one.metadata.labels);
    expect(other.spec.nodeName).toBe("node-2");
  });

  it("name what is wrong with one, as if it came alone", () => {
    const reader = new PodReader();
    reader.decode(manifest("web-1", "node-1"));
    const broken = { ...manifest("web-2", "node-1"), status: { phase: 7 } };
    expect(() => reader.decode(broken)).toThrow(/Pod n\/web-2: status.phase/);
  });
});

describe("records that are remembered", () => {
  it("are those of a decoder that remembers nothing, with equal constraints in one object", () => {
    const reader = new PodReader();
    const pods = ["a", "b", "c"].map((name) => reader.decode(manifest(name, "node-1")));
    const remembered = new RememberedRecords();
    const first = pods.slice(0, 2).map((pod) => new PodDecoder({}, remembered).decode(pod));
    remembered.turn();
    const decoder = new PodDecoder({}, remembered);
    const records = pods.map((pod) => decoder.decode(pod));
    const fresh = new PodDecoder();
    expect(records).toEqual(pods.map((pod) => fresh.decode(pod)));
    expect(records[0]).toBe(first[0]);
    expect(new Set(records.map(({ constraints }) => constraints)).size).toBe(1);
  });

  it("tell pods of one template apart by all that scheduling reads", () => {
    const reader = new PodReader();
    const [plain, picky] = [{}, { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }].map(
      (affinity) => reader.decode({ ...manifest("web", "node-1"), spec: { ...manifest("web", "x").spec, affinity } }),
    );
    const decoder = new PodDecoder();
    const keys = [plain, picky].map((pod) => pod && decoder.decode(pod).schedulingKey);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("arrays cut out of JSON", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"env":[', "]", '\\"', '{"env":[1]}', "env"));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom("env", "images", "other"), text), tie("value"), { maxKeys: 4 }),
    ),
  }));

  it("leave everything else as it was", () => {
    fc.assert(
      fc.property(value, (any) => {
        const cut = cutArrays(Buffer.from(JSON.stringify(any)), ["env", "images"]);
        expect(JSON.parse(cut.toString("utf8"))).toEqual(JSON.parse(JSON.stringify(emptied(any))));
      }),
      { seed: 6, numRuns: 500 },
    );
  });

  it("leave what is no JSON for the parser to refuse", () => {
    expect(cutArrays(Buffer.from('{"env":[1,'), ["env"]).toString()).toBe('{"env":[1,');
  });
});

const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] };

function manifest(name: string, nodeName: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "n",
      uid: name,
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner" }],
    },
    spec: { containers: [{ name: "main", image: "web", resources: { requests: { cpu: "1" } } }], nodeName },
  };
}

function emptied(any: unknown): unknown {
  if (Array.isArray(any)) return any.map(emptied);
  if (typeof any !== "object" || any === null) return any;
  const entries = Object.entries(any).map(([key, inner]) => {
    const isCut = (key === "env" || key === "images") && Array.isArray(inner);
    return [key, isCut ? [] : emptied(inner)] as const;
  });
  return Object.fromEntries(entries);
}
