import type { Node } from "../api/core.ts";
import type { ApiServer } from "./api-server.ts";
import { ebsDriver } from "./claims-of-pods.ts";

/**
 * The EBS CSI driver's part in what nodes report: a CSINode that says how many volumes each can attach, from the time its Node is there
 * until it goes. It runs where a StorageClass asks for it.
 */
export class EbsDriver {
  readonly #server: ApiServer;
  readonly #limits = new Map<string, number>();

  constructor(server: ApiServer) {
    this.#server = server;
    server.watch("Node", ({ type, object }) => {
      if (type === "ADDED") this.#report(object);
      else if (type === "DELETED") this.#limits.delete(object.metadata.name);
    });
    server.watch("StorageClass", () => {
      for (const node of server.list("Node")) this.#report(node);
    });
  }

  /** How many volumes the node that is about to register can attach. */
  setLimit(nodeName: string, limit: number): void {
    this.#limits.set(nodeName, limit);
  }

  #report({ metadata: { name, uid = "" } }: Node): void {
    const count = this.#limits.get(name);
    if (count === undefined || !this.#isInstalled() || this.#server.get("CSINode", { name }) !== undefined) return;
    this.#server.create("CSINode", {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
      spec: { drivers: [{ name: ebsDriver, nodeID: name, allocatable: { count } }] },
    });
  }

  #isInstalled(): boolean {
    return this.#server.list("StorageClass").some(({ provisioner }) => provisioner === ebsDriver);
  }
}
