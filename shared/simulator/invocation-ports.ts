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

function kubernetesOf(port: KubernetesPort, invocation: Invocation): KubernetesPort {
  return {
    list: (kind, options) => invocation.call("kubernetes.list", [kind, options], () => port.list(kind, options)),
    get: (kind, reference) => invocation.call("kubernetes.get", [kind, reference], () => port.get(kind, reference)),
    create: (kind, object) => invocation.call("kubernetes.create", [kind, object], () => port.create(kind, object)),
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
