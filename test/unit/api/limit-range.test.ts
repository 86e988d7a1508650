import { describe, expect, it } from "vitest";
import type { Container } from "../../../shared/api/core.ts";
import {
  type LimitRange,
  limitRange,
  limitRangesOf,
  withLimitRanges,
  withTemplateLimits,
} from "../../../shared/api/limit-range.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";

function range(limits: Partial<LimitRange["spec"]["limits"][number]>, name = "defaults", namespace = "default") {
  return limitRange.parse({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name, namespace },
    spec: { limits: [{ type: "Container", ...limits }] },
  });
}

function filled(resources: Container["resources"], ...ranges: readonly LimitRange[]) {
  const spec = { containers: [resources === undefined ? {} : { resources }] };
  return withLimitRanges(spec, ranges).containers[0]?.resources;
}

describe("a LimitRange", () => {
  const both = range({ default: { cpu: "2" }, defaultRequest: { cpu: "500m" } });

  it("fills in what a container does not state", () => {
    expect(filled(undefined, both)).toEqual({ limits: { cpu: "2" }, requests: { cpu: "500m" } });
    expect(filled({ requests: { cpu: "1" } }, both)).toEqual({ limits: { cpu: "2" }, requests: { cpu: "1" } });
  });

  it("leaves a request to the container's own limit", () => {
    expect(filled({ limits: { cpu: "1" } }, both)).toEqual({ limits: { cpu: "1" }, requests: { cpu: "1" } });
  });

  it("takes the limit, else the least, for the default request, and the most for the default limit", () => {
    expect(filled(undefined, range({ default: { cpu: "2" } }))).toMatchObject({ requests: { cpu: "2" } });
    expect(filled(undefined, range({ max: { cpu: "4" }, min: { cpu: "1" } }))).toEqual({
      limits: { cpu: "4" },
      requests: { cpu: "4" },
    });
    expect(filled(undefined, range({ min: { cpu: "1" } }))).toEqual({ limits: {}, requests: { cpu: "1" } });
  });

  it("of a lower name goes before another", () => {
    const [a, b] = [range({ default: { cpu: "1" } }, "a"), range({ default: { cpu: "2", memory: "1Gi" } }, "b")];
    expect(filled(undefined, b, a)).toMatchObject({ limits: { cpu: "1", memory: "1Gi" } });
  });

  it("of pods or claims says nothing about containers", () => {
    const pod = range({ type: "Pod", max: { cpu: "1" } });
    expect(filled({ requests: { cpu: "3" } }, pod)).toEqual({ requests: { cpu: "3" } });
  });

  it("counts for init containers, and in its own namespace alone", () => {
    const spec = { containers: [], initContainers: [{}] };
    expect(withLimitRanges(spec, [both]).initContainers).toMatchObject([{ resources: { requests: { cpu: "500m" } } }]);
    expect(limitRangesOf("default", [both, range({}, "defaults", "shop")])).toEqual([both]);
    expect(withTemplateLimits(daemonSetNamed("agent"), [range({ default: { cpu: "1" } }, "x", "shop")])).toEqual(
      daemonSetNamed("agent"),
    );
    expect(withTemplateLimits(daemonSetNamed("agent"), [both]).spec.template.spec.containers).toMatchObject([
      { resources: { requests: { cpu: "500m" } } },
    ]);
  });
});
