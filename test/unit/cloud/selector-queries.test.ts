import { describe, expect, it } from "vitest";
import {
  imageQueries,
  reservationQueries,
  securityGroupQueries,
  subnetQueries,
} from "../../../shared/cloud/selector-queries.ts";

describe("the look-ups that selector terms need", () => {
  it("are one call for each term of tags, all of which must hold; an asterisk asks for the key alone", () => {
    expect(
      subnetQueries([{ tags: { team: "shop", "kubernetes.io/role/elb": "*" } }, { tags: { team: "bank" } }]),
    ).toEqual([
      [
        { name: "tag:team", values: ["shop"] },
        { name: "tag-key", values: ["kubernetes.io/role/elb"] },
      ],
      [{ name: "tag:team", values: ["bank"] }],
    ]);
  });

  it("are one call for the ids of all terms", () => {
    const terms = [{ id: "subnet-1" }, { tags: { team: "shop" } }, { id: "subnet-2" }];
    expect(subnetQueries(terms)).toEqual([
      [{ name: "subnet-id", values: ["subnet-1", "subnet-2"] }],
      [{ name: "tag:team", values: ["shop"] }],
    ]);
  });

  it("are one call for the names of all security groups, beside ids and tags", () => {
    const terms = [{ name: "nodes" }, { id: "sg-1" }, { name: "node-*" }, { tags: { team: "shop" } }];
    expect(securityGroupQueries(terms)).toEqual([
      [{ name: "group-id", values: ["sg-1"] }],
      [{ name: "group-name", values: ["nodes", "node-*"] }],
      [{ name: "tag:team", values: ["shop"] }],
    ]);
  });

  it("put the images of ids and of SSM parameters into one call", () => {
    const terms = [{ id: "ami-1" }, { ssmParameter: "/golden/x86" }, { id: "ami-2" }];
    expect(imageQueries(terms, ["ami-3"])).toEqual([
      { filters: [{ name: "image-id", values: ["ami-1", "ami-2", "ami-3"] }] },
    ]);
  });

  it("find images by name among one's own and Amazon's, unless an owner is stated", () => {
    const filters = [{ name: "name", values: ["golden-*"] }];
    expect(imageQueries([{ name: "golden-*" }, { name: "golden-*", owner: "123456789012" }], [])).toEqual([
      { filters, owners: ["self", "amazon"] },
      { filters, owners: ["123456789012"] },
    ]);
  });

  it("find images by tags alone without asking for owners, and by name and tags together", () => {
    const tagged = { name: "tag:team", values: ["shop"] };
    expect(imageQueries([{ tags: { team: "shop" } }, { name: "golden-*", tags: { team: "shop" } }], [])).toEqual([
      { filters: [tagged] },
      { filters: [{ name: "name", values: ["golden-*"] }, tagged], owners: ["self", "amazon"] },
    ]);
  });

  it("ask for one capacity reservation at a time by id, and by owner, criteria and tags together", () => {
    const described = { ownerID: "123456789012", instanceMatchCriteria: "targeted" as const, tags: { team: "*" } };
    expect(reservationQueries([{ id: "cr-1" }, { id: "cr-2" }, described])).toEqual([
      { filters: [], id: "cr-1" },
      { filters: [], id: "cr-2" },
      {
        filters: [
          { name: "owner-id", values: ["123456789012"] },
          { name: "instance-match-criteria", values: ["targeted"] },
          { name: "tag-key", values: ["team"] },
        ],
      },
    ]);
  });
});
