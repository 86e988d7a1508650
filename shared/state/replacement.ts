import type { Node } from "../api/core.ts";
import { annotation } from "../api/labels.ts";
import { parsedRecord } from "./json-annotation.ts";

/**
 * The mark of a node that is leaving and whose pods get new capacity before they are evicted (design rule 5). It is written with the
 * disrupted taint and never taken back.
 */
export interface Replacement {
  /** Why, as a word for logs and metrics: `spot-interruption`, `rebalance`, `health`, ... */
  readonly reason: string;
  readonly noticedAt: number;
  /** When the machine ends; absent when nothing forces a time. */
  readonly deadlineAt?: number;
  /** UIDs of pods that the planner found room for on nodes that are Ready: their eviction needs no new node. */
  readonly roomFor?: readonly string[];
}

export function replacementOf(node: Node): Replacement | undefined {
  const { reason, noticedAt, deadlineAt, roomFor } = parsedRecord(node.metadata.annotations?.[annotation.replace]);
  if (typeof reason !== "string" || typeof noticedAt !== "number") return undefined;
  return {
    reason,
    noticedAt,
    ...(typeof deadlineAt === "number" ? { deadlineAt } : {}),
    ...(Array.isArray(roomFor) ? { roomFor: roomFor.filter((uid) => typeof uid === "string") } : {}),
  };
}

export function formatReplacement(replacement: Replacement): string {
  return JSON.stringify(replacement);
}

/** The earlier deadline wins, so that a spot notice after a rebalance recommendation is not lost, and a repeated notice changes nothing. */
export function strongerReplacement(current: Replacement | undefined, next: Replacement): Replacement {
  if (current === undefined) return next;
  const isSooner = (next.deadlineAt ?? Number.POSITIVE_INFINITY) < (current.deadlineAt ?? Number.POSITIVE_INFINITY);
  return isSooner ? { ...current, ...next, noticedAt: current.noticedAt } : current;
}
