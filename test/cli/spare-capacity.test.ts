import { describe, expect, it } from "vitest";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { fileOf, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { planText } from "../support/command-line.ts";

const spare = {
  apiVersion: "v1",
  kind: "PodTemplate",
  metadata: { name: "spare" },
  template: { spec: { containers: [{ name: "app", resources: { requests: { cpu: "1" } } }] } },
};
const limits = {
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "defaults" },
  spec: { limits: [{ type: "Container", defaultRequest: { cpu: "2" } }] },
};
const bare = { containers: [{ name: "app" }] };

function buffer(name: string, spec: Record<string, unknown>) {
  const apiVersion = "autoscaling.x-k8s.io/v1beta1";
  return {
    apiVersion,
    kind: "CapacityBuffer",
    metadata: { name },
    spec: { podTemplateRef: { name: "spare" }, ...spec },
  };
}

async function planned(...manifests: readonly RawObject[]) {
  const { exitCode, output, notes } = await planText(fileOf(...manifests));
  return { exitCode, notes, report: exitCode === 2 ? undefined : JSON.parse(output) };
}

describe("a plan of static NodePools", () => {
  it("shows their nodes, which hold no pods, with their price", async () => {
    const { report, exitCode } = await planned(...poolManifests(["spec.replicas", 2]));
    expect(exitCode).toBe(0);
    expect(report.nodeClaims).toMatchObject([{ pods: [] }, { pods: [] }]);
    expect(report.totals).toMatchObject({ nodes: 2, pods: 0 });
    expect(report.totals.priceUsdPerHour).toBeCloseTo(2 * report.nodeClaims[0].priceUsdPerHour);
    expect(report.totals.lowerBoundUsdPerHour).toBeCloseTo(report.totals.priceUsdPerHour);
  });

  it("says how many nodes are short, and why", async () => {
    const pool = poolManifests(["spec.replicas", 3], ["spec.limits", { nodes: "1" }]);
    expect((await planned(...pool)).notes).toEqual([
      expect.stringMatching(/^note: static NodePool \S+ is 2 nodes short: its limit of 1 /),
    ]);
  });
});

describe("sizes beyond any cluster", () => {
  it("are refused, of static NodePools all together", async () => {
    const [pool, nodeClass] = poolManifests(["spec.replicas", 3_000]);
    const other = { ...pool, metadata: { name: "other" } };
    const { exitCode, notes } = await planned(pool ?? {}, other, nodeClass ?? {});
    expect(exitCode).toBe(2);
    expect(notes.join()).toContain(
      "spec.replicas: found 6000 nodes of static NodePools up to here, expected at most 5000 nodes in all",
    );
  });

  it("are refused, of buffers together with the pods of workloads", async () => {
    const web = workloadManifest("Deployment", "web", { replicas: 2 });
    const share = buffer("share", { podTemplateRef: null, scalableRef: { kind: "Deployment", name: "web" } });
    const huge = { ...share, spec: { ...share.spec, percentage: 7_500_000 } };
    const { exitCode, notes } = await planned(...poolManifests(), web, huge);
    expect(exitCode).toBe(2);
    expect(notes.join()).toContain("spec: found 150002 pods up to here, expected at most 150000 pods in all");
  });
});

describe("a plan of CapacityBuffers", () => {
  it("says how many pods of a large one are left to later passes", async () => {
    const { notes, report } = await planned(...poolManifests(), spare, buffer("web", { replicas: 5_001 }));
    expect(report.totals.pods).toBe(5_000);
    expect(notes).toEqual([
      "note: CapacityBuffer default/web: 1 of its 5001 pods are not planned: one pass plans at most 5000 pods of buffers, and later ones the rest",
    ]);
  });

  it("has nodes for their pods", async () => {
    const { report } = await planned(...poolManifests(), spare, buffer("web", { replicas: 2 }));
    expect(report.nodeClaims.flatMap(({ pods }: { pods: string[] }) => pods).toSorted()).toEqual([
      "default/capacity-buffer-web-0",
      "default/capacity-buffer-web-1",
    ]);
  });

  it("notes those that cannot be resolved, are another's, or find no place, and is no failure for it", async () => {
    const { exitCode, notes, report } = await planned(
      ...poolManifests(),
      spare,
      buffer("lost", { podTemplateRef: { name: "gone" }, replicas: 1 }),
      buffer("theirs", { replicas: 1, provisioningStrategy: "example.com/cold" }),
      {
        ...spare,
        metadata: { name: "huge" },
        template: { spec: { containers: [{ resources: { requests: { cpu: "9999" } } }] } },
      },
      buffer("huge", { podTemplateRef: { name: "huge" }, replicas: 2 }),
    );
    expect(exitCode).toBe(0);
    expect(report.unschedulable).toEqual([]);
    expect(notes).toEqual([
      "note: CapacityBuffer default/lost is not planned: PodTemplate default/gone does not exist",
      "note: CapacityBuffer default/theirs is left alone: its strategy is example.com/cold",
      expect.stringMatching(/^note: CapacityBuffer default\/huge: no place for 2 pods of it: default: /),
    ]);
  });

  it("is refused when one has neither a template nor a workload", async () => {
    const { exitCode, notes } = await planned(
      ...poolManifests(),
      buffer("none", { podTemplateRef: null, replicas: 1 }),
    );
    expect(exitCode).toBe(2);
    expect(notes.join("\n")).toContain("found neither, expected podTemplateRef or scalableRef");
  });
});

describe("LimitRanges in files", () => {
  it("give requests to pods of workloads, to new pods and to DaemonSets, not to pods from a cluster", async () => {
    const { report } = await planned(
      ...poolManifests(),
      limits,
      workloadManifest("Deployment", "web", { replicas: 1 }, { podSpec: bare }),
      workloadManifest("DaemonSet", "agent", {}, { podSpec: bare }),
      podManifest("new", {}, bare),
      podManifest("old", { uid: "old" }, bare),
      workloadManifest("Deployment", "other", { replicas: 1 }, { podSpec: bare, metadata: { namespace: "shop" } }),
    );
    expect(report.nodeClaims).toMatchObject([{ requests: { cpu: "6" } }]);
  });
});

describe("pods that are not served", () => {
  const out = podManifest("out", { annotations: { "journeyman.sh/do-not-provision": "true" } });

  it("get no node", async () => {
    const { report, exitCode } = await planned(...poolManifests(), out);
    expect(exitCode).toBe(0);
    expect(report.nodeClaims).toEqual([]);
    expect(report.unschedulable).toEqual([]);
  });

  it("are all but those with the annotation that an option names", async () => {
    const mine = podManifest("mine", { annotations: { team: "shop" } });
    const text = fileOf(...poolManifests(), mine, podManifest("theirs"));
    const { output } = await planText(text, { servedPodAnnotation: "team=shop" });
    expect(JSON.parse(output).nodeClaims).toMatchObject([{ pods: ["default/mine"] }]);
  });
});
