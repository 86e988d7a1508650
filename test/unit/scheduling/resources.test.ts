import { describe, expect, it } from "vitest";
import {
  addResources,
  firstShortage,
  fits,
  formatResources,
  maxResources,
  parseResources,
  subtractResources,
} from "../../../shared/scheduling/resources.ts";

describe("resource vectors", () => {
  it("hold cpu in millicores and everything else in whole units", () => {
    expect(parseResources({ cpu: "1.5", memory: "1Gi", "nvidia.com/gpu": "2" })).toEqual({
      cpu: 1500,
      memory: 2 ** 30,
      "nvidia.com/gpu": 2,
    });
  });

  it("are empty for an absent list", () => {
    expect(parseResources(undefined)).toEqual({});
  });

  it("name the resource that cannot be read", () => {
    expect(() => parseResources({ memory: "1gb" })).toThrow('resource memory: "1gb" is not a quantity');
  });

  it("are written sorted, in the customary units", () => {
    const list = formatResources({ pods: 1024, memory: 2 ** 29, "hugepages-2Mi": 2 ** 22, cpu: 250 });
    expect(Object.entries(list)).toEqual([
      ["cpu", "250m"],
      ["hugepages-2Mi", "4Mi"],
      ["memory", "512Mi"],
      ["pods", "1024"],
    ]);
  });

  it("add, subtract and take the larger element by element", () => {
    expect(addResources({ cpu: 1 }, { cpu: 2, memory: 3 }, {})).toEqual({ cpu: 3, memory: 3 });
    expect(subtractResources({ cpu: 1 }, { cpu: 3, memory: 1 })).toEqual({ cpu: -2, memory: -1 });
    expect(maxResources({ cpu: 1, memory: 5 }, { cpu: 2 })).toEqual({ cpu: 2, memory: 5 });
  });
});

describe("firstShortage", () => {
  it("names the first resource by name that does not fit", () => {
    expect(firstShortage({ pods: 2, memory: 2, cpu: 1 }, { pods: 1, memory: 1, cpu: 1 })).toBe("memory");
  });

  it("is absent when the request fills the node exactly", () => {
    expect(firstShortage({ cpu: 1000 }, { cpu: 1000 })).toBeUndefined();
  });

  it("counts an unknown resource as none, and lets zero of it fit", () => {
    expect(firstShortage({ "nvidia.com/gpu": 1 }, {})).toBe("nvidia.com/gpu");
    expect(firstShortage({ "nvidia.com/gpu": 0 }, {})).toBeUndefined();
  });

  it("lets a pod that asks for no memory onto a node whose memory is overcommitted, as kube-scheduler does", () => {
    expect(fits({ cpu: 1, memory: 0 }, { cpu: 1, memory: -5 })).toBe(true);
  });
});
