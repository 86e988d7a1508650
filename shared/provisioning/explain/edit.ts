/** What an edit is about. */
export type EditTarget = { readonly kind: "Pod" } | { readonly kind: "NodePool"; readonly name: string };

/** Field names and list indexes. */
export type EditPath = readonly (string | number)[];

/** What an edit gives up, the least first: {@link compareEdits} tells why. */
const sizes = ["correct", "tolerate", "raise", "widen", "shrink", "soften", "drop", "untaint"] as const;
export type EditSize = (typeof sizes)[number];

/** One change of one field of one object. */
export interface Edit {
  readonly target: EditTarget;
  readonly at: EditPath;
  /** Absent: there was nothing. */
  readonly from?: unknown;
  /** Absent: the field, or the entry of the list, is removed. */
  readonly to?: unknown;
  readonly size: EditSize;
}

/**
 * Smaller edits first. Edits of the pod come before edits of a NodePool: a pod's owner may make them alone and they touch one workload,
 * while a NodePool's change what every later node may be. Among those of one object: a word corrected to what was most likely meant; a
 * toleration added; a limit raised; a value added or changed; a request lowered to what fits; a rule softened but kept; a rule given
 * up; a taint taken away, which lets every pod in.
 */
export function compareEdits(a: Edit, b: Edit): number {
  const rank = ({ target, size }: Edit) => (target.kind === "Pod" ? 0 : sizes.length) + sizes.indexOf(size);
  return rank(a) - rank(b);
}
