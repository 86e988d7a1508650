import * as z from "zod";
import { formatTime } from "../api/time.ts";
import { type AskedConfiguration, placeOf, type ScoreSet } from "./placement-score-sets.ts";
import { storedJson, storedTime } from "./stored-facts.ts";

/** What the ConfigMap of placement scores holds: a key for each set, and one for each configuration that EC2 was asked for. */
export interface ScoreFacts {
  readonly sets: readonly ScoreSet[];
  readonly asked: readonly AskedConfiguration[];
}

const storedSet = storedJson(
  z.object({
    instanceTypes: z.array(z.string()),
    targetCapacity: z.number(),
    chosenAt: storedTime,
    triedAt: storedTime.exactOptional(),
    scores: z.record(z.string(), z.number()).exactOptional(),
    scoredAt: storedTime.exactOptional(),
    noSignal: z.string().exactOptional(),
  }),
);
const storedQuestion = storedJson(z.object({ firstAt: storedTime, lastAt: storedTime }));

/** What cannot be read is left out. */
export function parseScoreFacts(data: Readonly<Record<string, string>>): ScoreFacts {
  const sets: ScoreSet[] = [];
  const asked: AskedConfiguration[] = [];
  for (const [key, value] of Object.entries(data)) {
    const [, nodePool, vcpus] = /^(.+)_(\d+)vcpu$/.exec(key) ?? [];
    const configuration = /^asked\.(\w+)$/.exec(key)?.[1];
    const set = storedSet.safeParse(value);
    const question = storedQuestion.safeParse(value);
    if (nodePool !== undefined && set.success) sets.push({ nodePool, vcpus: Number(vcpus), ...set.data });
    else if (configuration !== undefined && question.success) asked.push({ configuration, ...question.data });
  }
  return { sets, asked };
}

export function setFact(set: ScoreSet): readonly [key: string, value: string] {
  const { nodePool: _, vcpus: __, ...stored } = set;
  const times = {
    chosenAt: formatTime(set.chosenAt),
    ...(set.triedAt !== undefined && { triedAt: formatTime(set.triedAt) }),
    ...(set.scoredAt !== undefined && { scoredAt: formatTime(set.scoredAt) }),
  };
  return [placeOf(set), JSON.stringify({ ...stored, ...times })];
}

export function questionFact({ configuration, firstAt, lastAt }: AskedConfiguration): readonly [string, string] {
  return [questionKey(configuration), JSON.stringify({ firstAt: formatTime(firstAt), lastAt: formatTime(lastAt) })];
}

export function questionKey(configuration: string): string {
  return `asked.${configuration}`;
}
