import { ec2NodeClass } from "../ec2-node-class.ts";
import { tag } from "../labels.ts";
import { conditionColumn, type Definition } from "./definition.ts";
import { conditionFields } from "./shared-fields.ts";
import type { CelRule, Fields } from "./structural-schema.ts";

/** EBS' largest volumes: 59000Gi, 64000G, 58Ti and 64T. */
const volumeSizePattern = [
  "^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi",
  "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G",
  "([1-9]|[1-4][0-9]|5[0-8])Ti",
  "([1-9]|[1-5][0-9]|6[0-4])T)$",
].join("|");

/** EC2NodeClass (karpenter-aws §1.1). */
export const ec2NodeClassDefinition: Definition = {
  group: "karpenter.k8s.aws",
  version: "v1",
  kind: "EC2NodeClass",
  plural: "ec2nodeclasses",
  shortNames: ["ec2nc", "ec2ncs"],
  category: "karpenter",
  scope: "Cluster",
  columns: [
    { name: "Ready", path: conditionColumn("Ready") },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
    { name: "Role", path: ".spec.role", wide: true },
  ],
  schema: ec2NodeClass,
  fields: {
    "": { description: "How nodes are made at EC2." },
    spec: {
      description: "Network, image, identity and devices of the instances.",
      rules: [
        {
          rule: "has(self.role) != has(self.instanceProfile)",
          message: "exactly one of role and instanceProfile is set",
        },
        {
          rule: "has(self.amiFamily) || self.amiSelectorTerms.exists(t, has(t.alias))",
          message: "without an alias among amiSelectorTerms, amiFamily is set",
        },
        {
          rule: "!has(self.amiFamily) || self.amiFamily == 'Custom' || self.amiSelectorTerms.all(t, !has(t.alias) || t.alias.startsWith(self.amiFamily.lowerAscii() + '@'))",
          message: "amiFamily is the alias's family or Custom",
        },
      ],
    },
    ...termFields(),
    ...machineFields(),
    ...deviceFields(),
    ...networkFields(),
    ...conditionFields,
    "status.conditions": { ...conditionFields["status.conditions"], keywords: {} },
    "status.subnets": { description: "The subnets that were found." },
    "status.securityGroups": { description: "The security groups that were found." },
    "status.amis": { description: "The images that were found." },
    "status.instanceProfile": { description: "The instance profile of the nodes." },
    "status.capacityReservations": { description: "The capacity reservations that were found." },
  },
};

/** A list of terms that select something: an object matches if any of them does. */
function terms(
  what: string,
  { selectors, exclusive, id }: { selectors: readonly string[]; exclusive: readonly CelRule[]; id: string },
): Fields {
  const path = `spec.${what}`;
  const anySelector = selectors.map((field) => `has(self.${field})`).join(" || ");
  const noun = what.replace("SelectorTerms", "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return {
    [path]: { description: `Which ${noun === "ami" ? "image" : noun}s: those that any of the terms finds.` },
    [`${path}[]`]: {
      description: "What is found has all that the term says.",
      rules: [{ rule: anySelector, message: `a term has at least one of ${selectors.join(", ")}` }, ...exclusive],
    },
    [`${path}[].id`]: { description: "The id; it selects alone.", keywords: { pattern: id } },
    [`${path}[].tags`]: {
      description: 'Tags with their values, or "*" for any value.',
      keywords: { maxProperties: 20 },
      rules: [{ rule: "self.all(key, key != '' && self[key] != '')", message: "tags have a key and a value" }],
    },
  };
}

/** `field` excludes `others`. */
function alone(field: string, others: readonly string[]): CelRule {
  const beside = others.map((other) => `has(self.${other})`).join(" || ");
  return { rule: `!has(self.${field}) || !(${beside})`, message: `${field} selects without ${others.join(", ")}` };
}

function termFields(): Fields {
  const ami = "spec.amiSelectorTerms";
  const amiTerms = terms("amiSelectorTerms", {
    selectors: ["tags", "id", "name", "alias", "ssmParameter"],
    exclusive: [alone("id", ["alias", "tags", "name", "owner"]), alone("alias", ["tags", "name", "owner"])],
    id: "ami-[0-9a-z]+",
  });
  return {
    ...terms("subnetSelectorTerms", {
      selectors: ["tags", "id"],
      exclusive: [alone("id", ["tags"])],
      id: "subnet-[0-9a-z]+",
    }),
    ...terms("securityGroupSelectorTerms", {
      selectors: ["tags", "id", "name"],
      exclusive: [alone("id", ["tags", "name"]), alone("name", ["tags"])],
      id: "sg-[0-9a-z]+",
    }),
    "spec.securityGroupSelectorTerms[].name": { description: "The group's name; it selects alone." },
    ...terms("capacityReservationSelectorTerms", {
      selectors: ["tags", "id", "instanceMatchCriteria"],
      exclusive: [alone("id", ["tags", "ownerID", "instanceMatchCriteria"])],
      id: "^cr-[0-9a-z]+$",
    }),
    "spec.capacityReservationSelectorTerms[].ownerID": {
      description: "The account that owns the reservation.",
      keywords: { pattern: "^[0-9]{12}$" },
    },
    "spec.capacityReservationSelectorTerms[].instanceMatchCriteria": {
      description: "Whom the reservation is open to.",
    },
    ...amiTerms,
    [ami]: {
      ...amiTerms[ami],
      rules: [
        {
          rule: "size(self) == 1 || !self.exists(t, has(t.alias))",
          message: "an alias is the only term",
        },
      ],
    },
    [`${ami}[].alias`]: {
      description: "EKS's images of a family, as family@version, such as al2023@latest.",
      keywords: { maxLength: 30, pattern: "^((al2|al2023|bottlerocket)@.+|windows(2019|2022|2025)@latest)$" },
    },
    [`${ami}[].name`]: { description: "The image's name." },
    [`${ami}[].owner`]: { description: "The account that owns the image, or self or amazon." },
    [`${ami}[].ssmParameter`]: { description: "The SSM parameter that holds the image's id." },
  };
}

function machineFields(): Fields {
  const reserved = [tag.clusterName, tag.nodePool, tag.nodeClaim, tag.nodeClass];
  return {
    "spec.amiFamily": { description: "Who writes the user data, and which devices the image has." },
    "spec.role": { description: "The nodes' IAM role; an instance profile is made for it." },
    "spec.instanceProfile": { description: "The nodes' instance profile." },
    "spec.userData": { description: "User data to be merged with what the node needs." },
    "spec.tags": {
      description: "Tags of the instances and of what belongs to them.",
      // A rule each: all in one would cost more than the API server lets a rule cost.
      rules: [
        { rule: "self.all(key, key != '')", message: "tags have a key" },
        {
          rule: "self.all(key, !key.startsWith('kubernetes.io/cluster'))",
          message: "kubernetes.io/cluster/... is set on every instance",
        },
        ...reserved.map((key) => ({
          rule: `self.all(key, key != '${key}')`,
          message: `${key} is set on every instance`,
        })),
      ],
    },
    // Its fields are looked at by the controller, which tells on the class's status what is wrong with them.
    "spec.kubelet": {
      description: "Settings of the kubelet.",
      keywords: { properties: undefined, "x-kubernetes-preserve-unknown-fields": true },
    },
    "spec.metadataOptions": { description: "How the instances serve their metadata." },
    "spec.detailedMonitoring": { description: "Whether CloudWatch has the instances' metrics each minute." },
    "spec.cpuOptions": { description: "Options of the instances' processors." },
    "spec.cpuOptions.nestedVirtualization": { description: "Whether virtual machines run within the instances." },
    "spec.context": { description: "Reserved by EC2." },
    "spec.placementGroupSelector": {
      description: "The placement group of the instances.",
      rules: [{ rule: "has(self.name) != has(self.id)", message: "exactly one of name and id is set" }],
    },
    "spec.placementGroupSelector.name": { description: "The group's name." },
    "spec.placementGroupSelector.id": { description: "The group's id.", keywords: { pattern: "^pg-[0-9a-z]+$" } },
  };
}

function deviceFields(): Fields {
  const mapping = "spec.blockDeviceMappings";
  return {
    [mapping]: {
      description: "The instances' volumes.",
      rules: [
        {
          rule: "size(self.filter(m, has(m.rootVolume) && m.rootVolume)) <= 1",
          message: "at most one mapping is the root volume",
        },
      ],
    },
    [`${mapping}[].deviceName`]: { description: "The device, such as /dev/xvda." },
    [`${mapping}[].rootVolume`]: { description: "Whether pods' ephemeral storage is on this volume." },
    [`${mapping}[].ebs`]: {
      description: "The volume.",
      rules: [
        { rule: "has(self.snapshotID) || has(self.volumeSize)", message: "snapshotID or volumeSize is set" },
        {
          rule: "!has(self.volumeInitializationRate) || has(self.snapshotID) && self.snapshotID != ''",
          message: "beside volumeInitializationRate, snapshotID is set",
        },
      ],
    },
    [`${mapping}[].ebs.volumeSize`]: {
      description: "The size, such as 20Gi.",
      keywords: {
        type: "string",
        anyOf: undefined,
        "x-kubernetes-int-or-string": undefined,
        pattern: volumeSizePattern,
      },
    },
  };
}

function networkFields(): Fields {
  return {
    "spec.instanceStorePolicy": { description: "Whether local disks are joined and hold pods' ephemeral storage." },
    "spec.networkInterfaces": {
      description: "The instances' network interfaces; EC2's default without it.",
      rules: [
        {
          rule: "size(self) == 0 || self.exists(i, i.networkCardIndex == 0 && i.deviceIndex == 0 && i.interfaceType == 'interface')",
          message: "card 0, device 0 has an interface",
        },
        {
          rule: "self.all(i, self.exists_one(o, o.networkCardIndex == i.networkCardIndex && o.deviceIndex == i.deviceIndex))",
          message: "each card and device is there once",
        },
        {
          rule: "self.all(i, i.interfaceType != 'efa-only' || self.exists_one(o, o.networkCardIndex == i.networkCardIndex && o.interfaceType == 'efa-only'))",
          message: "a card has at most one interface of type efa-only",
        },
      ],
    },
    "spec.associatePublicIPAddress": {
      description: "Whether the instances have a public address; the subnet's default without it.",
    },
    "spec.ipPrefixCount": { description: "Address prefixes of each network interface." },
    "spec.connectionTracking": {
      description: "When EC2 forgets connections, in seconds.",
      rules: [
        {
          rule: "has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)",
          message: "at least one timeout is set",
        },
      ],
    },
  };
}
