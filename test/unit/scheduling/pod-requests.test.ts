import { describe, expect, it } from "vitest";
import type { Container } from "../../../shared/api/core.ts";
import { podRequests } from "../../../shared/scheduling/pod-requests.ts";

const asking = (cpu: string): Container => ({ resources: { requests: { cpu } } });
const sidecar = (cpu: string): Container => ({ ...asking(cpu), restartPolicy: "Always" });

describe("podRequests", () => {
  it("counts the pod itself", () => {
    expect(podRequests({ containers: [{}] })).toEqual({ pods: 1 });
  });

  it("adds the containers and the overhead", () => {
    expect(
      podRequests({ containers: [asking("1"), asking("500m")], overhead: { cpu: "100m", memory: "1Ki" } }),
    ).toEqual({
      cpu: 1600,
      memory: 1024,
      pods: 1,
    });
  });

  it("takes the largest init container when it needs more than the containers", () => {
    const initContainers = [asking("3"), asking("2")];
    expect(podRequests({ containers: [asking("1")], initContainers }).cpu).toBe(3000);
  });

  it("runs an init container beside the sidecars before it, not those after it (field scenario B1.24)", () => {
    const containers = [asking("100m")];
    expect(podRequests({ containers, initContainers: [sidecar("100m"), asking("200m")] }).cpu).toBe(300);
    expect(podRequests({ containers, initContainers: [asking("200m"), sidecar("100m")] }).cpu).toBe(200);
  });

  it("runs every sidecar beside the containers", () => {
    const initContainers = [sidecar("1"), asking("500m"), sidecar("2")];
    expect(podRequests({ containers: [asking("1")], initContainers }).cpu).toBe(4000);
  });

  it("lets limits stand in for requests that are missing, resource by resource", () => {
    const resources = { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "1Ki", "nvidia.com/gpu": "1" } };
    expect(podRequests({ containers: [{ resources }] })).toEqual({
      cpu: 100,
      memory: 1024,
      "nvidia.com/gpu": 1,
      pods: 1,
    });
  });

  it("lets pod-level requests replace the sum of the containers, before overhead", () => {
    const resources = { requests: { cpu: "2", "nvidia.com/gpu": "9" } };
    const spec = { containers: [asking("3")], initContainers: [asking("5")], overhead: { cpu: "1" }, resources };
    expect(podRequests(spec)).toEqual({ cpu: 3000, pods: 1 });
  });

  it("uses a pod-level limit only where nobody states a request", () => {
    const resources = { limits: { cpu: "2", memory: "1Ki" } };
    expect(podRequests({ containers: [asking("1")], resources })).toEqual({ cpu: 1000, memory: 1024, pods: 1 });
  });
});
