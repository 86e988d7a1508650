import type { Hint } from "../hints.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/**
 * Hands on hints that had to wait: the FIFO queue has no delay for a single message, the `later` queue has. A hint counts from the
 * moment it is due; with its old time a pass since then would make it look answered.
 */
export async function forwardDue({ hints, clock }: Ports, _settings: Settings, due: readonly Hint[]): Promise<void> {
  await Promise.all(due.map((hint) => hints.send({ ...hint, at: clock.now() })));
}
