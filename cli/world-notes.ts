import type { EC2NodeClass } from "../shared/api/ec2-node-class.ts";
import type { KubernetesObject } from "../shared/api/kinds.ts";
import { amiFamilyTraits, resolveAmiFamily } from "../shared/cloud/ami-family.ts";
import { ignoredSettings } from "../shared/cloud/ignored-settings.ts";
import type { PodRecord } from "../shared/state/pod-record.ts";
import { counted, someOf } from "./wording.ts";
import { keyOf, type Workload } from "./workload-scales.ts";

/** Where a plan says less than it seems to, or other than is expected. `workloads` are those whose pods are planned. */
export function worldNotes(input: {
  readonly objects: readonly KubernetesObject[];
  readonly pods: readonly PodRecord[];
  readonly workloads: readonly Workload[];
  /** Pods by workload, as `--scale` sets them. */
  readonly scales: ReadonlyMap<string, number>;
}): readonly string[] {
  const { objects, pods } = input;
  const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
  return [
    ...objects.flatMap((object) => (object.kind === "EC2NodeClass" ? classNotes(object) : [])),
    ...emptyWorkloads(input.workloads, input.scales),
    ...requestlessPods(waiting),
  ];
}

function classNotes(nodeClass: EC2NodeClass): readonly string[] {
  const title = `EC2NodeClass ${nodeClass.metadata.name}`;
  const { os } = amiFamilyTraits(resolveAmiFamily(nodeClass));
  return [
    ...ignoredSettings(nodeClass).map((setting) => `${title}: ${setting}`),
    ...(os === "windows" ? [`${title}: prices are those of Linux, without the Windows licence`] : []),
  ];
}

function emptyWorkloads(workloads: readonly Workload[], scales: ReadonlyMap<string, number>): readonly string[] {
  const empty = workloads.filter(
    (workload) =>
      workload.kind !== "Job" &&
      workload.kind !== "CronJob" &&
      workload.spec.replicas === 0 &&
      !scales.has(keyOf(workload)),
  );
  if (empty.length === 0) return [];
  const titles = empty.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "default"}/${metadata.name}`);
  return [`${someOf(titles)} ${empty.length === 1 ? "has" : "have"} 0 replicas; see --scale`];
}

function requestlessPods(pods: readonly PodRecord[]): readonly string[] {
  const requestless = pods.filter(({ constraints: { requests } }) =>
    Object.entries(requests).every(([name, amount]) => name === "pods" || amount === 0),
  );
  if (requestless.length === 0) return [];
  const [request, count] = requestless.length === 1 ? ["requests", "it counts"] : ["request", "they count"];
  return [
    `${counted(requestless.length, "pod")} ${request} no CPU or memory: ${count} only against a node's number of pods`,
  ];
}
