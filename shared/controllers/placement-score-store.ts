import {
  parseScoreFacts,
  questionFact,
  questionKey,
  type ScoreFacts,
  setFact,
} from "../cloud/placement-score-facts.ts";
import { type AskedConfiguration, placeOf, type ScoreSet, validScores } from "../cloud/placement-score-sets.ts";
import type { PlacementScores } from "../cloud/placement-scores.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key for each set of types that is scored, and one for each configuration that counts towards the account's quota. */
const configMapName = "journeyman-placement-scores";

export async function readScoreFacts(ports: Ports, settings: Settings): Promise<ScoreFacts> {
  return parseScoreFacts(await readFacts(ports, settings, configMapName));
}

/** The scores that still hold, for planning. */
export async function readPlacementScores(ports: Ports, settings: Settings): Promise<readonly PlacementScores[]> {
  const { sets } = await readScoreFacts(ports, settings);
  return sets.flatMap((set) => {
    const scores = validScores(set, ports.clock.now());
    return scores === undefined ? [] : [{ ...set, byZone: new Map(Object.entries(scores)) }];
  });
}

export interface ScoreChanges {
  readonly sets?: readonly ScoreSet[];
  readonly asked?: readonly AskedConfiguration[];
  readonly dropped?: readonly ScoreSet[];
  readonly forgotten?: readonly AskedConfiguration[];
}

export async function writeScores(
  ports: Ports,
  settings: Settings,
  { sets = [], asked = [], dropped = [], forgotten = [] }: ScoreChanges,
): Promise<void> {
  await patchFacts(
    ports,
    settings,
    configMapName,
    Object.fromEntries([
      ...dropped.map((set) => [placeOf(set), null] as const),
      ...forgotten.map(({ configuration }) => [questionKey(configuration), null] as const),
      ...sets.map(setFact),
      ...asked.map(questionFact),
    ]),
  );
}
