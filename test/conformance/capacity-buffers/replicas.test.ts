import { describe, expect } from "vitest";
import type { Container, PodSpec, PodTemplate } from "../../../shared/api/core.ts";
import { podRequests } from "../../../shared/scheduling/pod-requests.ts";
import { limitReplicas, percentageReplicas } from "../../../shared/state/capacity-buffers.ts";
import { conforms } from "../../support/conformance.ts";

function container(requests: Record<string, string> = {}, isSidecar = false): Container {
  return { resources: { requests }, ...(isSidecar && { restartPolicy: "Always" }) };
}

function pod(containers: Container[], initContainers: Container[] = []): PodTemplate {
  return { spec: { containers, initContainers } };
}

describe("the size of a buffer", () => {
  conforms(
    "buffer.limit | CPU, memory, min of both, several containers, init, no requests, no match, floor, millicores, too small (x11) | replica count",
    () => {
      expect(limitReplicas({ cpu: "4" }, pod([container({ cpu: "1" })]))).toBe(4);
      expect(limitReplicas({ memory: "2Gi" }, pod([container({ memory: "512Mi" })]))).toBe(4);
      expect(limitReplicas({ cpu: "8", memory: "4Gi" }, pod([container({ cpu: "1", memory: "1Gi" })]))).toBe(4);
      expect(limitReplicas({ cpu: "3" }, pod([container({ cpu: "500m" }), container({ cpu: "500m" })]))).toBe(3);
      expect(limitReplicas({ cpu: "8" }, pod([container({ cpu: "1" })], [container({ cpu: "4" })]))).toBe(2);
      expect(limitReplicas({ cpu: "6" }, pod([container({ cpu: "2" })], [container({ cpu: "500m" })]))).toBe(3);
      expect(limitReplicas({ cpu: "4" }, pod([container()]))).toBeUndefined();
      expect(limitReplicas({ memory: "4Gi" }, pod([container({ cpu: "1" })]))).toBeUndefined();
      expect(limitReplicas({ cpu: "10" }, pod([container({ cpu: "3" })]))).toBe(3);
      expect(limitReplicas({ cpu: "1" }, pod([container({ cpu: "250m" })]))).toBe(4);
      expect(limitReplicas({ cpu: "1" }, pod([container({ cpu: "2" })]))).toBe(0);
    },
  );

  conforms("buffer.requests | containers, init max, sidecars in all orders (x9) | KEP-753 sums", () => {
    const cpu = (spec: PodSpec) => podRequests(spec).cpu;
    const sidecar = (amount: string) => container({ cpu: amount }, true);
    const app = container({ cpu: "1" });
    expect(podRequests(pod([container({ cpu: "1", memory: "1Gi" }), container({ cpu: "500m" })]).spec)).toMatchObject({
      cpu: 1_500,
      memory: 2 ** 30,
    });
    expect(podRequests(pod([container()]).spec)).toEqual({ pods: 1 });
    expect(podRequests(pod([app, container({ memory: "1Gi" })]).spec)).toMatchObject({ cpu: 1_000, memory: 2 ** 30 });
    expect(cpu(pod([app], [container({ cpu: "4" }), container({ cpu: "2" })]).spec)).toBe(4_000);
    expect(cpu(pod([app], [sidecar("500m")]).spec)).toBe(1_500);
    expect(cpu(pod([app], [sidecar("500m"), container({ cpu: "2" })]).spec)).toBe(2_500);
    expect(cpu(pod([app], [container({ cpu: "2" }), sidecar("500m")]).spec)).toBe(2_000);
    expect(cpu(pod([app], [sidecar("1"), container({ cpu: "500m" }), sidecar("1")]).spec)).toBe(3_000);
    expect(cpu(pod([app], [sidecar("1"), container({ cpu: "5" }), sidecar("1")]).spec)).toBe(6_000);
  });

  conforms(
    "buffer.percent | exact; fractional; tiny non-zero; scale 0; 0 %; 100 %; >100 %; huge (x8) | exact; rounded up; at least 1; 0; 0; equal; more; no overflow",
    () => {
      expect(percentageReplicas(10, 20)).toBe(2);
      expect(percentageReplicas(10, 25)).toBe(3);
      expect(percentageReplicas(1, 1)).toBe(1);
      expect(percentageReplicas(0, 50)).toBe(0);
      expect(percentageReplicas(10, 0)).toBe(0);
      expect(percentageReplicas(7, 100)).toBe(7);
      expect(percentageReplicas(4, 150)).toBe(6);
      expect(percentageReplicas(2 ** 31 - 1, 2 ** 31 - 1)).toBe(2 ** 31 - 1);
    },
  );
});
