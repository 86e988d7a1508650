/** By resource name: `cpu` in thousandths, every other resource in whole units. */
export type Amounts = Readonly<Record<string, number>>;

/** Kubernetes quantities as numbers, fractions rounded up. */
export function amountsOf(list: Readonly<Record<string, string>> = {}): Amounts {
  return Object.fromEntries(Object.entries(list).map(([resource, text]) => [resource, amountOf(resource, text)]));
}

export function sumOf(vectors: Iterable<Amounts>): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const vector of vectors) addTo(sum, vector);
  return sum;
}

export function addTo(sum: Record<string, number>, added: Amounts): void {
  for (const resource in added) sum[resource] = (sum[resource] ?? 0) + (added[resource] ?? 0);
}

/** The larger of both, resource by resource. */
export function largestOf(a: Amounts, b: Amounts): Amounts {
  const largest: Record<string, number> = { ...a };
  for (const resource in b) largest[resource] = Math.max(largest[resource] ?? 0, b[resource] ?? 0);
  return largest;
}

const known = new Map<string, number>();

function amountOf(resource: string, text: string): number {
  const isCpu = resource === "cpu";
  const key = `${isCpu ? "cpu " : ""}${text}`;
  let amount = known.get(key);
  if (amount === undefined) {
    amount = read(text, isCpu ? 3 : 0);
    known.set(key, amount);
  }
  return amount;
}

const powersOfTwo: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const powersOfTen: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** In units of 10^-`decimals`, by exact arithmetic. */
function read(text: string, decimals: number): number {
  const [, whole = "", fraction = "", unit = ""] = /^\+?(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const scientific = /^[eE]([+-]?\d+)$/.exec(unit)?.[1];
  const ten = decimals - fraction.length + (scientific === undefined ? (powersOfTen[unit] ?? 0) : Number(scientific));
  const digits = BigInt(`${whole}${fraction}` || "0") << (powersOfTwo[unit] ?? 0n);
  if (digits === 0n) return 0;
  const capped = Math.max(-60, Math.min(60, ten));
  const divisor = 10n ** BigInt(Math.max(0, -capped));
  const value = (digits * 10n ** BigInt(Math.max(0, capped)) + divisor - 1n) / divisor;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
