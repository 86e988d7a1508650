import type { Pod } from "../../api/core.ts";
import { isTime } from "../../api/time.ts";
import { isEqual } from "./is-equal.ts";

type Metadata = Pod["metadata"];
type Status = NonNullable<Pod["status"]>;
type Condition = NonNullable<Status["conditions"]>[number];

const mostTexts = 100_000;

/**
 * Checks by hand, for what a running pod usually is, what the schema checks; several times as fast. Undefined: it is not that, and the schema
 * must say what it is. Strings that repeat are kept once.
 */
export class PodParts {
  readonly #texts = new Map<string, string>();
  readonly #times = new Set<string>();

  /** Metadata that differs from that of another pod of the template in name and times alone. */
  metadata(raw: unknown, like: Metadata): Metadata | undefined {
    if (!isRecord(raw)) return undefined;
    const { name, namespace, generateName, uid, resourceVersion, creationTimestamp, generation } = raw;
    if (
      raw.deletionTimestamp !== undefined ||
      raw.deletionGracePeriodSeconds !== undefined ||
      raw.finalizers !== undefined
    )
      return undefined;
    if (!isText(name) || !isText(namespace) || !isText(uid) || !isText(resourceVersion)) return undefined;
    if (!this.isTime(creationTimestamp) || generateName !== like.generateName || generation !== like.generation)
      return undefined;
    if (!isEqual(raw.labels, like.labels) || !isEqual(raw.annotations, like.annotations)) return undefined;
    if (!isEqual(raw.ownerReferences, like.ownerReferences)) return undefined;
    const { labels, annotations, ownerReferences } = like;
    return {
      name,
      namespace: this.shared(namespace),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(like.generateName !== undefined && { generateName: like.generateName }),
      ...(like.generation !== undefined && { generation: like.generation }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    };
  }

  status(raw: unknown): Status | undefined {
    if (!isRecord(raw)) return undefined;
    const { phase, conditions, startTime, nominatedNodeName } = raw;
    if (!isText(phase) || !this.isTime(startTime) || nominatedNodeName !== undefined || !Array.isArray(conditions))
      return undefined;
    const checked: Condition[] = [];
    for (const each of conditions) {
      const condition = this.#condition(each);
      if (condition === undefined) return undefined;
      checked.push(condition);
    }
    return { phase: this.shared(phase), conditions: checked, startTime };
  }

  #condition(raw: unknown): Condition | undefined {
    if (!isRecord(raw)) return undefined;
    const { type, status, reason, message, lastTransitionTime, observedGeneration } = raw;
    if (!isText(type) || (status !== "True" && status !== "False" && status !== "Unknown")) return undefined;
    if (!this.isTime(lastTransitionTime)) return undefined;
    if (observedGeneration !== undefined && typeof observedGeneration !== "number") return undefined;
    if ((reason !== undefined && !isText(reason)) || (message !== undefined && !isText(message))) return undefined;
    return {
      type: this.shared(type),
      status,
      lastTransitionTime,
      ...(reason !== undefined && { reason: this.shared(reason) }),
      ...(message !== undefined && { message: this.shared(message) }),
      ...(observedGeneration !== undefined && { observedGeneration }),
    };
  }

  /** The conditions of a pod have few times, and the pods of a rollout too. */
  isTime(text: unknown): text is string {
    if (!isText(text)) return false;
    if (this.#times.has(text)) return true;
    if (!isTime(text)) return false;
    if (this.#times.size >= mostTexts) this.#times.clear();
    this.#times.add(text);
    return true;
  }

  shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= mostTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
