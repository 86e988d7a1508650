import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Rows that belong together, as the lists they come from have them. */
export interface Section {
  readonly title: string;
  /** Each a test's title, and the only one with that text. */
  readonly rows: readonly string[];
}

/**
 * Folder of the lists that the rows come from: `JOURNEYMAN_REFERENCE`, or `../shared/reference` beside the checkout. Not part of the
 * project; where it is absent the checked-in rows stand alone.
 */
export const referenceFolder =
  process.env.JOURNEYMAN_REFERENCE || fileURLToPath(new URL("../../../../shared/reference", import.meta.url));

const caseList = `${referenceFolder}/karpenter-cases.md`;
const scenarioList = `${referenceFolder}/field-scenarios.md`;

export const hasReference = existsSync(caseList) && existsSync(scenarioList);

/** The checked-in rows. */
export const casesPath = fileURLToPath(new URL("../../conformance/cases.txt", import.meta.url));

export function checkedInSections(): readonly Section[] {
  return parseSections(readFileSync(casesPath, "utf8"));
}

/** Of the scenarios about cost those that are about packing: the others are about nodes that run already. */
const packingScenario = /^B2\.(0\d|1[0-2]|22) /;

/** Of the scenarios about a node's life, those up to its first pod. */
const startScenario = /^B5\.(08|09|10|18) /;

/** Of the scenarios about the plumbing, those about queues, functions and launches: the rest is the webhook's and the client's. */
const plumbingScenario = /^B7\.(02|05|06|07|08|10|13|14|16|17|18|20) /;

/** Of the scenarios about the webhook, the one about what the planner makes of its hints. */
const hintScenario = /^B8\.07 /;

/** Karpenter's cases of scheduling and of a node's life, and the scenarios about scheduling, packing, launching and plumbing. */
export function referenceSections(): readonly Section[] {
  const cases = parseSections(readFileSync(caseList, "utf8"))
    .filter(({ title }) => /^[A-HOPQSTU]\./.test(title))
    .map(({ title, rows }) => ({ title: withoutSource(title), rows: rows.filter((row) => row.includes(" | ")) }));
  const field = readFileSync(scenarioList, "utf8");
  return [
    ...cases,
    scenarios(field, "B1", /^B1\./),
    scenarios(field, "B2", packingScenario),
    scenarios(field, "B3", /^B3\./),
    scenarios(field, "B5", startScenario),
    scenarios(field, "B7", plumbingScenario),
    scenarios(field, "B8", hintScenario),
  ];
}

/** Sections as text: a title, its rows, a blank line. */
export function formatSections(sections: readonly Section[]): string {
  return sections.map(({ title, rows }) => `## ${title}\n${rows.map((row) => `${row}\n`).join("")}`).join("\n");
}

function parseSections(text: string): readonly Section[] {
  const [, ...parts] = `\n${text}`.split("\n## ");
  return parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { title, rows: lines.filter((line) => line.trim() !== "" && !line.startsWith("#")) };
  });
}

/** A title less the note in brackets on where its cases come from. */
function withoutSource(title: string): string {
  return title.replace(/ \([^)]*\)$/, "");
}

function scenarios(text: string, group: string, isMeant: RegExp): Section {
  const [, part = ""] = text.split(`\n### ${group} `);
  const [title = "", ...lines] = (part.split("\n### ")[0] ?? "").split("\n");
  return { title: `${group} ${title}`, rows: lines.filter((line) => isMeant.test(line)) };
}
