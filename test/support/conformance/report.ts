import type { Section } from "./rows.ts";

/** A test that shows a row. */
export interface Shown {
  /** The test's title: a row. */
  readonly title: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly passed: boolean;
  /** Why we do otherwise than the row says. */
  readonly differs?: string;
}

export type Verdict = "holds" | "differs" | "fails" | "not applicable";

interface RowReport {
  readonly row: string;
  readonly verdict: Verdict;
  readonly why?: string;
  readonly file?: string;
}

interface SectionReport {
  readonly title: string;
  readonly rows: readonly RowReport[];
}

export interface ConformanceReport {
  readonly sections: readonly SectionReport[];
  /** What must be mended before the report counts, a line each. */
  readonly faults: readonly string[];
}

/** Of the rows that apply, how many must hold. */
const leastShare = 0.97;

/** What became of each row. `notApplicable` says of rows that nobody shows why not. */
export function conformanceReport(
  sections: readonly Section[],
  shown: readonly Shown[],
  notApplicable: Readonly<Record<string, string>>,
): ConformanceReport {
  const byTitle = Map.groupBy(shown, ({ title }) => title);
  const reports = sections.map(({ title, rows }) => ({
    title,
    rows: rows.map((row) => rowReport(row, byTitle.get(row)?.[0], notApplicable[row])),
  }));
  const known = new Set(sections.flatMap(({ rows }) => rows));
  const faults = [
    ...[...known].flatMap((row) => rowFaults(row, byTitle.get(row) ?? [], Object.hasOwn(notApplicable, row))),
    ...shown
      .filter(({ title }) => !known.has(title))
      .map(({ title, file }) => `${file}: a test whose title is no row: ${title}`),
    ...Object.keys(notApplicable)
      .filter((row) => !known.has(row))
      .map((row) => `not applicable, but no row: ${row}`),
  ];
  const { holds, applicable } = totalsOf(reports.flatMap(({ rows }) => rows));
  const tooFew = holds < applicable * leastShare;
  return {
    sections: reports,
    faults: tooFew ? [...faults, `${share(holds, applicable)} hold; accepted: at least ${leastShare * 100} %`] : faults,
  };
}

/** The report as a Markdown page, the same for the same verdicts. */
export function formatReport({ sections }: ConformanceReport): string {
  const total = totalsOf(sections.flatMap(({ rows }) => rows));
  const summary = [...sections.map(({ title, rows }) => ({ title, ...totalsOf(rows) })), { title: "All", ...total }];
  return [
    "# Conformance",
    "",
    "Made by `npm run conformance`; do not edit. Each row is a case of Karpenter's own test suites, in other words, or a situation from",
    "the field (B1, B2, B3, B5, B7, B8). The test named beside it has the row as its title. Rows that differ do so on purpose; rows about parts that",
    "Journeyman does not have are not applicable.",
    "",
    `Of the rows that apply, ${share(total.holds, total.applicable)} hold.`,
    "",
    ...table(
      ["Section", "Rows", "Hold", "Differ", "Fail", "Not applicable", "Share that holds"],
      summary.map(({ title, rows, holds, differs, fails, applicable }) =>
        [title, rows, holds, differs, fails, rows - applicable, share(holds, applicable)].map(String),
      ),
    ),
    ...sections.flatMap(({ title, rows }) => ["", `## ${escaped(title)}`, "", ...rowTable(rows)]),
    "",
  ].join("\n");
}

interface Totals {
  readonly rows: number;
  readonly holds: number;
  readonly differs: number;
  readonly fails: number;
  /** Rows less those that are not applicable. */
  readonly applicable: number;
}

export function totalsOf(rows: readonly RowReport[]): Totals {
  const count = (wanted: Verdict) => rows.filter(({ verdict }) => verdict === wanted).length;
  return {
    rows: rows.length,
    holds: count("holds"),
    differs: count("differs"),
    fails: count("fails"),
    applicable: rows.length - count("not applicable"),
  };
}

function rowReport(row: string, test: Shown | undefined, notApplicable: string | undefined): RowReport {
  if (test === undefined) {
    if (notApplicable !== undefined) return { row, verdict: "not applicable", why: notApplicable };
    return { row, verdict: "fails", why: "no test" };
  }
  const { file, passed, differs } = test;
  if (!passed) return { row, verdict: "fails", file };
  return differs === undefined ? { row, verdict: "holds", file } : { row, verdict: "differs", why: differs, file };
}

function rowFaults(row: string, tests: readonly Shown[], isNotApplicable: boolean): readonly string[] {
  const files = tests.map(({ file }) => file).join(" and ");
  return [
    ...(tests.length === 0 && !isNotApplicable ? [`no test: ${row}`] : []),
    ...(tests.length > 0 && isNotApplicable ? [`${files}: a test of a row that is not applicable: ${row}`] : []),
    ...(tests.length > 1 ? [`${files}: two tests with one title: ${row}`] : []),
    ...tests.filter(({ passed }) => !passed).map(({ file }) => `${file}: does not pass: ${row}`),
  ];
}

function rowTable(rows: readonly RowReport[]): readonly string[] {
  return table(
    ["Row", "Verdict", "Shown by"],
    rows.map(({ row, verdict, why, file }) => [
      escaped(row),
      why === undefined ? verdict : `${verdict}: ${escaped(why)}`,
      file === undefined ? "" : `[${file.replace(/^test\/conformance\//, "")}](../${file})`,
    ]),
  );
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)];
}

/** `395 of 400 (98.7 %)`, rounded down. */
function share(part: number, whole: number): string {
  const percent = whole === 0 ? 100 : Math.floor((1000 * part) / whole) / 10;
  return `${part} of ${whole} (${percent} %)`;
}

/** Text for a cell, with what Markdown would take for markup made plain. */
function escaped(text: string): string {
  return text.replace(/[|<*_`[\]\\]/g, "\\$&");
}
