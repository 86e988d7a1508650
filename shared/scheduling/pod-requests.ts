import type { Container, PodSpec } from "../api/core.ts";
import { addResources, maxResources, parseResources, type Resources } from "./resources.ts";

/**
 * What the scheduler reserves for a pod, by the formula of KEP-753 (sidecars), with KEP-2837 (pod-level resources), overhead and
 * `pods: 1`. A container's limits stand in for the requests it does not state, as the API server does for pods but not for
 * templates (karpenter-core §2.6).
 * @throws RangeError for a quantity that cannot be read.
 */
export function podRequests(spec: PodSpec): Resources {
  const containers = containerRequests(spec);
  return {
    ...addResources({ ...containers, ...podLevelRequests(spec, containers) }, parseResources(spec.overhead)),
    pods: 1,
  };
}

/**
 * The larger of the running phase (app containers and all sidecars) and the peak of the init phase, in which each init container
 * runs beside the sidecars that were started before it.
 */
function containerRequests(spec: PodSpec): Resources {
  let sidecars: Resources = {};
  let initPeak: Resources = {};
  for (const container of spec.initContainers ?? []) {
    const running = addResources(sidecars, requestsOf(container));
    initPeak = maxResources(initPeak, running);
    if (container.restartPolicy === "Always") {
      sidecars = running;
    }
  }
  return maxResources(addResources(...spec.containers.map(requestsOf), sidecars), initPeak);
}

function requestsOf(container: Container): Resources {
  return parseResources({ ...container.resources?.limits, ...container.resources?.requests });
}

/**
 * `spec.resources` replaces the containers' sum for the resources it may name. A pod-level limit counts only where neither the pod
 * nor a container states a request, as the API server defaults it.
 */
function podLevelRequests(spec: PodSpec, containers: Resources): Resources {
  const requests = parseResources(spec.resources?.requests);
  const limits = parseResources(spec.resources?.limits);
  const entries = Object.entries({ ...limits, ...requests }).filter(
    ([name]) =>
      (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) &&
      (name in requests || !(name in containers)),
  );
  return Object.fromEntries(entries);
}
