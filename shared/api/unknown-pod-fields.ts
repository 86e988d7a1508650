import { describePlace, formatPath, type Place } from "./problems.ts";
import { isRawObject, type RawObject, valueIn } from "./raw-objects.ts";
import { closestWord } from "./spelling.ts";

/**
 * Notes on the fields of an object's pods that Kubernetes does not know: an API server warns of them and drops them, and a misspelt
 * nodeSelector selects nothing. What an API server has stored already is passed over, as it may know more fields than are listed here.
 */
export function unknownPodFields({ place, object }: { readonly place: Place; readonly object: RawObject }) {
  const path = podSpecPaths[String(object.kind)];
  if (path === undefined || valueIn(object, ["metadata", "uid"]) !== undefined) return [];
  const spec = valueIn(object, path);
  const unknown = [
    ...unknownIn(spec, path, podSpecFields),
    ...["containers", "initContainers"].flatMap((list) => {
      const containers = valueIn(spec, [list]);
      if (!Array.isArray(containers)) return [];
      return containers.flatMap((container, index) => unknownIn(container, [...path, list, index], containerFields));
    }),
  ];
  return unknown.map((text) => `${describePlace(place)}, ${text}`);
}

function unknownIn(value: unknown, path: readonly PropertyKey[], known: readonly string[]): readonly string[] {
  if (!isRawObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = closestWord(key, known);
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      return `${formatPath([...path, key])}: Kubernetes knows no such field and ignores it${hint}`;
    });
}

const templatePath = ["spec", "template", "spec"] as const;

const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  Deployment: templatePath,
  ReplicaSet: templatePath,
  ReplicationController: templatePath,
  StatefulSet: templatePath,
  DaemonSet: templatePath,
  Job: templatePath,
  CronJob: ["spec", "jobTemplate", ...templatePath],
  PodTemplate: ["template", "spec"],
};

/** `core/v1.PodSpec`, with what is behind feature gates. */
const podSpecFields = words(`
  activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks ephemeralContainers
  hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os
  overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName
  schedulerName schedulingGates schedulingGroup securityContext serviceAccount serviceAccountName setHostnameAsFQDN
  shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes workloadRef`);

/** `core/v1.Container`. */
const containerFields = words(`
  args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy resources restartPolicy
  restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices
  volumeMounts workingDir`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
