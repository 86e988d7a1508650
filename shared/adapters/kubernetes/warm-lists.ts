import type { Kind } from "../../api/kinds.ts";
import type { ListOptions } from "../../ports.ts";
import type { WatchingClient } from "./client.ts";
import { PodReader } from "./pod-reader.ts";
import { DecodedItems, WarmList } from "./warm-list.ts";

/** What a warm process keeps of the cluster between its invocations. NodeClaims are never kept (design rule 4). */
export class WarmLists {
  readonly client: WatchingClient;
  readonly pods = new PodReader();
  readonly #lists: { readonly [K in Kind]?: WarmList<K> } = {
    Pod: new WarmList("Pod"),
    Node: new WarmList("Node"),
    CSINode: new WarmList("CSINode"),
    PersistentVolume: new WarmList("PersistentVolume"),
    PersistentVolumeClaim: new WarmList("PersistentVolumeClaim"),
  };

  /** NodeClaims are listed afresh. */
  readonly #decoded: { readonly [K in Kind]?: DecodedItems<K> } = { NodeClaim: new DecodedItems() };

  constructor(client: WatchingClient) {
    this.client = client;
  }

  decodedOf<K extends Kind>(kind: K): { readonly [L in Kind]?: DecodedItems<L> }[K] | undefined {
    return this.#decoded[kind];
  }

  /** Undefined for what is listed afresh each time: a list of a node's or a namespace's own objects is short. */
  of<K extends Kind>(kind: K, options: ListOptions): { readonly [L in Kind]?: WarmList<L> }[K] | undefined {
    const { namespace, labelSelector, fieldSelector = "" } = options;
    if (namespace !== undefined || labelSelector !== undefined) return undefined;
    const isWhole = kind === "Pod" ? !fieldSelector.includes("spec.nodeName") : fieldSelector === "";
    return isWhole ? this.#lists[kind] : undefined;
  }
}
