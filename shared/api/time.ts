const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
const durationPattern = /^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
const timePattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Seconds of a Go duration such as `720h`, `1h30m` or `-1.5h` (Go's `time.ParseDuration`). Undefined for `Never` and for anything
 * that is not a duration; fields where the difference matters are checked by their schema before they get here.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!durationPattern.test(text)) return undefined;
  const seconds = [...text.matchAll(/(\d+\.?\d*|\.\d+)([a-zµμ]+)/g)]
    .map(([, amount, unit]) => Number(amount) * (unitSeconds[unit ?? ""] ?? 0))
    .reduce((sum, part) => sum + part, 0);
  return text.startsWith("-") ? -seconds : seconds;
}

/** Whether the text is an RFC 3339 time, as Kubernetes writes them. */
export function isTime(text: string): boolean {
  return timePattern.test(text) && !Number.isNaN(Date.parse(text));
}

/** Epoch milliseconds of an RFC 3339 time; throws a RangeError naming the text when it is none. */
export function parseTime(text: string): number {
  if (!isTime(text))
    throw new RangeError(`found ${JSON.stringify(text)}, expected a time such as 2026-01-31T12:00:00Z`);
  return Date.parse(text);
}

/** RFC 3339 in UTC with milliseconds. */
export function formatTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}
