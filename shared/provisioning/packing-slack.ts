import type { Resources } from "../scheduling/resources.ts";
import type { Settings } from "../state/settings.ts";

/** The resources of which a share stays free. Devices and places for pods are whole: a share of them would be one too many. */
const slackResources = ["cpu", "memory"] as const;

/**
 * What a plan may fill of a new node that has so much room (setting `packingSlackPercent`), for want of nominations: kube-scheduler then
 * puts pods where it likes, and of a plan without any room to spare some would find none. Pods that no node of a NodePool holds so may
 * have its nodes in whole, and share them only with pods like them.
 */
export function fillable(free: Resources, slackPercent: number): Resources {
  if (slackPercent === 0) return free;
  const kept = Object.fromEntries(
    slackResources.map((name) => [name, Math.floor((free[name] ?? 0) * (1 - slackPercent / 100))]),
  );
  return { ...free, ...kept };
}

export function slackPercentOf({ nominatePods, packingSlackPercent }: Settings): number {
  return nominatePods ? 0 : packingSlackPercent;
}
