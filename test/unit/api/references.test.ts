import { describe, expect, it } from "vitest";
import { describeProblem } from "../../../shared/api/problems.ts";
import type { RawObject } from "../../../shared/api/raw-objects.ts";
import { checkReferences } from "../../../shared/api/references.ts";
import { nodeClassManifest, nodePoolManifest, readManifests } from "../../support/api-manifests.ts";

function check(...manifests: readonly RawObject[]) {
  const { notes, problems } = checkReferences(readManifests(...manifests).objects);
  return { notes, problems: problems.map(describeProblem) };
}
const reference = "spec.template.spec.nodeClassRef";

describe("checkReferences", () => {
  it("is content with a NodePool whose class is there", () => {
    expect(check(nodePoolManifest(), nodeClassManifest())).toEqual({ notes: [], problems: [] });
  });

  it("names the missing class and those that are there", () => {
    const { problems } = check(nodePoolManifest([`${reference}.name`, "gpu"]), nodeClassManifest());
    expect(problems).toEqual([
      `input.yaml, document 1, ${reference}.name: found "gpu", expected an EC2NodeClass among the objects read: "default"`,
    ]);
    expect(check(nodePoolManifest()).problems[0]).toContain("there is none");
  });

  it("does not miss a class that is there but could not be decoded", () => {
    const { objects, undecoded } = readManifests(nodePoolManifest(), nodeClassManifest(["spec.role", 7]));
    expect(undecoded).toEqual(new Set(["EC2NodeClass default"]));
    expect(checkReferences(objects, undecoded).problems).toEqual([]);
  });

  it("refuses another kind of this provider's group", () => {
    expect(check(nodePoolManifest([`${reference}.kind`, "NodeClass"])).problems[0]).toContain(
      'expected "EC2NodeClass"',
    );
  });

  it("leaves NodePools of EKS Auto Mode alone, with a note", () => {
    const auto = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
    const { notes, problems } = check(nodePoolManifest([reference, auto]));
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining("NodePool default is left alone, as its class is a NodeClass of eks"),
    ]);
  });

  it("notes a PriorityClass that was not read, once", () => {
    const pod = (name: string, priorityClassName: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{}], priorityClassName },
    });
    expect(check(pod("a", "high"), pod("b", "high"), pod("c", "system-node-critical")).notes).toEqual([
      "PriorityClass high was not read; its pods count with priority 0",
    ]);
  });
});
