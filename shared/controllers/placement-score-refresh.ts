import type { AccountPorts, PlacementScoreAnswer, Zone } from "../account-ports.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { scoreDemands } from "../cloud/placement-score-demand.ts";
import { askedNow, configurationOf, isForgotten, planScores, type ScoreSet } from "../cloud/placement-score-sets.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { readScoreFacts, writeScores } from "./placement-score-store.ts";

/**
 * Keeps the spot placement scores of what the cluster buys, within its share of the account's quota. That a configuration is asked for is
 * written before it is: a crash then costs one of the day's questions and never one more than allowed.
 */
export async function refreshPlacementScores(
  ports: Ports & Pick<AccountPorts, "catalog">,
  settings: Settings,
  { catalog, zones }: { readonly catalog: Catalog; readonly zones: readonly Zone[] },
): Promise<void> {
  if (settings.placementScoresPerDay === 0) return;
  const now = ports.clock.now();
  const known = await readScoreFacts(ports, settings);
  const demands = scoreDemands(await ports.kubernetes.list("NodeClaim"), catalog, now);
  const { sets, due, dropped } = planScores(demands, known, { perDay: settings.placementScoresPerDay, now });
  const asked = [...new Set(due.map(configurationOf))].map((one) => askedNow(known.asked, one, now));
  const forgotten = known.asked.filter(
    (one) => isForgotten(one, now) && asked.every(({ configuration }) => configuration !== one.configuration),
  );
  const chosen = sets.filter((set) => !known.sets.includes(set));
  await writeScores(ports, settings, { sets: chosen, asked, dropped, forgotten });
  const answered: ScoreSet[] = [];
  for (const same of Map.groupBy(due, configurationOf).values()) {
    const [first] = same;
    if (first === undefined) continue;
    const answer = await scoresOf(ports, first);
    answered.push(...same.map((set) => withAnswer(set, answer, zones, now)));
  }
  await writeScores(ports, settings, { sets: answered });
}

type Answer = PlacementScoreAnswer | { readonly kind: "failed"; readonly error: ProviderError };

async function scoresOf(ports: Ports & Pick<AccountPorts, "catalog">, set: ScoreSet): Promise<Answer> {
  const { instanceTypes, targetCapacity } = set;
  try {
    const answer = await ports.catalog.placementScores({ instanceTypes, targetCapacity });
    if (answer.kind === "no-signal") report(ports, answer.code, answer.message);
    return answer;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    report(ports, error.code, error.message);
    return { kind: "failed", error };
  }
}

function report({ telemetry }: Ports, code: string, message: string): void {
  telemetry.count(metric.scoresWithoutSignal, 1, { code });
  telemetry.log("info", "no spot placement scores", { code, message });
}

/** EC2 scores zones by id, which other accounts know by other names: a zone that is not ours is left out (field-scenarios B3.23). */
function withAnswer(set: ScoreSet, answer: Answer, zones: readonly Zone[], now: number): ScoreSet {
  const { noSignal: _, ...tried } = { ...set, triedAt: now };
  switch (answer.kind) {
    case "scores": {
      const named = zones.flatMap(({ name, id }) => {
        const score = answer.byZoneId.get(id);
        return score === undefined ? [] : [[name, score] as const];
      });
      return { ...tried, scores: Object.fromEntries(named), scoredAt: now };
    }
    case "no-signal":
      return { ...tried, noSignal: `${answer.code}: ${answer.message}` };
    case "failed":
      return tried;
  }
}
