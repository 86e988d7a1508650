import * as z from "zod";
import { diskSources } from "./disk-sources.ts";
import { withRule } from "./rules.ts";
import { condition, labelSelector, objectMeta, resourceList, stringMap, taint, templateMeta, time } from "./schema.ts";
import { selectorEntryFaults, tolerationFaults } from "./selector-validation.ts";
import { persistentVolumeClaimTemplate } from "./volume-claims.ts";

export const nodeSelectorRequirement = withRule(
  z.object({
    key: z.string(),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]),
    values: z.array(z.string()).exactOptional(),
  }),
  selectorEntryFaults,
);
export type NodeSelectorRequirement = z.infer<typeof nodeSelectorRequirement>;

const nodeSelectorTerm = z.object({
  matchExpressions: z.array(nodeSelectorRequirement).exactOptional(),
  matchFields: z.array(nodeSelectorRequirement).exactOptional(),
});
export type NodeSelectorTerm = z.infer<typeof nodeSelectorTerm>;

export const nodeSelector = z.object({ nodeSelectorTerms: z.array(nodeSelectorTerm) });

const topologyKey = z.string().min(1, "expected the key of a node label");

const podAffinityTerm = z.object({
  topologyKey,
  labelSelector: labelSelector.exactOptional(),
  namespaces: z.array(z.string()).exactOptional(),
  namespaceSelector: labelSelector.exactOptional(),
  matchLabelKeys: z.array(z.string()).exactOptional(),
  mismatchLabelKeys: z.array(z.string()).exactOptional(),
});
export type PodAffinityTerm = z.infer<typeof podAffinityTerm>;

const podAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(podAffinityTerm).exactOptional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ weight: z.number(), podAffinityTerm }))
    .exactOptional(),
});

const affinity = z.object({
  nodeAffinity: z
    .object({
      requiredDuringSchedulingIgnoredDuringExecution: nodeSelector.exactOptional(),
      preferredDuringSchedulingIgnoredDuringExecution: z
        .array(z.object({ weight: z.number(), preference: nodeSelectorTerm }))
        .exactOptional(),
    })
    .exactOptional(),
  podAffinity: podAffinity.exactOptional(),
  podAntiAffinity: podAffinity.exactOptional(),
});

const toleration = withRule(
  z.object({
    key: z.string().exactOptional(),
    operator: z.enum(["Exists", "Equal", "Lt", "Gt"]).exactOptional(),
    value: z.string().exactOptional(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).exactOptional(),
    tolerationSeconds: z.number().exactOptional(),
  }),
  tolerationFaults,
);
export type Toleration = z.infer<typeof toleration>;

const topologySpreadConstraint = z.object({
  maxSkew: z.number().int().min(1),
  topologyKey,
  whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
  labelSelector: labelSelector.exactOptional(),
  minDomains: z.number().int().min(1).exactOptional(),
  nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).exactOptional(),
  nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).exactOptional(),
  matchLabelKeys: z.array(z.string()).exactOptional(),
});
export type TopologySpreadConstraint = z.infer<typeof topologySpreadConstraint>;

const resourceRequirements = z.object({
  requests: resourceList.exactOptional(),
  limits: resourceList.exactOptional(),
});

const container = z.object({
  name: z.string().exactOptional(),
  resources: resourceRequirements.exactOptional(),
  restartPolicy: z.string().exactOptional(),
  ports: z
    .array(
      z.object({
        containerPort: z.number().exactOptional(),
        hostPort: z.number().exactOptional(),
        hostIP: z.string().exactOptional(),
        protocol: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
});
export type Container = z.infer<typeof container>;

const volume = z.object({
  name: z.string(),
  ...diskSources,
  persistentVolumeClaim: z.object({ claimName: z.string() }).exactOptional(),
  ephemeral: z.object({ volumeClaimTemplate: persistentVolumeClaimTemplate }).exactOptional(),
});

const podSpec = z.object({
  nodeName: z.string().exactOptional(),
  hostNetwork: z.boolean().exactOptional(),
  nodeSelector: stringMap.exactOptional(),
  affinity: affinity.exactOptional(),
  tolerations: z.array(toleration).exactOptional(),
  topologySpreadConstraints: z.array(topologySpreadConstraint).exactOptional(),
  containers: z.array(container),
  initContainers: z.array(container).exactOptional(),
  overhead: resourceList.exactOptional(),
  resources: resourceRequirements.exactOptional(),
  priority: z.number().exactOptional(),
  priorityClassName: z.string().exactOptional(),
  schedulerName: z.string().exactOptional(),
  terminationGracePeriodSeconds: z.number().exactOptional(),
  volumes: z.array(volume).exactOptional(),
  schedulingGates: z.array(z.object({ name: z.string() })).exactOptional(),
  resourceClaims: z.array(z.object({ name: z.string() })).exactOptional(),
});
export type PodSpec = z.infer<typeof podSpec>;

export const podTemplate = z.object({ metadata: templateMeta.exactOptional(), spec: podSpec });
export type PodTemplate = z.infer<typeof podTemplate>;

export const pod = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("Pod"),
  metadata: objectMeta,
  spec: podSpec,
  status: z
    .object({
      phase: z.string().exactOptional(),
      conditions: z.array(condition).exactOptional(),
      nominatedNodeName: z.string().exactOptional(),
      startTime: time.exactOptional(),
    })
    .exactOptional(),
});
export type Pod = z.infer<typeof pod>;

export const node = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("Node"),
  metadata: objectMeta,
  spec: z
    .object({
      providerID: z.string().exactOptional(),
      unschedulable: z.boolean().exactOptional(),
      taints: z.array(taint).exactOptional(),
    })
    .exactOptional(),
  status: z
    .object({
      capacity: resourceList.exactOptional(),
      allocatable: resourceList.exactOptional(),
      conditions: z.array(condition).exactOptional(),
    })
    .exactOptional(),
});
export type Node = z.infer<typeof node>;

export const namespace = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("Namespace"),
  metadata: objectMeta,
});
export type Namespace = z.infer<typeof namespace>;

export const configMap = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("ConfigMap"),
  metadata: objectMeta,
  data: stringMap.exactOptional(),
  binaryData: stringMap.exactOptional(),
});
export type ConfigMap = z.infer<typeof configMap>;

export const event = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("Event"),
  metadata: objectMeta,
  involvedObject: z.object({
    apiVersion: z.string(),
    kind: z.string(),
    name: z.string(),
    namespace: z.string().exactOptional(),
    uid: z.string().exactOptional(),
  }),
  type: z.enum(["Normal", "Warning"]),
  reason: z.string(),
  message: z.string(),
  source: z.object({ component: z.string() }).exactOptional(),
  firstTimestamp: z.string().exactOptional(),
  lastTimestamp: z.string().exactOptional(),
  count: z.number().exactOptional(),
});
export type Event = z.infer<typeof event>;

export const lease = z.object({
  apiVersion: z.literal("coordination.k8s.io/v1"),
  kind: z.literal("Lease"),
  metadata: objectMeta,
  spec: z.object({
    holderIdentity: z.string().nullish(),
    leaseDurationSeconds: z.number().exactOptional(),
    acquireTime: z.string().nullish(),
    renewTime: z.string().nullish(),
    leaseTransitions: z.number().exactOptional(),
  }),
});
export type Lease = z.infer<typeof lease>;
