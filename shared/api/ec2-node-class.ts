import * as z from "zod";
import {
  connectionTrackingFaults,
  deviceMappingFaults,
  networkInterfaceFaults,
  nodeClassSpecFaults,
  placementGroupFaults,
  tagFaults,
  volumeFaults,
} from "./ec2-node-class-validation.ts";
import { kubeletFaults } from "./kubelet-validation.ts";
import { withRule } from "./rules.ts";
import { condition, objectMeta, quantity, stringMap, time } from "./schema.ts";
import {
  amiTermFaults,
  capacityReservationTermFaults,
  securityGroupTermFaults,
  subnetTermFaults,
} from "./selector-term-validation.ts";

const amiFamily = z.enum(["AL2", "AL2023", "Bottlerocket", "Custom", "Windows2019", "Windows2022", "Windows2025"]);
export type AmiFamily = z.infer<typeof amiFamily>;

const subnetSelectorTerm = withRule(
  z.strictObject({ tags: stringMap.exactOptional(), id: z.string().exactOptional() }),
  subnetTermFaults,
);
const securityGroupSelectorTerm = withRule(
  z.strictObject({
    tags: stringMap.exactOptional(),
    id: z.string().exactOptional(),
    name: z.string().exactOptional(),
  }),
  securityGroupTermFaults,
);
const amiSelectorTerm = withRule(
  z.strictObject({
    alias: z.string().exactOptional(),
    tags: stringMap.exactOptional(),
    id: z.string().exactOptional(),
    name: z.string().exactOptional(),
    owner: z.string().exactOptional(),
    ssmParameter: z.string().exactOptional(),
  }),
  amiTermFaults,
);
const capacityReservationSelectorTerm = withRule(
  z.strictObject({
    tags: stringMap.exactOptional(),
    id: z.string().exactOptional(),
    ownerID: z.string().exactOptional(),
    instanceMatchCriteria: z.enum(["open", "targeted"]).exactOptional(),
  }),
  capacityReservationTermFaults,
);

/** A reservation that the selector terms found (karpenter-aws §1.5). */
const capacityReservation = z.object({
  id: z.string(),
  instanceType: z.string(),
  availabilityZone: z.string(),
  ownerID: z.string().exactOptional(),
  instanceMatchCriteria: z.enum(["open", "targeted"]).exactOptional(),
  reservationType: z.enum(["default", "capacity-block"]).default("default"),
  interruptible: z.boolean().exactOptional(),
  /** `expiring`: a capacity block in its last 40 minutes, from which nothing is launched. */
  state: z.enum(["active", "expiring"]).default("active"),
  endTime: time.exactOptional(),
  /** Instances that it still has room for. Karpenter keeps this in memory and leaves it out. */
  availableInstanceCount: z.number().int().min(0).exactOptional(),
});
export type CapacityReservation = z.infer<typeof capacityReservation>;

const metadataOptions = z.strictObject({
  httpEndpoint: z.enum(["enabled", "disabled"]).default("enabled"),
  httpProtocolIPv6: z.enum(["enabled", "disabled"]).default("disabled"),
  httpPutResponseHopLimit: z.number().int().min(1).max(64).default(1),
  httpTokens: z.enum(["required", "optional"]).default("required"),
});

const blockDeviceMapping = z.strictObject({
  deviceName: z.string().exactOptional(),
  rootVolume: z.boolean().exactOptional(),
  ebs: withRule(
    z.strictObject({
      volumeSize: quantity.exactOptional(),
      volumeType: z.enum(["standard", "io1", "io2", "gp2", "gp3", "sc1", "st1"]).exactOptional(),
      iops: z.number().exactOptional(),
      throughput: z.number().exactOptional(),
      encrypted: z.boolean().exactOptional(),
      kmsKeyID: z.string().exactOptional(),
      snapshotID: z.string().exactOptional(),
      deleteOnTermination: z.boolean().exactOptional(),
      volumeInitializationRate: z.number().int().min(100).max(300).exactOptional(),
    }),
    volumeFaults,
  ).exactOptional(),
});
export type BlockDeviceMapping = z.infer<typeof blockDeviceMapping>;

const networkInterface = z.strictObject({
  networkCardIndex: z.number().int().min(0),
  deviceIndex: z.number().int().min(0),
  interfaceType: z.enum(["interface", "efa-only"]),
});

/** Seconds each. */
const connectionTracking = z.strictObject({
  tcpEstablishedTimeout: z.number().int().min(60).max(432_000).exactOptional(),
  udpStreamTimeout: z.number().int().min(60).max(180).exactOptional(),
  udpTimeout: z.number().int().min(30).max(60).exactOptional(),
});

/** The kubelet settings that change what a node can hold; others are passed through to the node unchanged. */
const kubeletConfiguration = withRule(
  z.looseObject({
    maxPods: z.number().int().min(0).exactOptional(),
    podsPerCore: z.number().int().min(0).exactOptional(),
    clusterDNS: z.array(z.string()).exactOptional(),
    systemReserved: stringMap.exactOptional(),
    kubeReserved: stringMap.exactOptional(),
    evictionHard: stringMap.exactOptional(),
    evictionSoft: stringMap.exactOptional(),
    evictionSoftGracePeriod: stringMap.exactOptional(),
    evictionMaxPodGracePeriod: z.number().int().exactOptional(),
    imageGCHighThresholdPercent: z.number().int().min(0).max(100).exactOptional(),
    imageGCLowThresholdPercent: z.number().int().min(0).max(100).exactOptional(),
    cpuCFSQuota: z.boolean().exactOptional(),
  }),
  kubeletFaults,
);
export type KubeletConfiguration = z.infer<typeof kubeletConfiguration>;

export const ec2NodeClass = z.strictObject({
  apiVersion: z.literal("karpenter.k8s.aws/v1"),
  kind: z.literal("EC2NodeClass"),
  metadata: objectMeta,
  spec: withRule(
    z.strictObject({
      subnetSelectorTerms: z.array(subnetSelectorTerm).min(1).max(30),
      securityGroupSelectorTerms: z.array(securityGroupSelectorTerm).min(1).max(30),
      amiSelectorTerms: z.array(amiSelectorTerm).min(1).max(30),
      capacityReservationSelectorTerms: z.array(capacityReservationSelectorTerm).max(30).exactOptional(),
      placementGroupSelector: withRule(
        z.strictObject({ name: z.string().min(1).exactOptional(), id: z.string().exactOptional() }),
        placementGroupFaults,
      ).exactOptional(),
      associatePublicIPAddress: z.boolean().exactOptional(),
      ipPrefixCount: z.number().int().min(0).exactOptional(),
      amiFamily: amiFamily.exactOptional(),
      userData: z.string().exactOptional(),
      role: z.string().min(1).exactOptional(),
      instanceProfile: z.string().min(1).exactOptional(),
      tags: withRule(stringMap, tagFaults).exactOptional(),
      kubelet: kubeletConfiguration.exactOptional(),
      blockDeviceMappings: withRule(z.array(blockDeviceMapping).max(50), deviceMappingFaults).exactOptional(),
      instanceStorePolicy: z.enum(["RAID0"]).exactOptional(),
      networkInterfaces: withRule(z.array(networkInterface).max(150), networkInterfaceFaults).exactOptional(),
      detailedMonitoring: z.boolean().exactOptional(),
      metadataOptions: metadataOptions.default(() => metadataOptions.parse({})),
      connectionTracking: withRule(connectionTracking, connectionTrackingFaults).exactOptional(),
      context: z.string().exactOptional(),
      cpuOptions: z
        .strictObject({ nestedVirtualization: z.enum(["enabled", "disabled"]).exactOptional() })
        .exactOptional(),
    }),
    nodeClassSpecFaults,
  ),
  status: z
    .object({
      subnets: z
        .array(z.object({ id: z.string(), zone: z.string(), zoneID: z.string().exactOptional() }))
        .exactOptional(),
      securityGroups: z.array(z.object({ id: z.string(), name: z.string().exactOptional() })).exactOptional(),
      amis: z
        .array(
          z.object({
            id: z.string(),
            name: z.string().exactOptional(),
            deprecated: z.boolean().exactOptional(),
            requirements: z.array(
              z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).exactOptional() }),
            ),
          }),
        )
        .exactOptional(),
      instanceProfile: z.string().exactOptional(),
      capacityReservations: z.array(capacityReservation).exactOptional(),
      conditions: z.array(condition).exactOptional(),
    })
    .exactOptional(),
});
export type EC2NodeClass = z.infer<typeof ec2NodeClass>;
