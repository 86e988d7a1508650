import { parseTime } from "../api/time.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/**
 * Waits while pods are still arriving: until the newest pending pod is `batchIdleMilliseconds` old, at most `batchMaxMilliseconds` in
 * all (design §4.1, step 1). The only place where anything waits inside a Lambda.
 */
export async function waitForQuiet(ports: Ports, settings: Settings): Promise<void> {
  const startedAt = ports.clock.now();
  for (;;) {
    const now = ports.clock.now();
    const left = settings.batchMaxMilliseconds - (now - startedAt);
    const toQuiet = settings.batchIdleMilliseconds - (now - (await newestPendingAt(ports)));
    if (toQuiet <= 0 || left <= 0) return;
    await ports.clock.sleep(Math.min(toQuiet, left));
  }
}

async function newestPendingAt(ports: Ports): Promise<number> {
  const pods = await ports.kubernetes.list("Pod", { fieldSelector: "spec.nodeName=" });
  return Math.max(0, ...pods.map(({ metadata }) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")));
}
