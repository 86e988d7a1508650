import { expect } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod, pendingPods } from "../../support/pods.ts";

const amd64 = [nodePool("default", { requirements: [oneOf(label.arch, "amd64")] })];

function small(name: string, nodeSelector: Readonly<Record<string, string>>) {
  return pendingPod(name, { cpu: "100m", spec: { nodeSelector } });
}

function expectNone(pod: ReturnType<typeof pendingPod>, reason: RegExp, pools = [nodePool()]) {
  const { plan } = solve({ pods: [pod], pools });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, [pod.metadata.name], reason);
}

function typesOf(world: Parameters<typeof solve>[0]) {
  const { nodes, unscheduled } = solve(world);
  expect(unscheduled).toEqual([]);
  return nodes.map(({ type }) => type).sort();
}

conforms("sched.types | request exceeds every type | not scheduled", () => {
  expectNone(pendingPod("p", { cpu: "512" }), /cpu 512/);
});

conforms("sched.types | two pods with different archs | two nodes", () => {
  const pods = [small("amd", { [label.arch]: "amd64" }), small("arm", { [label.arch]: "arm64" })];
  expect(typesOf({ pods })).toEqual([fake.arm, fake.small]);
});

conforms("sched.types | pod needs arm type name while pool is amd64 only | not scheduled", () => {
  const pod = small("p", { [label.instanceType]: fake.arm });
  expectNone(pod, /instance-type/, amd64);
  expect(typesOf({ pods: [pod] })).toEqual([fake.arm]);
});

conforms("sched.types | pod needs an OS only the arm type has, pool amd64 | not scheduled", () => {
  expectNone(small("p", { [label.os]: "windows" }), /kubernetes\.io\/os/, amd64);
});

conforms("sched.types | pool amd64, pod needs 14 CPU only arm type has | not scheduled", () => {
  const pod = pendingPod("p", { cpu: "14" });
  expectNone(pod, /cpu 14/, amd64);
  expect(typesOf({ pods: [pod] })).toEqual([fake.arm]);
});

conforms("sched.types | two pods naming different types | two nodes", () => {
  const pods = [
    small("one", { [label.instanceType]: fake.small }),
    small("two", { [label.instanceType]: fake.standard }),
  ];
  expect(typesOf({ pods })).toEqual([fake.small, fake.standard]);
});

conforms("sched.types | two pods in different zones | two nodes", () => {
  const { nodes } = solve({ pods: [small("one", { [label.zone]: "a" }), small("two", { [label.zone]: "b" })] });
  expect(nodes.map(({ zone, pods }) => [zone, ...pods]).sort()).toEqual([
    ["a", "one"],
    ["b", "two"],
  ]);
});

/** Types of 1 to 5 CPU. */
const five = catalogOf({
  "fake1.medium": { vcpus: 1, memoryGib: 2, priceUsdPerHour: 0.05 },
  "fake1.large": { vcpus: 2, memoryGib: 4, priceUsdPerHour: 0.1 },
  "fake1.xlarge": { vcpus: 3, memoryGib: 6, priceUsdPerHour: 0.15 },
  "fake1.2xlarge": { vcpus: 4, memoryGib: 8, priceUsdPerHour: 0.2 },
  "fake1.4xlarge": { vcpus: 5, memoryGib: 10, priceUsdPerHour: 0.25 },
});
const size = `${awsGroup}/instance-size`;

conforms(
  "sched.types.provider-labels | size label selectors large / small | matching types (fifth and first of the list)",
  () => {
    const typeOfSize = (value: string) => typesOf({ pods: [small("p", { [size]: value })], catalog: five });
    expect(typeOfSize("4xlarge")).toEqual(["fake1.4xlarge"]);
    expect(typeOfSize("medium")).toEqual(["fake1.medium"]);
  },
);

const optional = `${awsGroup}/instance-gpu-name`;

conforms("sched.types.provider-labels | optional label requested In | node has the label, right type", () => {
  const pod = pendingPod("p", { cpu: "100m", spec: nodeTerms([[optional, "In", "v520", "x"]]) });
  const solved = solve({ pods: [pod] });
  expect(solved.nodes.map(({ type }) => type)).toEqual([fake.gpuB]);
  const node = carriedOut(solved, "registered").nodes?.[0];
  expect(node?.metadata.labels?.[optional]).toBe("v520");
});

conforms("sched.types.provider-labels | optional label DoesNotExist | node without it", () => {
  const gpuAndOther = [nodePool("default", { requirements: [oneOf(label.instanceType, fake.gpuA, fake.arm)] })];
  const absent = pendingPod("p", { cpu: "100m", spec: nodeTerms([[optional, "DoesNotExist"]]) });
  expect(typesOf({ pods: [absent], pools: gpuAndOther })).toEqual([fake.arm]);
  expectNone(absent, /instance-gpu-name/, [
    nodePool("default", { requirements: [oneOf(label.instanceType, fake.gpuA)] }),
  ]);
});

conforms("sched.pack | 2000M pod (just below 2Gi) | smallest type that fits", () => {
  const typeFor = (memory: string) => typesOf({ pods: [pendingPod("p", { cpu: "100m", memory })] });
  expect(typeFor("2000M")).toEqual([fake.small]);
  expect(typeFor("2200M")).toEqual([fake.standard]);
});

conforms("sched.pack | RuntimeClass overhead added to request | bigger type chosen", () => {
  const typeWith = (spec: Partial<PodSpec>) => typesOf({ pods: [pendingPod("p", { cpu: "1", spec })] });
  expect(typeWith({})).toEqual([fake.small]);
  expect(typeWith({ overhead: { cpu: "2" } })).toEqual([fake.standard]);
});

conforms("sched.pack | five 10M pods | one small node", () => {
  const { nodes } = solve({ pods: pendingPods(5, "p", { cpu: "10m", memory: "10M" }) });
  expect(nodes.map(({ type, pods }) => [type, pods.length])).toEqual([[fake.small, 5]]);
});

conforms("sched.pack | forty 1.8G pods, arch amd64, max two per node | 20 nodes of default type", () => {
  const pods = pendingPods(40, "p", { cpu: "10m", memory: "1.8G", spec: { nodeSelector: { [label.arch]: "amd64" } } });
  const { nodes } = solve({ pods });
  expect(nodes.map(({ type, pods: own }) => [type, own.length])).toEqual(Array(20).fill([fake.standard, 2]));
});

conforms("sched.pack | forty 1.8G + twenty 400M pods | still 20 nodes (small fill the gaps)", () => {
  const spec = { nodeSelector: { [label.arch]: "amd64" } };
  const large = pendingPods(40, "large", { cpu: "10m", memory: "1.8G", spec });
  const { nodes, unscheduled } = solve({
    pods: [...large, ...pendingPods(20, "little", { cpu: "10m", memory: "400M", spec })],
  });
  expect(unscheduled).toEqual([]);
  expect(nodes.map(({ type }) => type)).toEqual(Array(20).fill(fake.standard));
});

conforms("sched.pack | types of 1–5 CPU, one 4.5-CPU and one 1-CPU pod | two nodes of different types", () => {
  const pods = [pendingPod("large", { cpu: "4500m" }), pendingPod("little", { cpu: "1" })];
  expect(typesOf({ pods, catalog: five })).toEqual(["fake1.4xlarge", "fake1.medium"]);
});

conforms("sched.pack | request and limit of an unknown resource = 0 | scheduled", () => {
  const zero = { "example.com/unknown": "0" };
  const containers = [{ resources: { requests: { cpu: "100m", ...zero }, limits: zero } }];
  expect(typesOf({ pods: [pendingPod("p", { spec: { containers } })] })).toEqual([fake.small]);
  const one = [{ resources: { requests: { cpu: "100m", "example.com/unknown": "1" } } }];
  expectNone(pendingPod("p", { spec: { containers: one } }), /example\.com\/unknown/);
});

conforms("sched.pack | 2Ti memory | not scheduled", () => {
  expectNone(pendingPod("p", { memory: "2Ti" }), /memory 2Ti/);
});

conforms("sched.pack | 25 tiny pods, 5-pod nodes | 5 nodes", () => {
  const { nodes } = solve({ pods: pendingPods(25, "p", { cpu: "1m", memory: "1M" }) });
  expect(nodes.map(({ pods }) => pods.length)).toEqual([5, 5, 5, 5, 5]);
});

function withInit(cpu: string, memory: string) {
  const containers = [{ resources: { requests: { cpu: "1", memory: "100Mi" } } }];
  const initContainers = [{ resources: { requests: { cpu, memory } } }];
  return pendingPod("p", { spec: { containers, initContainers } });
}

conforms("sched.pack | init container needs 2 CPU vs 1 main | type sized for the init container", () => {
  expect(typesOf({ pods: [withInit("2", "10Mi")], catalog: five })).toEqual(["fake1.large"]);
  expect(typesOf({ pods: [withInit("500m", "10Mi")], catalog: five })).toEqual(["fake1.medium"]);
});

conforms("sched.pack | init container 1Ti | not scheduled", () => {
  expectNone(withInit("1", "1Ti"), /memory 1Ti/);
});
