import { describe, expect, it } from "vitest";
import { formatPlacementGroup, placementGroupOf } from "../../../shared/cloud/placement-group.ts";
import { nodeClass } from "../../support/node-classes.ts";

const group = { id: "pg-1", name: "web", strategy: "partition", partitionCount: 3 } as const;

function classWith(selector: { readonly id?: string; readonly name?: string } | undefined, annotation?: string) {
  const made = nodeClass({ ...(selector && { placementGroupSelector: selector }) }, {});
  const annotations = annotation === undefined ? {} : { "journeyman.sh/placement-group": annotation };
  return { ...made, metadata: { ...made.metadata, annotations } };
}

describe("a class's placement group", () => {
  it("is none without a selector, whatever the annotation says", () => {
    expect(placementGroupOf(classWith(undefined, formatPlacementGroup(group)))).toEqual({ kind: "none" });
  });

  it.each([{ name: "web" }, { id: "pg-1" }])("is what its annotation says was found by %j", (selector) => {
    expect(placementGroupOf(classWith(selector, formatPlacementGroup(group)))).toEqual({ kind: "group", group });
  });

  it.each([
    ["nobody has looked", { name: "web" }, undefined, "name web"],
    ["another was found", { id: "pg-2" }, formatPlacementGroup(group), "id pg-2"],
    ["the annotation cannot be read", { name: "web" }, "{", "name web"],
    ["the annotation is of something else", { name: "web" }, '{"id":"pg-1","name":"web"}', "name web"],
  ])("is unresolved when %s", (_, wanted, annotation, selector) => {
    expect(placementGroupOf(classWith(wanted, annotation))).toEqual({ kind: "unresolved", selector });
  });

  it("is a placeholder for a class without status, so that plans need no account", () => {
    expect(placementGroupOf(nodeClass({ placementGroupSelector: { name: "web" } }))).toMatchObject({
      kind: "group",
      group: { id: "pg-web" },
    });
  });

  it("is written the same whatever the order of its fields", () => {
    const { partitionCount, strategy, name, id } = group;
    expect(formatPlacementGroup({ partitionCount, strategy, name, id })).toBe(formatPlacementGroup(group));
  });
});
