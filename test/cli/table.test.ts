import { describe, expect, it } from "vitest";
import { formatTable, wrapText } from "../../cli/report/table.ts";

describe("a table", () => {
  it("makes columns as wide as their widest text and leaves no trailing space", () => {
    const lines = formatTable(
      [{ title: "NAME" }, { title: "N", align: "right" }, { title: "NOTE" }],
      [
        ["a", "1", "first"],
        ["longer", "100", ""],
      ],
      80,
    );
    expect(lines).toEqual(["NAME      N  NOTE", "a         1  first", "longer  100"]);
  });

  it("cuts the ends of the columns that may be cut, and no other", () => {
    const row = ["general-purpose-8rdzzd1t3v", "general-purpose", "c6a.large"];
    const columns = [{ title: "NODE" }, { title: "POOL", mayBeCut: true }, { title: "TYPE" }];
    expect(formatTable(columns, [row], 50)[1]).toBe("general-purpose-8rdzzd1t3v  general-pu…  c6a.large");
  });

  it("is wider than asked for rather than cut what may not be cut", () => {
    expect(formatTable([{ title: "TYPE" }], [["u7in-32tb.224xlarge"]], 5)).toEqual(["TYPE", "u7in-32tb.224xlarge"]);
  });

  it("is only its titles when there are no rows", () => {
    expect(formatTable([{ title: "A" }, { title: "B" }], [], 80)).toEqual(["A  B"]);
  });
});

describe("wrapped text", () => {
  it("breaks between words and indents what follows", () => {
    expect(wrapText("  one two three four", 12, "    ")).toEqual(["  one two", "    three", "    four"]);
  });

  it("leaves a word that is too long whole", () => {
    expect(wrapText("a verylongwordindeed b", 6)).toEqual(["a", "verylongwordindeed", "b"]);
  });
});
