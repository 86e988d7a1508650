import type { Pod } from "../api/core.ts";
import { annotation } from "../api/labels.ts";

/**
 * Why no node is planned for a pod although it may want one, in one sentence; undefined when it is served. `servedPodAnnotation`
 * is the setting of that name: `key`, or `key=value`; without it all pods are served that do not opt out.
 */
export function notServedReason({ metadata }: Pod, servedPodAnnotation?: string): string | undefined {
  const { annotations = {} } = metadata;
  if (annotations[annotation.doNotProvision] === "true") return `its annotation ${annotation.doNotProvision} is "true"`;
  if (servedPodAnnotation === undefined) return undefined;
  const [key = "", ...rest] = servedPodAnnotation.split("=");
  const found = annotations[key];
  if (found === undefined) return `it lacks the annotation ${servedPodAnnotation}, by which pods are served`;
  const wanted = rest.join("=");
  if (rest.length === 0 || found === wanted) return undefined;
  return `its annotation ${key} is ${JSON.stringify(found)}, and pods are served with ${JSON.stringify(wanted)}`;
}
