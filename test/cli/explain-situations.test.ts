import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ExplainOptions, explain } from "../../cli/explain.ts";
import type { ExplanationReport } from "../../cli/report/explain-json.ts";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { formatNominations } from "../../shared/state/nominations.ts";
import { fileOf, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { stdinOf } from "../support/command-line.ts";

const catalog = fileURLToPath(new URL("golden/explain/catalog.json", import.meta.url));

function run(name: string, manifests: readonly RawObject[], changes: Partial<ExplainOptions> = {}, kind = "pod") {
  const options = { region: "us-east-1", kubernetesVersion: "1.34", catalog, filename: ["-"], output: "json" } as const;
  return explain(kind, name, { ...options, ...changes }, stdinOf(fileOf(...poolManifests(), ...manifests)));
}

async function reportOf(name: string, manifests: readonly RawObject[], changes?: Partial<ExplainOptions>) {
  const { output, notes, exitCode } = await run(name, manifests, changes);
  if (output === "") throw new Error(notes.join("\n"));
  const report: ExplanationReport = JSON.parse(output);
  return { ...report, exitCode };
}

async function expectWaiting(reason: string, pod: RawObject, ...others: readonly RawObject[]) {
  const report = await reportOf("default/p", [pod, ...others]);
  expect(report).toMatchObject({ situation: "waiting", exitCode: 0 });
  expect(report.reason).toContain(reason);
}

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", labels: { "kubernetes.io/os": "linux" } },
  status: { capacity: { cpu: "4", memory: "8Gi", pods: "20" }, allocatable: { cpu: "4", memory: "8Gi", pods: "20" } },
};
const unschedulable = { type: "PodScheduled", status: "False", reason: "Unschedulable" };

describe("explain pod tells of a pod that", () => {
  it("would get a new node which one, of which NodePool, for what price and why", async () => {
    const report = await reportOf("default/web-1", [workloadManifest("Deployment", "web", { replicas: 2 })]);
    expect(report).toMatchObject({
      situation: "new-node",
      exitCode: 0,
      owner: "Deployment web",
      newNode: { nodePool: "default", instanceType: "m7i.large", priceUsdPerHour: 0.1, sharedWith: ["default/web-0"] },
    });
    expect(report.newNode?.reason).toContain("cheapest");
    expect(report.newNode?.nodeCost).toEqual({
      volumesUsdPerHour: 0.002192,
      chargeUsdPerHour: 0,
      daemonSetsUsdPerHour: 0,
    });
  });

  it("has room on a node that exists which one", async () => {
    const report = await reportOf("default/p", [podManifest("p"), node]);
    expect(report).toMatchObject({ situation: "existing-node", node: "n1", exitCode: 0 });
  });

  it("runs where it runs", async () => {
    const running = podManifest("p", {}, { nodeName: "n1" }, { phase: "Running" });
    expect(await reportOf("p", [running, node])).toMatchObject({ situation: "running", node: "n1", exitCode: 0 });
  });

  it("has ended that it needs nothing any more", async () => {
    const ended = podManifest("p", {}, { nodeName: "n1" }, { phase: "Failed" });
    expect(await reportOf("p", [ended, node])).toMatchObject({
      situation: "ended",
      reason: "its phase is Failed",
      exitCode: 0,
    });
    const { output } = await run("p", [ended], { output: "table" });
    expect(output).toBe("default/p has ended, and needs no node: its phase is Failed\n");
  });

  it("runs on a node that leaves where it would go", async () => {
    const taints = [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }];
    const running = podManifest("p", {}, { nodeName: "n1" }, { phase: "Running" });
    const report = await reportOf("default/p", [running, { ...node, spec: { taints } }]);
    expect(report).toMatchObject({ situation: "running", node: "n1", newNode: { instanceType: "m7i.large" } });
    expect(report.reason).toContain("its node is leaving");
  });

  it("is gated the gates", async () => {
    const gated = podManifest("p", {}, { schedulingGates: [{ name: "example.com/quota" }] });
    await expectWaiting("example.com/quota", gated);
    await expectWaiting("example.com/quota", gated, podManifest("another"));
  });

  it("preempts others the node it is nominated to", async () => {
    const status = { nominatedNodeName: "n1", conditions: [unschedulable] };
    await expectWaiting("nominated it to node n1", podManifest("p", {}, {}, status), node);
  });

  it("has a place on a node under way which NodeClaim that is", async () => {
    const nominations = formatNominations([{ uid: "uid-p", owner: "", class: "" }]);
    const claim = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name: "default-1", annotations: { "journeyman.sh/nominated-pods": nominations } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
        requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["m7i.large"] }],
      },
    };
    const pod = podManifest("p", { uid: "uid-p" });
    await expectWaiting("NodeClaim default-1 keeps a place for it: it is being launched", pod, claim);
    const launched = { ...claim, status: { providerID: "aws:///us-east-1a/i-1" } };
    await expectWaiting("NodeClaim default-1 keeps a place for it: its instance is starting", pod, launched);
  });

  it("opts out its annotation", async () => {
    const annotations = { "journeyman.sh/do-not-provision": "true" };
    await expectWaiting("journeyman.sh/do-not-provision", podManifest("p", { annotations }));
  });

  it("is not among those that are served the annotation it lacks", async () => {
    const report = await reportOf("default/p", [podManifest("p")], { servedPodAnnotation: "example.com/served" });
    expect(report).toMatchObject({ situation: "waiting" });
    expect(report.reason).toContain("example.com/served");
  });

  it("kube-scheduler has not given up on that it has not", async () => {
    const status = { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulerError" }] };
    await expectWaiting("kube-scheduler has not called it unschedulable", podManifest("p", {}, {}, status));
  });

  it("is being deleted that it is", async () => {
    await expectWaiting("being deleted", podManifest("p", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  });

  it("wants devices by resource claim that they are not supported, and tries no edit", async () => {
    const report = await reportOf("default/p", [podManifest("p", {}, { resourceClaims: [{ name: "gpu" }] })]);
    expect(report).toMatchObject({ situation: "no-place", exitCode: 1, fixes: [], tried: 0 });
    expect(report.refusals?.[0]?.reason).toContain("resource claims");
  });
});

describe("explain pod refuses", () => {
  it("a pod that is not there, with the names that come near", async () => {
    const web = workloadManifest("Deployment", "web", { replicas: 2 }, { metadata: { namespace: "shop" } });
    const { exitCode, notes } = await run("shop/web", [web]);
    expect(exitCode).toBe(2);
    expect(notes.at(-1)).toBe(
      "error: explain pod: found no pod shop/web, expected one of its 2 pods, such as shop/web-0, shop/web-1",
    );
    expect((await run("web-0", [web])).notes.at(-1)).toContain("such as shop/web-0");
    expect((await run("shop/wbe-0", [web])).notes.at(-1)).toContain("such as shop/web-0");
  });

  it("other kinds than pods", async () => {
    const { exitCode, notes } = await run("x", [], {}, "node");
    expect(exitCode).toBe(2);
    expect(notes.join()).toContain("found node, expected pod");
  });
});
