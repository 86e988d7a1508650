import { type Kind, kinds } from "../api/kinds.ts";
import type { ObjectMeta, OwnerReference } from "../api/schema.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { serviceAccount } from "./owned-pods.ts";

const user = serviceAccount("generic-garbage-collector");
const delayMilliseconds = 100;

/**
 * Background cascading deletion: an object goes when none of the owners it names is left. Owners of kinds that the simulator does not
 * have are taken to exist.
 */
export function startGarbageCollector(loop: EventLoop, server: ApiServer): void {
  const dependents = new Map<string, Map<string, { readonly kind: Kind; readonly metadata: ObjectMeta }>>();
  const collectLater = (kind: Kind, metadata: ObjectMeta): void => {
    loop.schedule(delayMilliseconds, `garbage-collector ${metadata.name}`, () => collect(server, kind, metadata));
  };
  for (const kind of Object.keys(kinds).filter(isKindName)) {
    server.watch(kind, ({ type, object: { metadata } }) => {
      const { uid = "", ownerReferences = [] } = metadata;
      for (const owner of ownerReferences) {
        const children = dependents.get(owner.uid) ?? new Map();
        dependents.set(owner.uid, children);
        if (type === "DELETED") children.delete(uid);
        else children.set(uid, { kind, metadata });
        if (type === "ADDED" && !exists(server, metadata, owner)) collectLater(kind, metadata);
      }
      if (type !== "DELETED") return;
      for (const child of dependents.get(uid)?.values() ?? []) collectLater(child.kind, child.metadata);
      dependents.delete(uid);
    });
  }
}

function collect(server: ApiServer, kind: Kind, metadata: ObjectMeta): void {
  const found = server.get(kind, metadata)?.metadata;
  if (found === undefined || found.uid !== metadata.uid || found.deletionTimestamp !== undefined) return;
  const owners = found.ownerReferences ?? [];
  if (owners.length > 0 && !owners.some((owner) => exists(server, found, owner))) server.delete(kind, found, { user });
}

function exists(server: ApiServer, dependent: ObjectMeta, owner: OwnerReference): boolean {
  if (!isKindName(owner.kind)) return true;
  const namespace = kinds[owner.kind].namespaced ? { namespace: dependent.namespace ?? "" } : {};
  return server.get(owner.kind, { name: owner.name, ...namespace })?.metadata.uid === owner.uid;
}

function isKindName(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}
