import type { Kind, KubernetesObjects } from "../api/kinds.ts";
import type { EvictionOutcome, KubernetesPort, ListOptions, MergePatch, ObjectReference } from "../ports.ts";
import type { ApiServer } from "./api-server.ts";

type KubernetesVerb = "list" | "get" | "create" | "patch" | "patch-status" | "delete" | "evict";

/** Where faults come in. A hook throws what the caller shall see; it may wait on the loop to make a call slow. */
export interface KubernetesFaults {
  /** An error here: the call never reached the API server. */
  readonly beforeCall?: (verb: KubernetesVerb, kind: Kind) => void | Promise<void>;
  /** An error here: the API server did it, and the caller does not know (a timeout). */
  readonly afterCall?: (verb: KubernetesVerb, kind: Kind) => void | Promise<void>;
}

/** The port on the simulated API server for one user. Every answer is a copy of the caller's own. */
export class SimulatedKubernetes implements KubernetesPort {
  readonly #server: ApiServer;
  readonly #user: string;
  readonly #faults: KubernetesFaults;
  /** API calls by `verb Kind`, refused ones included. */
  readonly calls = new Map<string, number>();

  constructor(server: ApiServer, user: string, faults: KubernetesFaults = {}) {
    this.#server = server;
    this.#user = user;
    this.#faults = faults;
  }

  list<K extends Kind>(kind: K, options?: ListOptions): Promise<readonly KubernetesObjects[K][]> {
    return this.#call("list", kind, () => this.#server.list(kind, options));
  }

  get<K extends Kind>(kind: K, reference: ObjectReference): Promise<KubernetesObjects[K] | undefined> {
    return this.#call("get", kind, () => this.#server.get(kind, reference));
  }

  create<K extends Kind>(
    kind: K,
    object: KubernetesObjects[K],
    options: { readonly dryRun?: true } = {},
  ): Promise<KubernetesObjects[K]> {
    return this.#call("create", kind, () => this.#server.create(kind, object, { ...options, user: this.#user }));
  }

  patch<K extends Kind>(
    kind: K,
    reference: ObjectReference,
    patch: MergePatch,
    options: { readonly subresource?: "status" } = {},
  ): Promise<KubernetesObjects[K]> {
    const verb = options.subresource === "status" ? "patch-status" : "patch";
    return this.#call(verb, kind, () => this.#server.patch(kind, reference, patch, { ...options, user: this.#user }));
  }

  delete(
    kind: Kind,
    reference: ObjectReference,
    options: { readonly uid?: string; readonly gracePeriodSeconds?: number } = {},
  ): Promise<"deleted" | "absent"> {
    return this.#call("delete", kind, () => this.#server.delete(kind, reference, { ...options, user: this.#user }));
  }

  evict(
    reference: ObjectReference,
    options: { readonly uid?: string; readonly gracePeriodSeconds?: number } = {},
  ): Promise<EvictionOutcome> {
    return this.#call("evict", "Pod", () => this.#server.evict(reference, { ...options, user: this.#user }));
  }

  async #call<T>(verb: KubernetesVerb, kind: Kind, run: () => T): Promise<T> {
    const key = `${verb} ${kind}`;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    await this.#faults.beforeCall?.(verb, kind);
    const result = structuredClone(run());
    await this.#faults.afterCall?.(verb, kind);
    return result;
  }
}
