import { pod as podSchema } from "../../api/core.ts";
import { soundNodePool } from "../../api/node-pool.ts";
import { isRawObject } from "../../api/raw-objects.ts";
import { PodDecoder } from "../../state/pod-decoding.ts";
import type { PodRecord } from "../../state/pod-record.ts";
import type { Snapshot } from "../../state/snapshot.ts";
import type { Edit, EditPath } from "./edit.ts";

/**
 * The world with an edit made; undefined when the object would be refused with it. An edit of a pod is one of its workload's template:
 * its like that have no node yet change with it, and those that run stay as they are until they are replaced.
 */
export function withEdit(snapshot: Snapshot, pod: PodRecord, edit: Edit): Snapshot | undefined {
  switch (edit.target.kind) {
    case "Pod":
      return withEditedPods(snapshot, pod, edit);
    case "NodePool": {
      const { name } = edit.target;
      const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === name);
      const parsed = soundNodePool.safeParse(withPart(pool, edit.at, edit.to));
      if (pool === undefined || !parsed.success) return undefined;
      return { ...snapshot, nodePools: snapshot.nodePools.map((other) => (other === pool ? parsed.data : other)) };
    }
  }
}

function withEditedPods(snapshot: Snapshot, pod: PodRecord, { at, to }: Edit): Snapshot | undefined {
  const decoder = new PodDecoder();
  const isAlike = (other: PodRecord) =>
    other === pod ||
    (pod.owner !== undefined &&
      other.owner?.uid === pod.owner.uid &&
      other.owner.name === pod.owner.name &&
      other.schedulingKey === pod.schedulingKey &&
      other.nodeName === undefined);
  const edited = new Map<PodRecord, PodRecord>();
  for (const other of snapshot.pods.filter(isAlike)) {
    const parsed = podSchema.safeParse(withPart(objectOf(other), at, to));
    if (!parsed.success) return undefined;
    const { constraints, classKey, schedulingKey } = decoder.decode(parsed.data);
    edited.set(other, { ...other, constraints, classKey, schedulingKey });
  }
  return { ...snapshot, pods: snapshot.pods.map((other) => edited.get(other) ?? other) };
}

function objectOf({ namespace, name, uid, volumes, constraints }: PodRecord) {
  const { spec, labels } = constraints;
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace, name, uid, labels }, spec: { ...spec, volumes } };
}

/** A copy with one part set, or removed for undefined; objects and lists on the way are made. */
function withPart(whole: unknown, [key, ...rest]: EditPath, to: unknown): unknown {
  if (key === undefined) return to;
  const isRemoval = rest.length === 0 && to === undefined;
  if (typeof key === "number") {
    const list: readonly unknown[] = Array.isArray(whole) ? whole : [];
    if (isRemoval) return list.toSpliced(key, 1);
    return list.toSpliced(key, 1, withPart(list[key], rest, to));
  }
  const object = isRawObject(whole) ? whole : {};
  if (isRemoval) return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return { ...object, [key]: withPart(object[key], rest, to) };
}
