import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { controllerReference, serviceAccount } from "./owned-pods.ts";

const user = serviceAccount("ephemeral-volume-controller");
const delayMilliseconds = 20;

/** Makes the claims `POD-VOLUME` of pods with generic ephemeral volumes; they go with their pod. */
export function startEphemeralVolumeController(loop: EventLoop, server: ApiServer): void {
  server.watch("Pod", ({ type, object }) => {
    const volumes = object.spec.volumes?.filter(({ ephemeral }) => ephemeral !== undefined) ?? [];
    if (type !== "ADDED" || volumes.length === 0) return;
    const { name: podName, namespace = "" } = object.metadata;
    loop.schedule(delayMilliseconds, `ephemeral-volume-controller ${podName}`, () => {
      if (server.get("Pod", object.metadata)?.metadata.uid !== object.metadata.uid) return;
      for (const { name: volumeName, ephemeral } of volumes) {
        const name = `${podName}-${volumeName}`;
        const isThere = server.get("PersistentVolumeClaim", { namespace, name }) !== undefined;
        if (ephemeral === undefined || isThere) continue;
        const { labels, annotations } = ephemeral.volumeClaimTemplate.metadata ?? {};
        server.create(
          "PersistentVolumeClaim",
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: {
              name,
              namespace,
              ...(labels && { labels }),
              ...(annotations && { annotations }),
              ownerReferences: [controllerReference(object)],
            },
            spec: ephemeral.volumeClaimTemplate.spec,
          },
          { user },
        );
      }
    });
  });
}
