interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, words: months },
  { name: "day of week", min: 0, max: 6, words: weekdays },
];

/**
 * What a budget's schedule should have been, when Karpenter's cron parser would refuse it: five fields in UTC, or a macro
 * (karpenter-core §1.1). Stricter than most cron libraries, which also take seconds, `L` and a Sunday of 7.
 */
export function cronFault(schedule: string): string | undefined {
  if (/^@(annually|yearly|monthly|weekly|daily|midnight|hourly)$/.test(schedule)) return undefined;
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== fields.length)
    return 'five cron fields in UTC such as "0 9 * * mon-fri", or a macro such as "@daily"';
  const wrong = fields.find((field, index) => !isFieldValid(parts[index] ?? "", field));
  return wrong && `a cron schedule whose ${wrong.name} lies in ${wrong.min} to ${wrong.max}`;
}

function isFieldValid(text: string, field: Field): boolean {
  return text.split(",").every((range) => isRangeValid(range.toLowerCase(), field));
}

function isRangeValid(text: string, field: Field): boolean {
  const [range = "", step, ...rest] = text.split("/");
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false;
  if (range === "*" || range === "?") return true;
  const bounds = range.split("-").map((bound) => boundOf(bound, field));
  const [first, last = first] = bounds;
  if (bounds.length > 2 || first === undefined || last === undefined) return false;
  return field.min <= first && first <= last && last <= field.max;
}

function boundOf(text: string, { words, min }: Field): number | undefined {
  const word = words?.indexOf(text) ?? -1;
  if (word >= 0) return word + min;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
