/** What a brute-force search knows of a kind of pods. */
export interface ExactApp {
  readonly name: string;
  readonly cpu: number;
  readonly pods: number;
  readonly rule: ExactRule;
  /** Pods that run already, by zone; they keep the same rule. */
  readonly running: Readonly<Record<string, number>>;
}

export type ExactRule =
  | { readonly kind: "none" }
  | { readonly kind: "zone spread"; readonly maxSkew: number }
  | { readonly kind: "hostname spread"; readonly maxSkew: number }
  | { readonly kind: "zone anti-affinity" }
  | { readonly kind: "hostname anti-affinity" }
  | { readonly kind: "zone affinity" };

/** A node that can be bought, with its price by zone. */
export interface ExactType {
  readonly vcpus: number;
  readonly prices: Readonly<Record<string, number>>;
}

interface Group {
  readonly zone: string;
  /** Index of each pod's app. */
  readonly apps: readonly number[];
}

/**
 * USD per hour of the cheapest nodes for all pods, found by trying every way to put them together and every zone for each node;
 * undefined where the rules leave no way. An order in which kube-scheduler could have placed the pods exists if a zone that gets new
 * ones ends at most `maxSkew` above the emptiest: the emptier zone first.
 */
export function cheapestPlan(
  apps: readonly ExactApp[],
  types: readonly ExactType[],
  zones: readonly string[],
): number | undefined {
  const pods = apps.flatMap(({ pods: count }, app) => Array.from({ length: count }, () => app));
  let best: number | undefined;
  const place = (next: number, groups: readonly Group[], price: number): void => {
    const app = pods[next];
    if (best !== undefined && price >= best) return;
    if (app === undefined) {
      if (apps.every((one, index) => keepsZones(one, index, groups, zones))) best = price;
      return;
    }
    for (const [index, group] of groups.entries()) {
      const grown = { ...group, apps: [...group.apps, app] };
      const dearer = priceOf(apps, types, grown) - priceOf(apps, types, group);
      if (Number.isFinite(dearer)) place(next + 1, groups.with(index, grown), price + dearer);
    }
    for (const zone of zones) {
      const own = priceOf(apps, types, { zone, apps: [app] });
      if (Number.isFinite(own)) place(next + 1, [...groups, { zone, apps: [app] }], price + own);
    }
  };
  place(0, [], 0);
  return best;
}

function priceOf(apps: readonly ExactApp[], types: readonly ExactType[], { zone, apps: held }: Group): number {
  for (const [index, { rule }] of apps.entries()) {
    const own = held.filter((app) => app === index).length;
    const most = rule.kind === "hostname spread" ? rule.maxSkew : rule.kind === "hostname anti-affinity" ? 1 : own;
    if (own > most) return Number.POSITIVE_INFINITY;
  }
  const cpu = held.reduce((sum, app) => sum + (apps[app]?.cpu ?? 0), 0);
  return Math.min(...types.flatMap(({ vcpus, prices }) => (vcpus >= cpu ? (prices[zone] ?? []) : [])));
}

function keepsZones(
  { rule, running }: ExactApp,
  app: number,
  groups: readonly Group[],
  zones: readonly string[],
): boolean {
  const added = zones.map((zone) =>
    groups.reduce(
      (sum, group) => (group.zone === zone ? sum + group.apps.filter((one) => one === app).length : sum),
      0,
    ),
  );
  const counts = zones.map((zone, index) => (running[zone] ?? 0) + (added[index] ?? 0));
  const chosen = added.flatMap((pods, index) => (pods > 0 ? [index] : []));
  switch (rule.kind) {
    case "none":
    case "hostname spread":
    case "hostname anti-affinity":
      return true;
    case "zone spread":
      return chosen.every((index) => (counts[index] ?? 0) <= Math.min(...counts) + rule.maxSkew);
    case "zone anti-affinity":
      return chosen.every((index) => counts[index] === 1);
    case "zone affinity": {
      const isEmpty = zones.every((zone) => (running[zone] ?? 0) === 0);
      return isEmpty ? chosen.length <= 1 : chosen.every((index) => (running[zones[index] ?? ""] ?? 0) > 0);
    }
  }
}
