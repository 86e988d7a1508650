import { ApiServer } from "./api-server.ts";
import { ebsDriver } from "./claims-of-pods.ts";
import { startDaemonSetController } from "./daemon-set-controller.ts";
import { startDeploymentController } from "./deployment-controller.ts";
import { startDisruptionController } from "./disruption-controller.ts";
import { EbsDriver } from "./ebs-driver.ts";
import { startEphemeralVolumeController } from "./ephemeral-volume-controller.ts";
import type { EventLoop } from "./event-loop.ts";
import { startGarbageCollector } from "./garbage-collector.ts";
import { startJobController } from "./job-controller.ts";
import { Kubelets, type KubeletTimings } from "./kubelet.ts";
import type { NodeRegistration } from "./node-bootstrap.ts";
import { NodeLifecycle } from "./node-lifecycle.ts";
import { OwnedPods } from "./owned-pods.ts";
import type { Random } from "./random.ts";
import { startReplicaSetController } from "./replica-set-controller.ts";
import { Scheduler } from "./scheduler.ts";
import { startStatefulSetController } from "./stateful-set-controller.ts";

/** A whole Kubernetes cluster without nodes. The cloud's side calls the two functions. */
export interface SimulatedCluster {
  readonly server: ApiServer;
  /** The instance has booted and its kubelet comes up. */
  registerNode(registration: NodeRegistration): void;
  /** The instance has ended, by whatever cause; without a Node of that name nothing happens. */
  nodeGone(nodeName: string): void;
}

export function simulatedCluster(options: {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly namespaces?: readonly string[];
  readonly kubeletTimings?: KubeletTimings;
}): SimulatedCluster {
  const { loop, random, namespaces = [], kubeletTimings } = options;
  const server = new ApiServer({ loop, random, namespaces });
  const ownedPods = new OwnedPods(server);
  startReplicaSetController(loop, server, ownedPods);
  startDeploymentController(loop, server, ownedPods);
  startStatefulSetController(loop, server, ownedPods);
  startJobController(loop, server, ownedPods);
  startDaemonSetController(loop, server, ownedPods);
  startDisruptionController(loop, server);
  startEphemeralVolumeController(loop, server);
  startGarbageCollector(loop, server);
  new Scheduler({ loop, random, server });
  const kubelets = new Kubelets({
    loop,
    random,
    server,
    ...(kubeletTimings === undefined ? {} : { timings: kubeletTimings }),
  });
  const lifecycle = new NodeLifecycle({ loop, server });
  const ebs = new EbsDriver(server);
  return {
    server,
    registerNode: (registration) => {
      const limit = registration.attachLimits[ebsDriver];
      if (limit !== undefined) ebs.setLimit(registration.name, limit);
      kubelets.registerNode(registration);
    },
    nodeGone: (nodeName) => {
      kubelets.stop(nodeName);
      lifecycle.nodeSilent(nodeName, () => kubelets.isRunning(nodeName));
    },
  };
}
