import type { Kind, KubernetesObject, KubernetesObjects } from "../api/kinds.ts";
import type { ObjectReference } from "../ports.ts";

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
  /** The object before a modification. */
  readonly previous?: T;
}

type Listener = (event: WatchEvent<KubernetesObject>) => void;

/**
 * What etcd is to the API server: objects by kind and key, one counter for all resource versions, watches. Objects are frozen to the
 * last leaf, so handing them out shares nothing that could change.
 */
export class ObjectStore {
  readonly #objects = new Map<Kind, Map<string, KubernetesObject>>();
  readonly #sortedKeys = new Map<Kind, readonly string[]>();
  readonly #listeners = new Map<Kind, Set<Listener>>();
  #revision = 1;

  get<K extends Kind>(kind: K, reference: ObjectReference): KubernetesObjects[K] | undefined {
    const object = this.#objects.get(kind)?.get(keyOf(reference));
    return object !== undefined && isKind(kind, object) ? object : undefined;
  }

  /** In the order of namespace and name, as etcd lists. */
  list<K extends Kind>(kind: K): KubernetesObjects[K][] {
    const objects = this.#objects.get(kind);
    if (objects === undefined) return [];
    const keys = this.#sortedKeys.get(kind) ?? [...objects.keys()].sort();
    this.#sortedKeys.set(kind, keys);
    const result: KubernetesObjects[K][] = [];
    for (const key of keys) {
      const object = objects.get(key);
      if (object !== undefined && isKind(kind, object)) result.push(object);
    }
    return result;
  }

  /** Stores the object under the next resource version and tells the watchers at once. */
  put<K extends Kind>(kind: K, object: KubernetesObjects[K]): KubernetesObjects[K] {
    const objects = this.#objects.get(kind) ?? new Map<string, KubernetesObject>();
    this.#objects.set(kind, objects);
    object.metadata.resourceVersion = String(++this.#revision);
    const key = keyOf(object.metadata);
    const previous = objects.get(key);
    deepFreeze(object);
    objects.set(key, object);
    if (previous === undefined) {
      this.#sortedKeys.delete(kind);
      this.#notify(kind, { type: "ADDED", object });
    } else {
      this.#notify(kind, { type: "MODIFIED", object, previous });
    }
    return object;
  }

  remove<K extends Kind>(kind: K, object: KubernetesObjects[K]): void {
    this.#revision++;
    this.#objects.get(kind)?.delete(keyOf(object.metadata));
    this.#sortedKeys.delete(kind);
    this.#notify(kind, { type: "DELETED", object });
  }

  watch<K extends Kind>(kind: K, listener: (event: WatchEvent<KubernetesObjects[K]>) => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set<Listener>();
    this.#listeners.set(kind, listeners);
    const guarded: Listener = ({ type, object, previous }) => {
      if (!isKind(kind, object)) return;
      listener(previous !== undefined && isKind(kind, previous) ? { type, object, previous } : { type, object });
    };
    listeners.add(guarded);
    return () => listeners.delete(guarded);
  }

  #notify(kind: Kind, event: WatchEvent<KubernetesObject>): void {
    for (const listener of [...(this.#listeners.get(kind) ?? [])]) listener(event);
  }
}

export function isKind<K extends Kind>(kind: K, object: KubernetesObject): object is KubernetesObjects[K] {
  return object.kind === kind;
}

/** `namespace/name`, or the name of what has no namespace. */
export function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function deepFreeze(value: object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) {
    if (typeof child === "object" && child !== null) deepFreeze(child);
  }
}
