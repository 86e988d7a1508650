import type { Action } from "../actions.ts";
import type { KubernetesObject } from "../api/kinds.ts";
import { type Ec2Instance, type Ports, ProviderError } from "../ports.ts";

/** What became of one action. `already`: the world was as the action wants it. */
export type ActionOutcome = { readonly action: Action } & Result;

type Result =
  | { readonly result: "done"; readonly object?: KubernetesObject; readonly instances?: readonly Ec2Instance[] }
  | { readonly result: "already"; readonly object?: KubernetesObject }
  /** A PodDisruptionBudget says not now: to be tried again, and no failure. */
  | { readonly result: "blocked"; readonly reason: string }
  /** Not attempted: no time left, or an action before it failed. */
  | { readonly result: "skipped"; readonly reason: string }
  | { readonly result: "failed"; readonly error: ProviderError };

export interface ExecuteOptions {
  /** The actions do not depend on one another: a failure skips none of the others. */
  readonly continueOnError?: boolean;
}

/** An irreversible act must not be cut off between the call and the record of its answer. */
const safeRemainingMilliseconds = 3_000;

const irreversible: ReadonlySet<Action["kind"]> = new Set(["run-instances", "terminate-instances", "delete", "evict"]);

/**
 * Performs actions in order, idempotently, and decides nothing (design rule 3). One outcome per action, in the same order. Only a
 * `ProviderError` is an outcome; anything else is a bug and is thrown.
 */
export async function execute(
  ports: Ports,
  actions: readonly Action[],
  options: ExecuteOptions = {},
): Promise<readonly ActionOutcome[]> {
  const outcomes: ActionOutcome[] = [];
  let isBroken = false;
  for (const action of actions) {
    const outcome: ActionOutcome = {
      action,
      ...(isBroken ? skipped("an action before it was not done") : await attempt(ports, action)),
    };
    isBroken ||= !options.continueOnError && (outcome.result === "failed" || outcome.result === "skipped");
    log(ports, outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** For callers that go on only if all is done: throws the first failure, so that their message comes again. */
export function requireDone(outcomes: readonly ActionOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.result === "failed") throw outcome.error;
    if (outcome.result === "skipped")
      throw new ProviderError("Unknown", "Skipped", `${outcome.action.kind}: ${outcome.reason}`);
  }
}

async function attempt(ports: Ports, action: Action): Promise<Result> {
  const remaining = ports.clock.remainingMilliseconds();
  if (irreversible.has(action.kind) && remaining < safeRemainingMilliseconds) {
    return skipped(`${remaining} ms left of this invocation, ${safeRemainingMilliseconds} needed`);
  }
  try {
    return await perform(ports, action);
  } catch (error) {
    if (error instanceof ProviderError) return { result: "failed", error };
    throw error;
  }
}

async function perform(ports: Ports, action: Action): Promise<Result> {
  switch (action.kind) {
    case "create":
      return create(ports, action.object);
    case "patch": {
      const options = action.subresource === undefined ? {} : { subresource: action.subresource };
      return {
        result: "done",
        object: await ports.kubernetes.patch(action.objectKind, action.reference, action.patch, options),
      };
    }
    case "delete":
      return remove(ports, action);
    case "evict":
      return evict(ports, action);
    case "run-instances":
      return { result: "done", instances: await ports.ec2.runInstances(action.request) };
    case "terminate-instances":
      return terminate(ports, action.instanceIds);
    case "create-tags":
      await ports.ec2.createTags(action.instanceIds, action.tags);
      return { result: "done" };
    case "send-hint":
      await ports.hints.send(
        action.hint,
        action.delaySeconds === undefined ? {} : { delaySeconds: action.delaySeconds },
      );
      return { result: "done" };
  }
}

async function create(ports: Ports, object: KubernetesObject): Promise<Result> {
  try {
    return { result: "done", object: await ports.kubernetes.create(object.kind, object) };
  } catch (error) {
    if (!isKind(error, "Conflict")) throw error;
    const { name, namespace } = object.metadata;
    const existing = await ports.kubernetes.get(object.kind, namespace === undefined ? { name } : { name, namespace });
    if (existing === undefined) throw error;
    return { result: "already", object: existing };
  }
}

/** A conflict of UIDs means that the object in question is gone and another has its name. */
async function remove(ports: Ports, action: Extract<Action, { kind: "delete" }>): Promise<Result> {
  try {
    const outcome = await ports.kubernetes.delete(action.objectKind, action.reference, deleteOptions(action));
    return { result: outcome === "deleted" ? "done" : "already" };
  } catch (error) {
    if (isKind(error, "Conflict")) return { result: "already" };
    throw error;
  }
}

async function evict(ports: Ports, action: Extract<Action, { kind: "evict" }>): Promise<Result> {
  try {
    const outcome = await ports.kubernetes.evict(action.reference, deleteOptions(action));
    if (outcome.kind === "blocked") return { result: "blocked", reason: outcome.reason };
    return { result: outcome.kind === "evicted" ? "done" : "already" };
  } catch (error) {
    if (isKind(error, "Conflict")) return { result: "already" };
    throw error;
  }
}

/**
 * EC2 terminates none if one id is unknown: then each is asked for alone. `already` when one stays unknown: it is gone, or it is so new
 * that EC2 does not show it yet (serverless-aws §2), which the caller alone can tell.
 */
async function terminate(ports: Ports, instanceIds: readonly string[]): Promise<Result> {
  try {
    await ports.ec2.terminateInstances(instanceIds);
    return { result: "done" };
  } catch (error) {
    if (!isKind(error, "NotFound")) throw error;
    if (instanceIds.length === 1) return { result: "already" };
    const results: Result[] = [];
    for (const instanceId of instanceIds) results.push(await terminate(ports, [instanceId]));
    return results.find(({ result }) => result === "already") ?? { result: "done" };
  }
}

function deleteOptions(action: { readonly uid?: string; readonly gracePeriodSeconds?: number }) {
  return {
    ...(action.uid === undefined ? {} : { uid: action.uid }),
    ...(action.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: action.gracePeriodSeconds }),
  };
}

function isKind(error: unknown, kind: ProviderError["kind"]): error is ProviderError {
  return error instanceof ProviderError && error.kind === kind;
}

function skipped(reason: string): Result {
  return { result: "skipped", reason };
}

function log(ports: Ports, outcome: ActionOutcome): void {
  const { action, result } = outcome;
  const level = result === "failed" ? "warn" : result === "done" ? "info" : "debug";
  const detail =
    outcome.result === "failed"
      ? { errorKind: outcome.error.kind, code: outcome.error.code, message: outcome.error.message }
      : outcome.result === "blocked" || outcome.result === "skipped"
        ? { reason: outcome.reason }
        : {};
  ports.telemetry.log(level, `${action.kind} ${result}`, { subject: subjectOf(action), why: action.why, ...detail });
}

function subjectOf(action: Action): string {
  switch (action.kind) {
    case "create":
      return `${action.object.kind} ${pathOf(action.object.metadata)}`;
    case "patch":
    case "delete":
      return `${action.objectKind} ${pathOf(action.reference)}`;
    case "evict":
      return `Pod ${pathOf(action.reference)}`;
    case "run-instances":
      return `${action.request.maxCount} x ${action.request.instanceType} in ${action.request.subnetId}`;
    case "terminate-instances":
    case "create-tags":
      return action.instanceIds.join(", ");
    case "send-hint":
      return action.hint.kind;
  }
}

function pathOf(reference: { readonly name: string; readonly namespace?: string }): string {
  return reference.namespace === undefined ? reference.name : `${reference.namespace}/${reference.name}`;
}
