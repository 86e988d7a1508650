import type { Pod, PodTemplate } from "../api/core.ts";
import { type Kind, kinds } from "../api/kinds.ts";
import type { ObjectMeta, OwnerReference } from "../api/schema.ts";
import type { ObjectReference } from "../ports.ts";
import type { ApiServer } from "./api-server.ts";

/** Pods by the UID of the workload that controls them, kept up to date by a watch. */
export class OwnedPods {
  readonly #pods = new Map<string, Map<string, Pod>>();

  constructor(server: ApiServer) {
    server.watch("Pod", ({ type, object }) => {
      const owner = controllerOf(object)?.uid;
      if (owner === undefined) return;
      const pods = this.#pods.get(owner) ?? new Map<string, Pod>();
      this.#pods.set(owner, pods);
      if (type === "DELETED") pods.delete(object.metadata.uid ?? "");
      else pods.set(object.metadata.uid ?? "", object);
    });
  }

  of(owner: ObjectMeta): Pod[] {
    return [...(this.#pods.get(owner.uid ?? "")?.values() ?? [])];
  }
}

interface Workload {
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplate };
}

/** Creates one pod of a workload from its template. Without a name it gets `workload-xxxxx`. */
export function createPod(
  server: ApiServer,
  workload: Workload,
  changes: {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly spec?: Partial<Pod["spec"]>;
  },
  user: string,
): void {
  const { metadata, spec } = workload.spec.template;
  const { namespace = "" } = workload.metadata;
  const annotations = metadata?.annotations === undefined ? {} : { annotations: metadata.annotations };
  server.create(
    "Pod",
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: changes.name ?? "",
        generateName: `${workload.metadata.name}-`,
        namespace,
        labels: { ...metadata?.labels, ...changes.labels },
        ...annotations,
        ownerReferences: [controllerReference(workload)],
      },
      spec: { ...spec, ...changes.spec },
    },
    { user },
  );
}

export function controllerReference(workload: Pick<Workload, "kind" | "metadata">): OwnerReference {
  return {
    apiVersion: kinds[workload.kind].apiVersion,
    kind: workload.kind,
    name: workload.metadata.name,
    uid: workload.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** The inverse of `namespace/name`. */
export function referenceOf(key: string): Required<ObjectReference> {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

export function serviceAccount(controller: string): string {
  return `system:serviceaccount:kube-system:${controller}`;
}
