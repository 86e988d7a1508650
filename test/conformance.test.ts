import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { notApplicable } from "./conformance/not-applicable.ts";
import { markedRows } from "./support/conformance/markings.ts";
import { conformanceReport, formatReport } from "./support/conformance/report.ts";
import { checkedInSections, hasReference, referenceFolder, referenceSections } from "./support/conformance/rows.ts";

if (!hasReference) console.warn(`conformance rows are not compared with their lists: there is no ${referenceFolder}`);

describe("the conformance rows", () => {
  it("are each there once", () => {
    const rows = checkedInSections().flatMap((section) => section.rows);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
    expect(rows.length).toBeGreaterThan(400);
  });

  it.skipIf(!hasReference)("are those of the lists they come from, word for word", () => {
    expect(checkedInSections()).toEqual(referenceSections());
  });

  it("are each shown by one test, or not applicable for a reason", () => {
    expect(conformanceReport(checkedInSections(), markedRows(), notApplicable).faults).toEqual([]);
    expect(Object.values(notApplicable).filter((why) => why.trim() === "")).toEqual([]);
  });

  it("have the verdicts in docs/conformance.md that their tests have", () => {
    const page = readFileSync(new URL("../docs/conformance.md", import.meta.url), "utf8");
    expect(page).toBe(formatReport(conformanceReport(checkedInSections(), markedRows(), notApplicable)));
  });
});
