import { describe, expect, it } from "vitest";
import type { Ports } from "../../../shared/ports.ts";
import { simulatedClock } from "../../../shared/simulator/clock-port.ts";
import { SimulatedEc2Port } from "../../../shared/simulator/ec2-port.ts";
import { SimulatedHintPort } from "../../../shared/simulator/hint-port.ts";
import { type CrashPlan, Invocation, InvocationKilled } from "../../../shared/simulator/invocation.ts";
import { invocationPorts } from "../../../shared/simulator/invocation-ports.ts";
import { RecordingTelemetry } from "../../../shared/simulator/telemetry-port.ts";
import { runRequest, simulatedEc2, startAt } from "../../support/simulated-aws.ts";

const absent = () => Promise.reject(new Error("not part of this test"));

function invoked(crashPlan?: CrashPlan) {
  const world = simulatedEc2();
  const { ec2, loop, random, queue } = world;
  const queues = {
    provisioning: queue({ name: "provisioning", fifo: true }),
    lifecycle: queue({ name: "lifecycle" }),
    termination: queue({ name: "termination" }),
    later: queue({ name: "later" }),
  };
  const telemetry = new RecordingTelemetry(() => loop.now());
  const ports: Ports = {
    kubernetes: { list: absent, get: absent, create: absent, patch: absent, delete: absent, evict: absent },
    ec2: new SimulatedEc2Port(ec2, "test"),
    cluster: { describe: absent },
    hints: new SimulatedHintPort(queues, "test", loop, random),
    clock: simulatedClock(loop, "outside"),
    telemetry,
  };
  const invocation = new Invocation("request-1", startAt + 60_000, crashPlan);
  return { ...world, queues, telemetry, invocation, ports: invocationPorts(ports, invocation) };
}

describe("invocationPorts", () => {
  it("passes calls through and knows the invocation's own clock", async () => {
    const { ports, settle, advance } = invoked();
    expect(await settle(ports.ec2.runInstances(runRequest()))).toHaveLength(1);
    await advance(10_000);
    expect(ports.clock.requestId()).toBe("request-1");
    expect(ports.clock.remainingMilliseconds()).toBe(startAt + 60_000 - ports.clock.now());
  });

  it("crashes before a call, which then has no effect", async () => {
    const { ports, ec2, settle } = invoked((_index, { phase }) => phase === "before");
    await expect(settle(ports.ec2.runInstances(runRequest()))).rejects.toThrow(InvocationKilled);
    expect(ec2.instances()).toEqual([]);
  });

  it("crashes after a call, whose effect stays and whose result is lost", async () => {
    const { ports, ec2, settle } = invoked((_index, { phase }) => phase === "after");
    await expect(settle(ports.ec2.runInstances(runRequest()))).rejects.toThrow(
      "crashed after call 0, ec2.runInstances",
    );
    expect(ec2.instances()).toHaveLength(1);
  });

  it("crashes after a call that failed, too", async () => {
    const { ports, ec2, settle } = invoked((_index, { phase }) => phase === "after");
    ec2.setCapacity({}, 0);
    await expect(settle(ports.ec2.runInstances(runRequest()))).rejects.toThrow(InvocationKilled);
  });

  it("shows the plan each call with its number, name and arguments", async () => {
    const calls: unknown[] = [];
    const { ports, settle } = invoked((index, { name, phase, args }) => {
      calls.push([index, name, phase, args.length]);
      return false;
    });
    await settle(ports.ec2.describeInstances({ by: "cluster" }));
    await settle(ports.hints.send({ kind: "lifecycle-sweep", at: 1 }));
    expect(calls).toEqual([
      [0, "ec2.describeInstances", "before", 1],
      [0, "ec2.describeInstances", "after", 1],
      [1, "hints.send", "before", 2],
      [1, "hints.send", "after", 2],
    ]);
  });

  it("lets a killed invocation do nothing more", async () => {
    const { ports, ec2, telemetry, invocation, settle } = invoked();
    const sleeping = ports.clock.sleep(1_000);
    invocation.kill("timed out");
    await expect(settle(sleeping)).rejects.toThrow(InvocationKilled);
    await expect(settle(ports.ec2.runInstances(runRequest()))).rejects.toThrow("timed out");
    await expect(settle(ports.kubernetes.get("Node", { name: "a" }))).rejects.toThrow(InvocationKilled);
    expect(() => ports.clock.now()).toThrow(InvocationKilled);
    ports.telemetry.count("Launches", 1);
    ports.telemetry.log("info", "ghost");
    expect(ec2.instances()).toEqual([]);
    expect(telemetry.total("Launches")).toBe(0);
    expect(telemetry.lines).toEqual([]);
  });

  it("records metrics and log lines of a living one", () => {
    const { ports, telemetry } = invoked();
    ports.telemetry.count("Launches", 1, { pool: "a" });
    ports.telemetry.count("Launches", 2, { pool: "b" });
    ports.telemetry.log("info", "launched", { count: 3 });
    expect(telemetry.total("Launches")).toBe(3);
    expect(telemetry.lines).toEqual([{ at: startAt, level: "info", message: "launched", fields: { count: 3 } }]);
  });
});

describe("SimulatedHintPort", () => {
  const sweep = { kind: "provision", reason: "sweep", at: 1 } as const;

  it("sends equal planner hints as messages of their own to the FIFO queue, and delayed ones to the waiting queue", async () => {
    const { ports, queues, settle } = invoked();
    await settle(ports.hints.send(sweep));
    await settle(ports.hints.send(sweep));
    await settle(ports.hints.send(sweep, { delaySeconds: 60 }));
    expect(queues.provisioning.bodies()).toEqual([JSON.stringify(sweep), JSON.stringify(sweep)]);
    expect(queues.later.bodies()).toEqual([JSON.stringify(sweep)]);
    expect(queues.later.receive(1)).toEqual([]);
  });

  it("sends other hints to their own queue, with their delay", async () => {
    const { ports, queues, settle, advance } = invoked();
    const step = { kind: "termination", nodeClaim: "a", step: 1, at: 1 } as const;
    await settle(ports.hints.send(step, { delaySeconds: 5 }));
    expect(queues.termination.receive(1)).toEqual([]);
    await advance(5_000);
    expect(queues.termination.receive(1)).toMatchObject([{ body: JSON.stringify(step) }]);
  });
});
