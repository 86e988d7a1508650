import { describe, expect, it } from "vitest";
import { capacityOf } from "../../../shared/cloud/capacity.ts";
import { nodeSettings } from "../../../shared/cloud/node-settings.ts";
import { allocatableOf } from "../../../shared/cloud/overhead.ts";
import { instanceFacts } from "../../support/instance-facts.ts";
import { nodeClass } from "../../support/node-classes.ts";

const mib = 1024 ** 2;
const gib = 1024 ** 3;

type Spec = NonNullable<Parameters<typeof nodeClass>[0]>;

function allocatable(type: string, spec: Spec = {}) {
  const facts = instanceFacts(type);
  const settings = nodeSettings(nodeClass(spec));
  return allocatableOf(
    facts,
    settings,
    capacityOf(facts, settings, { vmMemoryOverheadPercent: 0.075, reservedEnis: 0 }),
  );
}

describe("what a node has for pods", () => {
  it("is the worked example for m5.large", () => {
    expect(allocatable("m5.large")).toEqual({
      cpu: 1930,
      memory: 6903 * mib,
      pods: 29,
      "ephemeral-storage": 17 * gib,
      "vpc.amazonaws.com/pod-eni": 9,
    });
  });

  it("loses CPU in bands that shrink as the type grows", () => {
    expect(["t2.micro", "m5.large", "m5.xlarge", "m5.2xlarge"].map((type) => allocatable(type).cpu)).toEqual([
      1000 - 60,
      2000 - 60 - 10,
      4000 - 60 - 10 - 10,
      8000 - 60 - 10 - 10 - 10,
    ]);
  });

  it("is never negative", () => {
    expect(allocatable("t3.nano", { kubelet: { kubeReserved: { memory: "4Gi" } } }).memory).toBe(0);
  });
});

describe("kube-reserved memory", () => {
  const maxPods = { kubelet: { maxPods: 110 } };

  it("is for as many pods as the interfaces allow on Amazon Linux, whatever maxPods says", () => {
    expect(allocatable("m5.large", maxPods)).toMatchObject({ memory: 6903 * mib, pods: 110 });
  });

  it("is for the real number of pods on Bottlerocket", () => {
    const bottlerocket: Spec = { amiSelectorTerms: [{ alias: "bottlerocket@latest" }], ...maxPods };
    expect(allocatable("m5.large", bottlerocket).memory).toBe((7577 - (11 * 110 + 255) - 100) * mib);
  });
});

describe("a class's own kubelet settings", () => {
  it("replace kube-reserved key by key, and add system-reserved", () => {
    const kubelet = { kubeReserved: { cpu: "200m" }, systemReserved: { cpu: "100m", memory: "200Mi", pid: "1000" } };
    expect(allocatable("m5.large", { kubelet })).toMatchObject({ cpu: 1700, memory: 6703 * mib });
    expect(Object.keys(allocatable("m5.large", { kubelet }))).not.toContain("pid");
  });

  it("replace the eviction threshold by a quantity or a share of the whole, rounded up", () => {
    const kubelet = { evictionHard: { "memory.available": "5%", "nodefs.available": "1Gi" } };
    expect(allocatable("m5.large", { kubelet })).toMatchObject({
      memory: 7577 * mib - 574 * mib - Math.ceil((7577 * mib * 5) / 100),
      "ephemeral-storage": 18 * gib,
    });
  });

  it("switch a threshold off with 100%, as the kubelet does", () => {
    const kubelet = { evictionHard: { "memory.available": "100%", "nodefs.available": "100%" } };
    expect(allocatable("m5.large", { kubelet })).toMatchObject({
      memory: (7577 - 574) * mib,
      "ephemeral-storage": 19 * gib,
    });
  });

  it("leave soft eviction out of it", () => {
    const kubelet = {
      evictionSoft: { "memory.available": "2Gi" },
      evictionSoftGracePeriod: { "memory.available": "1m" },
    };
    expect(allocatable("m5.large", { kubelet }).memory).toBe(6903 * mib);
  });
});
