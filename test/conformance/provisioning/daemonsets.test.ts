import { expect } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { daemonSetNamed, type PodInput } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod, runningPod } from "../../support/pods.ts";

type World = NonNullable<Parameters<typeof solve>[0]>;

/** One pod of 1 CPU, which the 2-CPU type holds alone but not with a daemon of 1.5 CPUs, which then takes the 4-CPU type. */
const counted = [fake.standard];
const ignored = [fake.small];

function beside(daemon: PodInput, pod: Partial<PodSpec> = {}, world: World = {}) {
  const daemonSets = [daemonSetNamed("agent", { cpu: "1500m", ...daemon })];
  return solve({ pods: [pendingPod("p", { cpu: "1", spec: pod })], daemonSets, ...world });
}

function typesBeside(...input: Parameters<typeof beside>) {
  const { nodes, unscheduled } = beside(...input);
  expect(unscheduled).toEqual([]);
  return nodes.map(({ type }) => type);
}

function expectNone(daemon: PodInput, reason: RegExp, pod: Partial<PodSpec> = {}) {
  const { plan } = beside(daemon, pod);
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], reason);
}

function onPort(hostPort: number, cpu: string): Partial<PodSpec> {
  return { containers: [{ ports: [{ containerPort: hostPort, hostPort }], resources: { requests: { cpu } } }] };
}

function withInit(init: Readonly<Record<string, string>>, main: Readonly<Record<string, string>>): PodInput {
  return {
    spec: {
      initContainers: [{ resources: { requests: { ...init } } }],
      containers: [{ resources: { requests: { ...main } } }],
    },
  };
}

const taint = { key: "dedicated", effect: "NoSchedule" } as const;
const tolerating: Partial<PodSpec> = { tolerations: [{ operator: "Exists" }] };

conforms("ds | daemon uses the pod's host port | not scheduled", () => {
  expectNone({ spec: onPort(8080, "100m") }, /host port/, onPort(8080, "1"));
  expect(typesBeside({ spec: onPort(8080, "100m") }, onPort(9090, "1"))).toEqual(ignored);
});

conforms("ds | daemon tolerating nothing but pool has only a startup taint | overhead counted", () => {
  expect(typesBeside({}, {}, { pools: [nodePool("default", { startupTaints: [taint] })] })).toEqual(counted);
});

conforms("ds | daemon 10000 CPU | not scheduled", () => {
  expectNone({ cpu: "10000" }, /DaemonSet/);
});

conforms("ds | daemon limits huge and requests unset | limits become requests; not scheduled", () => {
  const limits = { cpu: "10000", memory: "10000Gi" };
  expectNone({ spec: { containers: [{ resources: { limits } }] } }, /DaemonSet/);
});

conforms("ds | daemon init/main max | 4-CPU node", () => {
  expect(typesBeside(withInit({ cpu: "1500m" }, { cpu: "500m" }))).toEqual(counted);
  expect(typesBeside(withInit({ cpu: "500m" }, { cpu: "1500m" }))).toEqual(counted);
  expect(typesBeside(withInit({ cpu: "500m" }, { cpu: "500m" }))).toEqual(ignored);
});

conforms("ds | combined max too large; init too large (x2) | not scheduled", () => {
  expectNone(withInit({ cpu: "10000", memory: "1Gi" }, { cpu: "1", memory: "10000Gi" }), /DaemonSet/);
  expectNone(withInit({ cpu: "10000" }, { cpu: "1" }), /DaemonSet/);
});

conforms("ds | daemon without resources | scheduled", () => {
  const none = { spec: { containers: [{}] } };
  expect(typesBeside(none)).toEqual(ignored);
  expect(beside(none).nodes[0]?.object.spec.resources?.requests).toMatchObject({ cpu: "1", pods: "2" });
});

conforms(
  "ds | daemon lacks toleration; invalid selector; no type satisfies it (x3) | overhead ignored (2-CPU node)",
  () => {
    expect(typesBeside({}, tolerating, { pools: [nodePool("default", { taints: [taint] })] })).toEqual(ignored);
    expect(typesBeside({ spec: { nodeSelector: { node: "invalid" } } })).toEqual(ignored);
    expect(typesBeside({ spec: nodeTerms([[label.instanceType, "In", "unheard-of"]]) })).toEqual(ignored);
    expect(typesBeside({})).toEqual(counted);
  },
);

conforms("ds | daemon nodeSelector on pool's custom label | overhead counted", () => {
  const pools = [nodePool("default", { labels: { team: "a" } })];
  expect(typesBeside({ spec: { nodeSelector: { team: "a" } } }, {}, { pools })).toEqual(counted);
  expect(typesBeside({ spec: { nodeSelector: { team: "b" } } }, {}, { pools })).toEqual(ignored);
});

conforms("ds | daemon NotIn on undefined key | counted", () => {
  expect(typesBeside({ spec: nodeTerms([["foo", "NotIn", "bar"]]) })).toEqual(counted);
});

conforms("ds | live daemon pod has hostname affinity | ignored, template affinity used", () => {
  const live = (hostname: string, cpu: string) =>
    runningPod("agent-1", "old", {
      cpu,
      owner: { kind: "DaemonSet", uid: "agent" },
      spec: nodeTerms([[label.hostname, "In", hostname]]),
    });
  const world = (cpu: string) => ({
    nodes: [plainNode("old", { taints: [taint] })],
    pods: [live("old", cpu), pendingPod("p", { cpu: "1" })],
  });
  expect(typesBeside({}, {}, world("1500m"))).toEqual(counted);
  const template = { spec: nodeTerms([[label.arch, "In", "riscv64"]]) };
  expect(typesBeside(template, {}, world("1500m"))).toEqual(ignored);
  // What a pod takes is read from the live one: admission may have changed it.
  expect(typesBeside({}, {}, world("500m"))).toEqual(ignored);
});

conforms("ds | several OR-terms, one matching | counted", () => {
  const terms = nodeTerms([["foo", "In", "bar"]], [[label.arch, "In", "amd64"]]);
  expect(typesBeside({ spec: terms })).toEqual(counted);
});

conforms("ds | incompatible preferred affinity; PreferNoSchedule taint (x2) | still counted", () => {
  const preferred = {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions: [{ key: "foo", operator: "In" as const, values: ["bar"] }] } },
    ],
  };
  expect(typesBeside({ spec: { affinity: { nodeAffinity: preferred } } })).toEqual(counted);
  const pools = [nodePool("default", { taints: [{ ...taint, effect: "PreferNoSchedule" }] })];
  expect(typesBeside({}, {}, { pools })).toEqual(counted);
});

conforms("ds | daemon with host port that can't run on chosen type | pod's port allowed", () => {
  const onArm = { spec: { ...onPort(8080, "100m"), nodeSelector: { [label.arch]: "arm64" } } };
  expect(typesBeside(onArm, onPort(8080, "1"))).toEqual(ignored);
  const pools = [nodePool("default", { requirements: [oneOf(label.arch, "arm64")] })];
  expect(beside(onArm, onPort(8080, "1"), { pools }).unscheduled).toEqual(["p"]);
});
