import { isDeepStrictEqual } from "node:util";
import type { Pod } from "../api/core.ts";
import type { Kind, KubernetesObject, KubernetesObjects } from "../api/kinds.ts";
import type { ObjectMeta, OwnerReference } from "../api/schema.ts";
import type { EvictionOutcome, ListOptions, MergePatch, ObjectReference } from "../ports.ts";
import { Admission, type AdmissionRequest, type ValidatingWebhook } from "./admission.ts";
import { alreadyExists, conflict, invalid, notFound } from "./api-errors.ts";
import { selectorFilter } from "./api-selectors.ts";
import { type BudgetStatus, budgetStatus, evictionRefusal, type Scale } from "./disruption-budgets.ts";
import type { EventLoop } from "./event-loop.ts";
import { uuid } from "./identifiers.ts";
import { isRecord, mergePatch } from "./merge-patch.ts";
import { deletionOf } from "./object-deletion.ts";
import { withServerMetadata } from "./object-metadata.ts";
import { isKind, ObjectStore, type WatchEvent } from "./object-store.ts";
import { decodeObject, validateUpdate } from "./object-validation.ts";
import { admitPod } from "./pod-admission.ts";
import { withConditions } from "./pod-status.ts";
import type { Random } from "./random.ts";
import { timestamp } from "./time.ts";

interface Caller {
  /** `userInfo.username` in admission reviews. */
  readonly user?: string;
  /** Of a creation: all is checked and nothing stored. */
  readonly dryRun?: true;
}

const administrator = "kubernetes-admin";
/** How often the API server draws a name from `generateName` before it gives up (KEP-4420). */
const nameAttempts = 8;
const initialNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Kinds whose status is written through the subresource alone. Nodes and PVCs keep the status they are created with, CRDs do not. */
const kindsWithStatus: ReadonlySet<Kind> = new Set<Kind>([
  "Pod",
  "Node",
  "NodePool",
  "NodeClaim",
  "NodeOverlay",
  "EC2NodeClass",
  "PodDisruptionBudget",
  "PersistentVolumeClaim",
  "CapacityBuffer",
]);
const statusKeptOnCreate: ReadonlySet<Kind> = new Set<Kind>(["Node", "PersistentVolumeClaim"]);

/**
 * The Kubernetes API server, in memory and in virtual time. Calls are synchronous; watchers are told within the call, so a watcher must
 * only take note and schedule its work. What it returns is frozen. Errors are the {@link ProviderError}s of the port.
 *
 * Left out: server-side apply, mutating webhooks, quotas, and fields that shared/api does not know (they are pruned).
 */
export class ApiServer {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #store = new ObjectStore();
  readonly admission: Admission;

  /** `namespaces` are made in addition to those that every cluster has; writing to a namespace that does not exist is an error. */
  constructor(options: {
    readonly loop: EventLoop;
    readonly random: Random;
    readonly namespaces?: readonly string[];
  }) {
    this.#loop = options.loop;
    this.#random = options.random.fork("api-server");
    // Of its own: who watches by a webhook must not change what it watches.
    const reviews = this.#random.fork("admission reviews");
    this.admission = new Admission(() => uuid(reviews));
    for (const name of [...initialNamespaces, ...(options.namespaces ?? [])]) {
      this.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
  }

  get<K extends Kind>(kind: K, reference: ObjectReference): KubernetesObjects[K] | undefined {
    return this.#store.get(kind, reference);
  }

  /** Sorted by namespace and name. */
  list<K extends Kind>(kind: K, options: ListOptions = {}): KubernetesObjects[K][] {
    return this.#store.list(kind).filter(selectorFilter(kind, options));
  }

  /** Tells of every later change, within the call that makes it. Returns the function that ends it. */
  watch<K extends Kind>(kind: K, listener: (event: WatchEvent<KubernetesObjects[K]>) => void): () => void {
    return this.#store.watch(kind, listener);
  }

  addWebhook(webhook: ValidatingWebhook): () => void {
    return this.admission.add(webhook);
  }

  create<K extends Kind>(kind: K, object: KubernetesObjects[K], caller: Caller = {}): KubernetesObjects[K] {
    const { metadata } = object;
    const name = metadata.name === "" ? this.#generatedName(kind, metadata) : metadata.name;
    if (metadata.resourceVersion !== undefined) {
      throw invalid(kind, { ...metadata, name }, "resourceVersion should not be set on objects to be created");
    }
    const { status: _status, ...withoutStatus } = { status: undefined, ...object };
    const written = kindsWithStatus.has(kind) && !statusKeptOnCreate.has(kind) ? withoutStatus : object;
    const created = this.#admit(
      decodeObject(kind, { ...written, metadata: this.#newMeta({ ...metadata, name }) }, name),
    );
    if (created.metadata.namespace !== undefined && !this.get("Namespace", { name: created.metadata.namespace })) {
      throw notFound("Namespace", { name: created.metadata.namespace });
    }
    if (this.#store.get(kind, created.metadata) !== undefined) throw alreadyExists(kind, created.metadata);
    const dryRun = caller.dryRun === true;
    this.#review(kind, "CREATE", caller, { object: created, oldObject: null, dryRun });
    return dryRun ? created : this.#store.put(kind, created);
  }

  /** RFC 7386. A patch that changes nothing is no write: no new resourceVersion, no watch event. */
  patch<K extends Kind>(
    kind: K,
    reference: ObjectReference,
    patch: MergePatch,
    options: Caller & { readonly subresource?: "status" } = {},
  ): KubernetesObjects[K] {
    const before = this.#require(kind, reference);
    this.#checkPreconditions(kind, before, isRecord(patch.metadata) ? patch.metadata : {});
    const onStatus = options.subresource === "status";
    if (onStatus && !kindsWithStatus.has(kind)) throw notFound(kind, reference);
    const { status, ...main } = patch;
    const effective = onStatus ? { status } : kindsWithStatus.has(kind) ? main : patch;
    const merged = mergePatch(before, { ...effective, apiVersion: before.apiVersion, kind: before.kind });
    const after = decodeObject(kind, withServerMetadata(merged, before.metadata), reference.name);
    validateUpdate(kind, before, after);
    return this.#update(kind, before, after, options);
  }

  /** Binds a pod to a node as `pods/binding` does: nodeName, PodScheduled, no nomination left. */
  bind(reference: ObjectReference, nodeName: string): Pod {
    const pod = this.#require("Pod", reference);
    if (pod.spec.nodeName !== undefined) throw conflict("Pod", reference, `already assigned to ${pod.spec.nodeName}`);
    if (pod.metadata.deletionTimestamp !== undefined) throw conflict("Pod", reference, "is being deleted");
    const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
    const conditions = withConditions(status.conditions, [{ type: "PodScheduled", status: "True" }], this.#loop.now());
    return this.#store.put("Pod", {
      ...pod,
      metadata: { ...pod.metadata },
      spec: { ...pod.spec, nodeName },
      status: { ...status, conditions },
    });
  }

  delete(
    kind: Kind,
    reference: ObjectReference,
    options: Caller & { readonly uid?: string; readonly gracePeriodSeconds?: number } = {},
  ): "deleted" | "absent" {
    const object = this.#store.get(kind, reference);
    if (object === undefined) return "absent";
    this.#checkPreconditions(kind, object, { uid: options.uid });
    this.#review(kind, "DELETE", options, { object: null, oldObject: object });
    const deletion = deletionOf(object, options.gracePeriodSeconds, this.#loop.now());
    if (deletion.kind === "unchanged") return "deleted";
    if (deletion.kind === "remove" && (object.metadata.finalizers ?? []).length === 0) {
      this.#store.remove(kind, object);
      return "deleted";
    }
    const { deletionTimestamp = timestamp(this.#loop.now()), deletionGracePeriodSeconds = 0 } =
      deletion.kind === "mark" ? deletion : {};
    const { generation = 1, deletionTimestamp: marked } = object.metadata;
    const metadata = {
      ...object.metadata,
      deletionTimestamp: deletion.kind === "remove" && marked !== undefined ? marked : deletionTimestamp,
      deletionGracePeriodSeconds,
      generation: marked === undefined ? generation + 1 : generation,
    };
    const after = { ...object, metadata };
    if (!isDeepStrictEqual(object, after)) this.#store.put(kind, after);
    return "deleted";
  }

  /** The eviction subresource. A pod that is there under another uid is not the one that was meant: `absent`. */
  evict(
    reference: ObjectReference,
    options: Caller & { readonly uid?: string; readonly gracePeriodSeconds?: number } = {},
  ): EvictionOutcome {
    const pod = this.#store.get("Pod", reference);
    if (pod === undefined || (options.uid !== undefined && options.uid !== pod.metadata.uid)) return { kind: "absent" };
    const budgets = this.#store.list("PodDisruptionBudget");
    const reason = evictionRefusal(pod, budgets, (pdb) => this.budgetStatus(pdb));
    if (reason !== undefined) return { kind: "blocked", reason };
    this.delete("Pod", reference, options);
    return { kind: "evicted" };
  }

  /** What the budget allows this instant, from the pods themselves; the stored status follows later. */
  budgetStatus(pdb: KubernetesObjects["PodDisruptionBudget"]): BudgetStatus {
    const pods = this.#store.list("Pod").filter((pod) => pod.metadata.namespace === pdb.metadata.namespace);
    return budgetStatus(pdb, pods, (controller, namespace) => this.#scaleOf(controller, namespace));
  }

  #scaleOf(owner: OwnerReference, namespace: string): Scale | undefined {
    const { kind, name, uid } = owner;
    if (kind !== "ReplicaSet" && kind !== "StatefulSet" && kind !== "Deployment") return undefined;
    const workload = this.#store.get(kind, { namespace, name });
    if (workload === undefined || workload.metadata.uid !== uid) return undefined;
    const outer = workload.metadata.ownerReferences?.find((each) => each.controller === true);
    if (outer?.kind === "Deployment") return this.#scaleOf(outer, namespace);
    return { uid, replicas: workload.spec.replicas ?? 1 };
  }

  #update<K extends Kind>(
    kind: K,
    before: KubernetesObjects[K],
    after: KubernetesObjects[K],
    options: Caller & { readonly subresource?: "status" },
  ): KubernetesObjects[K] {
    const subResource = options.subresource === undefined ? {} : { subResource: options.subresource };
    this.#review(kind, "UPDATE", options, { object: after, oldObject: before, ...subResource });
    if (isDeepStrictEqual(before, after)) return before;
    if (!isDeepStrictEqual(generationInput(before), generationInput(after))) {
      after.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = after.metadata;
    const gone = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
    if (gone) this.#store.remove(kind, after);
    else this.#store.put(kind, after);
    return after;
  }

  #review(
    kind: Kind,
    operation: AdmissionRequest["operation"],
    caller: Caller,
    write: Parameters<Admission["review"]>[3],
  ): void {
    this.admission.review(kind, operation, caller.user ?? administrator, write);
  }

  #require<K extends Kind>(kind: K, reference: ObjectReference): KubernetesObjects[K] {
    const object = this.#store.get(kind, reference);
    if (object === undefined) throw notFound(kind, reference);
    return object;
  }

  #checkPreconditions(kind: Kind, object: KubernetesObject, wanted: Readonly<Record<string, unknown>>): void {
    const { resourceVersion, uid } = object.metadata;
    if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
      throw conflict(
        kind,
        object.metadata,
        "the object has been modified; please apply your changes to the latest version",
      );
    }
    if (wanted.uid !== undefined && wanted.uid !== uid) {
      throw conflict(
        kind,
        object.metadata,
        `the UID in the precondition (${String(wanted.uid)}) is not its UID (${uid})`,
      );
    }
  }

  #newMeta(metadata: ObjectMeta): ObjectMeta {
    const { deletionTimestamp: _deleted, deletionGracePeriodSeconds: _grace, ...kept } = metadata;
    return { ...kept, uid: this.#uid(), generation: 1, creationTimestamp: timestamp(this.#loop.now()) };
  }

  #admit<K extends Kind>(object: KubernetesObjects[K]): KubernetesObjects[K];
  #admit(object: KubernetesObject): KubernetesObject {
    if (isKind("Pod", object)) return admitPod(object, this.#store, this.#loop.now());
    if (isKind("Namespace", object)) {
      const labels = { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name };
      return { ...object, metadata: { ...object.metadata, labels } };
    }
    return object;
  }

  #uid(): string {
    const hex = Array.from({ length: 8 }, () => this.#random.integer(0, 0xffff).toString(16).padStart(4, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** A name that is free, unless so many attempts all met one that is taken: then creation fails as for any other. */
  #generatedName(kind: Kind, { generateName = "", namespace }: ObjectMeta): string {
    let name = "";
    for (let attempt = 0; attempt < nameAttempts; attempt++) {
      name = `${generateName}${this.#suffix()}`;
      const reference = namespace === undefined ? { name } : { name, namespace };
      if (this.#store.get(kind, reference) === undefined) return name;
    }
    return name;
  }

  /** The five characters that the API server appends to `generateName`. */
  #suffix(): string {
    return Array.from({ length: 5 }, () => this.#random.pick([..."bcdfghjklmnpqrstvwxz2456789"])).join("");
  }
}

/** Everything but metadata and status: a change of it is a new generation. */
function generationInput(object: KubernetesObject): unknown {
  const { metadata: _metadata, status: _status, ...rest } = { status: undefined, ...object };
  return rest;
}
