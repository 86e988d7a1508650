import { describe, expect, it } from "vitest";
import type { CapacityBuffer } from "../../../shared/api/capacity-buffer.ts";
import { type BufferPlaces, bufferStatusChange } from "../../../shared/state/buffer-status.ts";
import { type BufferSource, resolveBuffer } from "../../../shared/state/capacity-buffers.ts";
import { bufferNamed, podTemplateNamed } from "../../support/buffers.ts";
import { deploymentNamed } from "../../support/cluster-objects.ts";

const now = Date.UTC(2026, 0, 1);

function status(
  buffer: CapacityBuffer,
  source: BufferSource | undefined,
  places?: BufferPlaces,
): NonNullable<CapacityBuffer["status"]> {
  return { ...buffer.status, ...bufferStatusChange(buffer, resolveBuffer(buffer, source, []), places, now) };
}

/** Reasons by type. */
function reasons({ conditions = [] }: NonNullable<CapacityBuffer["status"]>) {
  return Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]));
}

describe("a buffer's status", () => {
  const spare = bufferNamed("web", { replicas: 2 });
  const template = podTemplateNamed("spare");
  const placed = (existing: number, launching: number, ...refusals: string[]) => ({ existing, launching, refusals });

  it("names the template and its generation", () => {
    const changed = { ...template, metadata: { ...template.metadata, generation: 7 } };
    expect(status(spare, changed)).toMatchObject({
      replicas: 2,
      podTemplateRef: { name: "spare" },
      podTemplateGeneration: 7,
    });
  });

  it("names no template for a workload, and takes an older name away", () => {
    const { podTemplateRef: _gone, ...spec } = spare.spec;
    const scaled = {
      ...spare,
      spec: { ...spec, scalableRef: { kind: "Deployment", name: "app" } },
      status: { podTemplateRef: { name: "spare" }, podTemplateGeneration: 7 },
    };
    expect(status(scaled, deploymentNamed("app"))).toMatchObject({ podTemplateRef: null, podTemplateGeneration: null });
  });

  it.each([
    ["FitsExistingCapacity", placed(2, 0)],
    ["RequiresNewCapacity", placed(1, 1)],
    ["RequiresNewCapacity", placed(1, 0, "default: cpu is short")],
    [undefined, undefined],
  ])("says %s of Provisioning", (reason, places) => {
    expect(reasons(status(spare, template, places)).Provisioning).toBe(reason);
  });

  it("says why pods of it have no place", () => {
    const { conditions } = status(spare, template, placed(0, 0, "default: cpu is short", "default: cpu is short"));
    expect(conditions?.[1]?.message).toBe("0 of 2 fit, 0 wait for new nodes, 2 have no place: default: cpu is short");
  });

  it("says how many pods of it are left to later passes", () => {
    const { conditions } = status(spare, template, { ...placed(0, 1), deferred: 1 });
    expect(conditions?.[1]?.message).toBe(
      "0 of 2 fit, 1 wait for new nodes, 0 have no place, 1 are left to later passes (one plans 5000 at most)",
    );
  });

  it("is that of an empty buffer, or of one that is not ready, whatever was planned", () => {
    expect(reasons(status(bufferNamed("web", { replicas: 0 }), template, placed(0, 0))).Provisioning).toBe(
      "BufferEmpty",
    );
    expect(reasons(status(spare, undefined, placed(0, 0)))).toEqual({
      ReadyForProvisioning: "PodTemplateNotFound",
      Provisioning: "NotReadyForProvisioning",
    });
  });

  it("is left alone when it says what it should", () => {
    const written = { ...spare, status: status(spare, template, placed(2, 0)) };
    expect(
      bufferStatusChange(written, resolveBuffer(written, template, []), placed(2, 0), now + 60_000),
    ).toBeUndefined();
  });
});

describe("the size of a buffer", () => {
  const size = (spec: Partial<CapacityBuffer["spec"]>, replicas?: number): number => {
    const source = replicas === undefined ? podTemplateNamed("spare") : deploymentNamed("app", { replicas, cpu: "1" });
    const scalableRef = replicas === undefined ? {} : { scalableRef: { kind: "Deployment", name: "app" } };
    const resolution = resolveBuffer(bufferNamed("web", { ...scalableRef, ...spec }), source, []);
    return resolution.kind === "resolved" ? resolution.resolved.replicas : Number.NaN;
  };

  it("is the larger of replicas and percentage, at most what the limits hold", () => {
    expect(size({ replicas: 2, percentage: 30 }, 10)).toBe(3);
    expect(size({ replicas: 5, percentage: 30 }, 10)).toBe(5);
    expect(size({ replicas: 5, percentage: 30, limits: { cpu: "4" } }, 10)).toBe(4);
    expect(size({ replicas: 5, limits: { "nvidia.com/gpu": "1" } })).toBe(5);
  });

  it("is what the limits hold when nothing else is stated, and nothing when those limit nothing", () => {
    expect(size({ limits: { cpu: "3" } })).toBe(3);
    expect(size({ limits: { "nvidia.com/gpu": "1" } })).toBe(0);
  });

  it("is nothing for a share of a workload without pods", () => {
    expect(size({ percentage: 50, limits: { cpu: "3" } }, 0)).toBe(0);
  });
});
