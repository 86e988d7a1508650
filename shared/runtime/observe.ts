import type { AccountPorts } from "../account-ports.ts";
import type { Kind } from "../api/kinds.ts";
import {
  type Ec2Port,
  type HintPort,
  type KubernetesPort,
  type ObjectReference,
  type Ports,
  ProviderError,
  type TelemetryPort,
} from "../ports.ts";
import { bound } from "./own-classes.ts";

/**
 * The ports of observe mode: everything can be read, and of all writes only Leases and ConfigMaps of our own namespace are done, so that
 * plans, the catalog and what was learned are as they would be. The other writes are logged, and answered as if they had been done; a
 * launch is denied. What Karpenter would count as well is counted under the dimension `mode`, so that nobody takes it for deeds.
 */
export function observing<P extends Ports>(ports: P, namespace: string): P {
  const telemetry = ofObserver(ports.telemetry);
  const undone = (what: string, fields: Readonly<Record<string, unknown>>) =>
    telemetry.log("info", `observe mode: not done: ${what}`, fields);
  return {
    ...ports,
    telemetry,
    kubernetes: readOnlyKubernetes(ports.kubernetes, namespace, undone),
    ec2: readOnlyEc2(ports.ec2, undone),
    hints: plannerHints(ports.hints),
    ...(hasAccount(ports) && { nodeClass: readOnlyProfiles(ports, undone) }),
  };
}

type Undone = (what: string, fields: Readonly<Record<string, unknown>>) => void;

function readOnlyKubernetes(port: KubernetesPort, namespace: string, undone: Undone): KubernetesPort {
  const isOurs = (kind: Kind, at?: string) => (kind === "Lease" || kind === "ConfigMap") && at === namespace;
  const name = ({ namespace: of, name: own }: ObjectReference) => (of === undefined ? own : `${of}/${own}`);
  return {
    ...bound(port),
    create: async (kind, object, options) => {
      const { metadata } = object;
      if (isOurs(kind, metadata.namespace)) return port.create(kind, object, options);
      undone(`create ${kind}`, { name: name(metadata) });
      return object;
    },
    patch: async (kind, reference, patch, options) => {
      if (isOurs(kind, reference.namespace)) return port.patch(kind, reference, patch, options);
      const current = await port.get(kind, reference);
      if (current === undefined)
        throw new ProviderError("NotFound", "NotFound", `${kind} ${name(reference)} is not there`);
      undone(`patch ${kind}`, { name: name(reference), subresource: options?.subresource });
      return current;
    },
    delete: async (kind, reference, options) => {
      if (isOurs(kind, reference.namespace)) return port.delete(kind, reference, options);
      undone(`delete ${kind}`, { name: name(reference) });
      return "deleted";
    },
    evict: async (reference) => {
      undone("evict Pod", { name: name(reference) });
      return { kind: "blocked", reason: "observe mode" };
    },
  };
}

function readOnlyEc2(port: Ec2Port, undone: Undone): Ec2Port {
  return {
    describeInstances: (filter) => port.describeInstances(filter),
    runInstances: async ({ instanceType, subnetId, capacityType, maxCount }) => {
      undone("run instances", { instanceType, subnetId, capacityType, maxCount });
      throw new ProviderError("Denied", "ObserveMode", "nothing is launched in observe mode");
    },
    terminateInstances: async (instanceIds) => undone("terminate instances", { instanceIds }),
    createTags: async (instanceIds) => undone("tag instances", { instanceIds }),
  };
}

function readOnlyProfiles({ nodeClass }: AccountPorts, undone: Undone): AccountPorts["nodeClass"] {
  return {
    subnets: (filters) => nodeClass.subnets(filters),
    securityGroups: (filters) => nodeClass.securityGroups(filters),
    images: (query) => nodeClass.images(query),
    parameter: (name) => nodeClass.parameter(name),
    capacityReservations: (query) => nodeClass.capacityReservations(query),
    placementGroup: (by) => nodeClass.placementGroup(by),
    instanceProfile: (name) => nodeClass.instanceProfile(name),
    instanceProfiles: (path) => nodeClass.instanceProfiles(path),
    createInstanceProfile: async ({ name }) => undone("create instance profile", { name }),
    addRole: async (name, role) => undone("add role to instance profile", { name, role }),
    deleteInstanceProfile: async (name) => undone("delete instance profile", { name }),
    dryRun: (request) => nodeClass.dryRun(request),
  };
}

/** Hints to plan again are of use; those that carry a deed on would come for ever, as none is done. */
function plannerHints(port: HintPort): HintPort {
  return {
    send: async (hint, options) => {
      if (hint.kind === "provision") await port.send(hint, options);
    },
  };
}

function ofObserver(port: TelemetryPort): TelemetryPort {
  return {
    count: (metric, value, dimensions) => {
      const isKarpenters = metric.startsWith("karpenter_");
      port.count(metric, value, isKarpenters ? { ...dimensions, mode: "observe" } : dimensions);
    },
    log: (level, message, fields) => port.log(level, message, { ...fields, mode: "observe" }),
  };
}

function hasAccount(ports: Ports | AccountPorts): ports is AccountPorts {
  return "nodeClass" in ports;
}
