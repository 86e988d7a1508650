import type { SimulationSample } from "../../shared/simulator/simulation-result.ts";

interface Span {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * One value for each of `count` equal stretches of the span: the highest sample in it, where each sample holds until the next. What
 * lies before the first sample is zero.
 */
export function sampleColumns(
  samples: readonly SimulationSample[],
  { startedAt, endedAt }: Span,
  count: number,
  read: (sample: SimulationSample) => number,
): readonly number[] {
  const stretch = (endedAt - startedAt) / count;
  let next = 0;
  let current = 0;
  return Array.from({ length: count }, (_, index) => {
    const until = index === count - 1 ? Number.POSITIVE_INFINITY : startedAt + (index + 1) * stretch;
    let highest = current;
    for (let sample = samples[next]; sample !== undefined && sample.at < until; sample = samples[++next]) {
      current = read(sample);
      // A change right at the start of a stretch leaves nothing of what was before.
      highest = sample.at <= startedAt + index * stretch ? current : Math.max(highest, current);
    }
    return highest;
  });
}

/** `mm:ss` of virtual time since the start, minutes beyond 59 running on. */
export function clockText(at: number, startedAt: number): string {
  const seconds = Math.max(0, Math.round((at - startedAt) / 1000));
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${String(minutes).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}
