import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Hint } from "../hints.ts";
import type { Ports } from "../ports.ts";
import { isManagedClaim } from "../state/managed.ts";
import type { Settings } from "../state/settings.ts";
import { formatStep, stepOf } from "../state/step.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { type SharedReads, terminationProgress } from "./termination-progress.ts";

/**
 * Takes each deleting claim one step further and sends the hint for its next (design §4.5, rules 6 and 7). A step is idempotent; of
 * two copies of a hint only one can raise the counter, so that only one chain of hints lives on. Claims do not hold each other up.
 */
export async function terminate(ports: Ports, settings: Settings, hints: readonly Hint[]): Promise<void> {
  const reads: SharedReads = {
    claims: once(() => ports.kubernetes.list("NodeClaim")),
    budgets: once(() => ports.kubernetes.list("PodDisruptionBudget")),
    attachments: once(() => ports.kubernetes.list("VolumeAttachment")),
  };
  const steps = hints.filter((hint) => hint.kind === "termination");
  const distinct = [...new Map(steps.map((hint) => [`${hint.nodeClaim} ${hint.step}`, hint])).values()];
  await limitedParallel(distinct, 10, ({ nodeClaim, step }) => takeStep(ports, settings, reads, nodeClaim, step));
}

async function takeStep(ports: Ports, settings: Settings, reads: SharedReads, name: string, n: number): Promise<void> {
  const claim = await ports.kubernetes.get("NodeClaim", { name });
  if (claim?.metadata.deletionTimestamp === undefined || !isManagedClaim(claim) || stepOf(claim).n !== n) return;
  const progress = await terminationProgress(ports, settings, reads, claim, n);
  if (progress.kind === "gone") return;
  const { delaySeconds, doing } = progress;
  const isRaised = await raiseStep(ports, claim, n, delaySeconds);
  ports.telemetry.log("info", "termination step", { nodeClaim: name, step: n, doing, delaySeconds, isRaised });
  if (!isRaised) return;
  const next: Hint = { kind: "termination", nodeClaim: name, step: n + 1, at: ports.clock.now() };
  await ports.hints.send(next, { delaySeconds });
}

/** False when another copy of the hint raised it first, or the claim is gone. */
async function raiseStep(ports: Ports, claim: NodeClaim, n: number, delaySeconds: number): Promise<boolean> {
  const next = formatStep({ n: n + 1, dueAt: ports.clock.now() + delaySeconds * 1_000 });
  let isRaised = false;
  const raised = await update(ports, "NodeClaim", { name: claim.metadata.name }, (current) => {
    isRaised = current.metadata.uid === claim.metadata.uid && stepOf(current).n === n;
    return isRaised ? { metadata: { annotations: { [annotation.step]: next } } } : undefined;
  });
  return isRaised && raised !== undefined;
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= read();
    return answer;
  };
}
