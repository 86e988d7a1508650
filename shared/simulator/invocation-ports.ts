import type { AccountPorts, CatalogPort, NodeClassPort } from "../account-ports.ts";
import type { ClockPort, Ec2Port, HintPort, KubernetesPort, Ports, TelemetryPort } from "../ports.ts";
import type { Invocation } from "./invocation.ts";

/** The ports as one invocation may use them: until it is killed, with crashes before and after each call that leaves the process. */
export function invocationPorts(ports: Ports, invocation: Invocation): Ports {
  return {
    kubernetes: kubernetesOf(ports.kubernetes, invocation),
    ec2: ec2Of(ports.ec2, invocation),
    cluster: { describe: () => invocation.call("cluster.describe", [], () => ports.cluster.describe()) },
    hints: hintsOf(ports.hints, invocation),
    clock: clockOf(ports.clock, invocation),
    telemetry: telemetryOf(ports.telemetry, invocation),
  };
}

/** The same for the function that reads the account. */
export function accountInvocationPorts(ports: AccountPorts, invocation: Invocation): AccountPorts {
  return {
    ...invocationPorts(ports, invocation),
    catalog: catalogOf(ports.catalog, invocation),
    nodeClass: nodeClassOf(ports.nodeClass, invocation),
  };
}

function nodeClassOf(port: NodeClassPort, invocation: Invocation): NodeClassPort {
  const call = <T>(name: string, args: readonly unknown[], effect: () => Promise<T>) =>
    invocation.call(`node-class.${name}`, args, effect);
  return {
    subnets: (filters) => call("subnets", [filters], () => port.subnets(filters)),
    securityGroups: (filters) => call("securityGroups", [filters], () => port.securityGroups(filters)),
    images: (query) => call("images", [query], () => port.images(query)),
    parameter: (name) => call("parameter", [name], () => port.parameter(name)),
    capacityReservations: (query) => call("capacityReservations", [query], () => port.capacityReservations(query)),
    placementGroup: (by) => call("placementGroup", [by], () => port.placementGroup(by)),
    instanceProfile: (name) => call("instanceProfile", [name], () => port.instanceProfile(name)),
    instanceProfiles: (path) => call("instanceProfiles", [path], () => port.instanceProfiles(path)),
    createInstanceProfile: (profile) =>
      call("createInstanceProfile", [profile], () => port.createInstanceProfile(profile)),
    addRole: (profile, role) => call("addRole", [profile, role], () => port.addRole(profile, role)),
    deleteInstanceProfile: (name) => call("deleteInstanceProfile", [name], () => port.deleteInstanceProfile(name)),
    dryRun: (request) => call("dryRun", [request], () => port.dryRun(request)),
  };
}

function catalogOf(port: CatalogPort, invocation: Invocation): CatalogPort {
  return {
    zones: () => invocation.call("catalog.zones", [], () => port.zones()),
    instanceTypes: () => invocation.call("catalog.instanceTypes", [], () => port.instanceTypes()),
    zonesByType: () => invocation.call("catalog.zonesByType", [], () => port.zonesByType()),
    onDemandPrices: () => invocation.call("catalog.onDemandPrices", [], () => port.onDemandPrices()),
    spotPrices: () => invocation.call("catalog.spotPrices", [], () => port.spotPrices()),
    placementScores: (request) =>
      invocation.call("catalog.placementScores", [request], () => port.placementScores(request)),
  };
}

function kubernetesOf(port: KubernetesPort, invocation: Invocation): KubernetesPort {
  return {
    list: (kind, options) => invocation.call("kubernetes.list", [kind, options], () => port.list(kind, options)),
    get: (kind, reference) => invocation.call("kubernetes.get", [kind, reference], () => port.get(kind, reference)),
    create: (kind, object, options) =>
      invocation.call("kubernetes.create", [kind, object], () => port.create(kind, object, options)),
    patch: (kind, reference, patch, options) =>
      invocation.call("kubernetes.patch", [kind, reference, patch, options], () =>
        port.patch(kind, reference, patch, options),
      ),
    delete: (kind, reference, options) =>
      invocation.call("kubernetes.delete", [kind, reference, options], () => port.delete(kind, reference, options)),
    evict: (reference, options) =>
      invocation.call("kubernetes.evict", [reference, options], () => port.evict(reference, options)),
  };
}

function ec2Of(port: Ec2Port, invocation: Invocation): Ec2Port {
  return {
    runInstances: (request) => invocation.call("ec2.runInstances", [request], () => port.runInstances(request)),
    describeInstances: (filter) =>
      invocation.call("ec2.describeInstances", [filter], () => port.describeInstances(filter)),
    terminateInstances: (instanceIds) =>
      invocation.call("ec2.terminateInstances", [instanceIds], () => port.terminateInstances(instanceIds)),
    createTags: (instanceIds, tags) =>
      invocation.call("ec2.createTags", [instanceIds, tags], () => port.createTags(instanceIds, tags)),
  };
}

function hintsOf(port: HintPort, invocation: Invocation): HintPort {
  return { send: (hint, options) => invocation.call("hints.send", [hint, options], () => port.send(hint, options)) };
}

/** Reading the clock is no call to the world and never crashes; a sleep that outlives its invocation does not return. */
function clockOf(port: ClockPort, invocation: Invocation): ClockPort {
  return {
    now() {
      invocation.assertAlive();
      return port.now();
    },
    async sleep(milliseconds) {
      invocation.assertAlive();
      await port.sleep(milliseconds);
      invocation.assertAlive();
    },
    remainingMilliseconds: () => Math.max(0, invocation.deadlineAt - port.now()),
    requestId: () => invocation.requestId,
  };
}

/** Lines of a dead invocation would never reach the log. */
function telemetryOf(port: TelemetryPort, invocation: Invocation): TelemetryPort {
  return {
    count(metric, value, dimensions) {
      if (invocation.killed === undefined) port.count(metric, value, dimensions);
    },
    log(level, message, fields) {
      if (invocation.killed === undefined) port.log(level, message, fields);
    },
  };
}
