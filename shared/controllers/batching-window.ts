import { parseTime } from "../api/time.ts";
import type { Hint } from "../hints.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/**
 * Waits while pods are still arriving: until the newest pending pod is `batchIdleMilliseconds` old, at most `batchMaxMilliseconds` in
 * all (design §4.1, step 1). The only place where anything waits inside a Lambda.
 */
export async function waitForQuiet(ports: Ports, settings: Settings, hints: readonly Hint[]): Promise<void> {
  const { clock } = ports;
  const startedAt = clock.now();
  const arrivals = new Arrivals(hints);
  for (;;) {
    const pods = await ports.kubernetes.list("Pod", { fieldSelector: "spec.nodeName=" });
    const now = clock.now();
    const toQuiet = settings.batchIdleMilliseconds - (now - arrivals.newestAt(pods, now));
    const left = settings.batchMaxMilliseconds - (now - startedAt);
    if (toQuiet <= 0 || left <= 0) return;
    await clock.sleep(Math.min(toQuiet, left));
  }
}

/**
 * When the newest pod arrived. `creationTimestamp` has whole seconds and so makes a pod up to a second older than it is: hints know the
 * first pods' time better, and a pod that an earlier look did not show has come since.
 */
class Arrivals {
  readonly #known = new Set<string>();
  #looks = 0;
  #newestAt: number;

  constructor(hints: readonly Hint[]) {
    const pending = hints.filter((hint) => hint.kind === "provision" && hint.reason === "pods-pending");
    this.#newestAt = Math.max(0, ...pending.map((hint) => hint.at));
  }

  newestAt(pods: readonly { readonly metadata: PodTimes }[], now: number): number {
    const isFirstLook = this.#looks++ === 0;
    for (const { metadata } of pods) {
      const { uid = "", creationTimestamp } = metadata;
      if (this.#known.has(uid)) continue;
      this.#known.add(uid);
      const createdAt = creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
      this.#newestAt = Math.max(this.#newestAt, isFirstLook ? createdAt : now);
    }
    return Math.min(now, this.#newestAt);
  }
}

interface PodTimes {
  readonly uid?: string;
  readonly creationTimestamp?: string;
}
