import { describe, expect, it } from "vitest";
import { markingsIn } from "./support/conformance/markings.ts";
import { conformanceReport, formatReport, type Shown, totalsOf } from "./support/conformance/report.ts";

const file = "test/conformance/a.test.ts";
const passed = (title: string): Shown => ({ title, file, passed: true });
const many = Array.from({ length: 100 }, (_, index) => `row ${index}`);

function faultsOf(rows: readonly string[], shown: readonly Shown[], notApplicable: Record<string, string> = {}) {
  return conformanceReport([{ title: "A", rows }], shown, notApplicable).faults;
}

describe("the conformance report", () => {
  it("finds nothing wrong when each row has its test or its reason", () => {
    expect(faultsOf(["a", "b"], [passed("a")], { b: "not ours" })).toEqual([]);
  });

  it("refuses a row without a test, a test without a row, and two tests of one row", () => {
    expect(faultsOf(many, many.slice(1).map(passed))).toEqual(["no test: row 0"]);
    expect(faultsOf(["a"], [passed("a"), passed("a ")])).toEqual([`${file}: a test whose title is no row: a `]);
    expect(faultsOf(["a"], [passed("a"), passed("a")])).toEqual([`${file} and ${file}: two tests with one title: a`]);
  });

  it("refuses a row that fails", () => {
    const shown = many.map((title, index) => ({ title, file, passed: index > 0 }));
    expect(faultsOf(many, shown)).toEqual([`${file}: does not pass: row 0`]);
  });

  it("refuses a reason for a row that has a test, and for none", () => {
    expect(faultsOf(["a"], [passed("a")], { a: "x" })).toEqual([`${file}: a test of a row that is not applicable: a`]);
    expect(faultsOf(["a"], [passed("a")], { b: "x" })).toEqual(["not applicable, but no row: b"]);
  });

  it("refuses when fewer than 97 % of the rows that apply hold", () => {
    const differing = (count: number) =>
      many.map((title, index) => ({ ...passed(title), ...(index < count ? { differs: "better" } : {}) }));
    expect(faultsOf(many, differing(3))).toEqual([]);
    expect(faultsOf(many, differing(4))).toEqual(["96 of 100 (96 %) hold; accepted: at least 97 %"]);
    expect(faultsOf([...many, "b"], differing(4), { b: "not ours" })).toHaveLength(1);
  });

  it("counts each verdict", () => {
    const shown: Shown[] = [passed("a"), { ...passed("b"), differs: "better" }, { ...passed("c"), passed: false }];
    const { sections } = conformanceReport([{ title: "A", rows: ["a", "b", "c", "d", "e"] }], shown, { e: "not ours" });
    expect(totalsOf(sections.flatMap(({ rows }) => rows))).toEqual({
      rows: 5,
      holds: 1,
      differs: 1,
      fails: 2,
      applicable: 4,
    });
  });

  it("writes a row as a table's line, with no markup of its own", () => {
    const shown = [{ ...passed("a | b <c>"), differs: "*better*" }];
    const page = formatReport(conformanceReport([{ title: "A", rows: ["a | b <c>"] }], shown, {}));
    expect(page).toContain(`| a \\| b \\<c> | differs: \\*better\\* | [a.test.ts](../${file}) |`);
  });
});

describe("the marks of conformance tests", () => {
  it("are read from the source, however the text is quoted", () => {
    const source = `conforms('say "a"', () => {}); differs("b", "be" + \`cause\`, () => {}); it("c", () => {});`;
    expect(markingsIn(file, source)).toEqual([passed('say "a"'), { ...passed("b"), differs: "because" }]);
  });

  it("must be written out", () => {
    expect(() => markingsIn(file, "for (const row of rows) conforms(row, () => {});")).toThrow("not written out");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a test
    expect(() => markingsIn(file, "conforms(`${row} x`, () => {});")).toThrow("not written out");
  });
});
