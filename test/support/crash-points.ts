import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { PortCall } from "../../shared/simulator/invocation.ts";
import type { FunctionCrashPlan, FunctionName } from "../../shared/simulator/simulated-functions.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { type Rest, restlessness, secondsToRest, wholeStack } from "./whole-stack.ts";

/** A story that a crash is to leave unchanged. */
export interface CrashStory {
  /** Only their calls are crash points. */
  readonly functions: readonly FunctionName[];
  /** Up to where nothing crashes. */
  readonly prepare?: (world: SimulatedWorld) => Promise<void>;
  readonly begin: (world: SimulatedWorld) => void;
  readonly rest: Rest;
  /** Instances launched from first to last, so that none is launched in vain. */
  readonly launches: number;
  /** The cluster looks as if at rest until then. */
  readonly notBeforeSeconds?: number;
  /** From then to rest, a crash included. */
  readonly withinSeconds: number;
}

/** The moment before or after one call of one function. */
interface CrashPoint {
  readonly index: number;
  readonly description: string;
  readonly isNotable: boolean;
}

const afterRestSeconds = 60;

/**
 * Every moment at which the story can be cut off, in order. A crash between two calls is the same whether it comes after the first or
 * before the second, and reading changes nothing: notable are the moments before each write, and after each act on EC2.
 */
export async function crashPoints(story: CrashStory): Promise<readonly CrashPoint[]> {
  const points: CrashPoint[] = [];
  await tell(story, (index, call, name) => {
    points.push({ index, description: `${name}: ${call.phase} ${describeCall(call)}`, isNotable: isNotable(call) });
    return false;
  });
  return points;
}

/** What is wrong after a crash at this point, a line each. */
export async function afterCrash(story: CrashStory, point: CrashPoint): Promise<readonly string[]> {
  let hasCrashed = false;
  const wrong = await tell(story, (index) => {
    const isHere = index === point.index;
    hasCrashed ||= isHere;
    return isHere;
  });
  const all = hasCrashed ? wrong : ["nothing crashed", ...wrong];
  return all.map((line) => `crash ${point.index}, ${point.description}: ${line}`);
}

/** At most `most` of the items, evenly spread, the first and the last among them. */
export function sample<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  const indexes = Array.from({ length: most }, (_, index) => Math.round((index * (items.length - 1)) / (most - 1)));
  return indexes.flatMap((index) => items[index] ?? []);
}

async function tell(
  story: CrashStory,
  crashes: (index: number, call: PortCall, name: FunctionName) => boolean,
): Promise<readonly string[]> {
  let hasBegun = false;
  let count = 0;
  const crashPlan: FunctionCrashPlan = (_callIndex, call, name) =>
    hasBegun && story.functions.includes(name) && crashes(count++, call, name);
  const world = wholeStack({ crashPlan });
  const invariants = startInvariants(world);
  everySecond(world, () => invariants.check());
  await story.prepare?.(world);
  hasBegun = true;
  story.begin(world);
  await world.loop.runUntil(world.loop.now() + (story.notBeforeSeconds ?? 0) * 1_000);
  await secondsToRest(world, story.rest, story.withinSeconds);
  const unrest = restlessness(world, story.rest);
  if (unrest.length > 0) return [`not at rest within ${story.withinSeconds} s`, ...unrest];
  await world.loop.runUntil(world.loop.now() + afterRestSeconds * 1_000);
  invariants.atEnd();
  const launched = world.ec2.instances().length;
  return [
    ...restlessness(world, story.rest).map((line) => `${line}, ${afterRestSeconds} s after all was well`),
    ...(launched === story.launches ? [] : [`${launched} instances were launched instead of ${story.launches}`]),
    ...invariants.verdicts().flatMap(({ name, holds, detail }) => (holds ? [] : [`${name}: ${detail}`])),
  ];
}

function everySecond({ loop }: Pick<SimulatedWorld, "loop">, work: () => void): void {
  loop.schedule(1_000, "invariants", () => {
    work();
    everySecond({ loop }, work);
  });
}

function describeCall({ name, args }: PortCall): string {
  const [first, second] = args;
  const target = typeof second === "object" && second !== null && "name" in second ? ` ${second.name}` : "";
  return typeof first === "string" ? `${name} ${first}${target}` : name;
}

function isNotable({ name, phase }: PortCall): boolean {
  const isRead = /\.(list|get|describe\w*)$/.test(name);
  return !isRead && (phase === "before" || name.startsWith("ec2."));
}
