import { describe, expect } from "vitest";
import { formatTime } from "../../../shared/api/time.ts";
import { classifyEc2Error } from "../../../shared/cloud/ec2-errors.ts";
import { lifecycle } from "../../../shared/controllers/lifecycle.ts";
import { provision } from "../../../shared/controllers/provisioning.ts";
import { allowance } from "../../../shared/disruption/budgets.ts";
import type { Hint } from "../../../shared/hints.ts";
import { ProviderError } from "../../../shared/ports.ts";
import { hintHandler } from "../../../shared/runtime/lambda.ts";
import { nodeNamed, podNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, controllerWorld, startAt } from "../../support/controller-world.ts";
import { lambdaContext, sqsEvent } from "../../support/lambda.ts";
import { isGoing } from "../../support/lifecycle.ts";
import { nodePool } from "../../support/node-pools.ts";
import { addNodePool, addPendingPod, hintAt, type PlannerWorld, plannerWorld } from "../../support/planner-world.ts";
import { referenced, synthesize } from "../../support/stack.ts";
import { apply, eightPods, secondsToRest, wholeStack } from "../../support/whole-stack.ts";

const { resources } = synthesize();

/** What a function's handler finds in its sandbox, with the ports of a cluster of its own. */
function controllerRuntime() {
  const { ports, settings, telemetry, sent } = controllerWorld();
  return { runtime: () => ({ settings, telemetry, flush: () => {}, ports: () => ports }), sent };
}

describe("queues and rules", () => {
  conforms(
    "B7.02 2 valid + 1 malformed JSON -> 0 processed, loops -> only the bad one fails; maxReceiveCount default 3-5 + DLQ + alarm. (Partial-batch mode drops poller backoff.) [GHR#5215]",
    async () => {
      const { runtime } = controllerRuntime();
      const seen: Hint[] = [];
      const handler = hintHandler(runtime, async (_ports, _settings, hints) => seen.push(...hints));
      const hint = JSON.stringify({ kind: "node", name: "n1", at: 1 });
      const response = await handler(sqsEvent(hint, "{ nonsense", hint), lambdaContext());
      expect(seen).toHaveLength(2);
      expect(response?.batchItemFailures).toEqual([{ itemIdentifier: "m1" }]);

      const queues = resources("AWS::SQS::Queue");
      const alarmed = resources("AWS::CloudWatch::Alarm").flatMap(([, { Dimensions = [] }]) =>
        Dimensions.flatMap(({ Value }: { Value: object }) => referenced(Value)),
      );
      const working = queues.filter(([, { RedrivePolicy }]) => RedrivePolicy !== undefined);
      expect(working).toHaveLength(5);
      for (const [id, { RedrivePolicy }] of working) {
        expect([3, 5], id).toContain(RedrivePolicy.maxReceiveCount);
        expect(alarmed, id).toContain(referenced(RedrivePolicy.deadLetterTargetArn));
      }
    },
  );

  conforms(
    "B7.10 Rule target w/o DLQ: drops after 185 tries/24 h or at once on permission error -> target DLQ + alarm. [cloudposse/terraform-aws-cloudwatch-events#46, aws/aws-cdk#25423; AWS docs for 185/24 h]. Rule retry covers delivery only; a Lambda that throws has its own 2 async retries, so prefer rule -> SQS",
    () => {
      const alarmed = resources("AWS::CloudWatch::Alarm").flatMap(([, { Dimensions = [] }]) =>
        Dimensions.flatMap(({ Value }: { Value: object }) => referenced(Value)),
      );
      const queues = new Set(resources("AWS::SQS::Queue").map(([id]) => id));
      const targets = resources("AWS::Events::Rule").flatMap(([id, { Targets }]) =>
        Targets.map((target: { Arn: object; DeadLetterConfig?: { Arn: object } }) => [id, target] as const),
      );
      expect(targets.length).toBeGreaterThan(5);
      for (const [id, { DeadLetterConfig }] of targets) {
        expect(alarmed, id).toContain(referenced(DeadLetterConfig?.Arn ?? {}));
      }
      // All events go to a queue, but for that of a class: the function looks at all classes each minute anyway.
      const direct = targets.filter(([, { Arn }]) => !queues.has(referenced(Arn)));
      expect(direct.map(([id]) => id.replace(/[0-9A-F]{8}$/, ""))).toEqual(["EventsNodeClassesChanged"]);
      for (const [id, { Target }] of resources("AWS::Scheduler::Schedule")) {
        expect(alarmed, id).toContain(referenced(Target.DeadLetterConfig?.Arn ?? {}));
      }
    },
  );

  conforms(
    "B7.14 128 MB Lambda too small -> OOM at parse. [GHR#3266]; cold start > sender timeout and sender never retries -> sender gets its 2xx from EventBridge/API, not Lambda. [probot/adapter-aws-lambda-serverless#29]",
    () => {
      const functions = resources("AWS::Lambda::Function").filter(([, { Environment }]) => Environment !== undefined);
      expect(functions.length).toBeGreaterThanOrEqual(8);
      for (const [id, { MemorySize }] of functions) expect(MemorySize, id).toBeGreaterThanOrEqual(256);
      // Whoever sends sends to a queue or a bus. No function answers a caller.
      expect(resources("AWS::Lambda::Url")).toEqual([]);
      expect(resources("AWS::ApiGateway::RestApi")).toEqual([]);
      const queues = new Set(resources("AWS::SQS::Queue").map(([id]) => id));
      const mappings = resources("AWS::Lambda::EventSourceMapping");
      expect(mappings).toHaveLength(5);
      for (const [id, { EventSourceArn }] of mappings) expect(queues, id).toContain(referenced(EventSourceArn));
    },
  );
});

conforms(
  "B7.05 InsufficientInstanceCapacity missing from retry list -> event dropped -> classify table with default retry. [GHR#2926]",
  async () => {
    expect(classifyEc2Error("InsufficientInstanceCapacity")).toMatchObject({ known: true, effect: "next-offering" });
    expect(classifyEc2Error("SomethingOfNextYear")).toMatchObject({ known: false, effect: "resolve" });
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    world.aws.faults.failNext("RunInstances", "SomethingOfNextYear");
    await world.provision();
    expect(world.living()).toEqual([]);
    expect(world.telemetry.total("journeyman_unknown_ec2_errors_total")).toBe(1);
    const retry = world.sent.at(-1);
    expect(retry?.hint).toMatchObject({ kind: "provision", reason: "retry" });
    await world.advance(retry?.delaySeconds ?? 0);
    await world.provision();
    expect(world.living()).toHaveLength(1);
  },
);

/** A pass in a cluster of so many nodes at the most. */
async function provisionWithin(world: PlannerWorld, maxNodes: number): Promise<void> {
  await world.settle(provision(world.ports, { ...world.settings, maxNodes }, [hintAt(world.now())]));
  await world.advance(60);
}

conforms(
  "B7.06 max 100, pool 40; second function doesn't count -> 300+ -> one atomic counter for all paths. [GHR#5186, #3469]; pending + running counted twice -> under-provision. [GHR#4983]",
  async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 2 });
    addNodePool(world, "general");
    for (let index = 0; index < 6; index++) addPendingPod(world, `web-${index}`, { pool: "general" });
    await provisionWithin(world, 5);
    await provisionWithin(world, 5);
    // Whatever a node is for, it counts, and once: two for the static NodePool, three for pods.
    expect(world.claims()).toHaveLength(5);
    expect(world.living()).toHaveLength(5);
    expect(world.telemetry.total("journeyman_limit_reached_total")).toBeGreaterThan(0);
    for (const { status } of world.claims()) {
      const spec = { providerID: status?.providerID ?? "" };
      world.server.create("Node", nodeNamed(`node-${spec.providerID.split("/").at(-1)}`, { spec, cpu: "1900m" }));
    }
    // A claim and its node are one: there is room for just the sixth.
    await provisionWithin(world, 6);
    expect(world.living()).toHaveLength(6);
  },
);

conforms(
  'B7.07 The same event twice, 1 s apart and 6 min apart -> 1 launch. [CDKGH#380, #382]; legit retry with the same id must not be refused as "already exists". [CDKGH#607]',
  async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    const hint = hintAt(world.now(), "pods-pending");
    await world.provision([hint]);
    await world.advance(1);
    await world.provision([hint]);
    await world.advance(360);
    await world.provision([hint]);
    await world.provision([{ ...hint, at: world.now() }]);
    expect(world.requests).toHaveLength(1);
    expect(world.living()).toHaveLength(1);

    // A pass that got as far as the claim is taken up by the next, under the same name.
    const cut = plannerWorld();
    addNodePool(cut, "default");
    addPendingPod(cut, "web");
    cut.aws.faults.failNext("RunInstances", "RequestLimitExceeded");
    await cut.provision();
    const [claim] = cut.claims();
    await cut.advance(30);
    await cut.provision();
    expect(cut.claims().map(({ metadata }) => metadata.name)).toEqual([claim?.metadata.name]);
    expect(cut.living()).toHaveLength(1);
  },
);

conforms(
  "B7.08 Event lost before queue -> nothing ever -> sweep of pending pods each minute. [GHR#2689, CDKGH#225, #974 (accepted-work table with TTL and a cap of 3)]",
  async () => {
    const world = wholeStack({ withoutWebhook: true });
    apply(world, eightPods);
    expect(await secondsToRest(world, { pods: 8, claims: 4 }, 600)).toBeLessThan(300);
    const sweeps = resources("AWS::Scheduler::Schedule").filter(([, { ScheduleExpression, Target }]) => {
      return ScheduleExpression === "rate(1 minute)" && String(Target.Input).includes('"reason":"sweep"');
    });
    expect(sweeps).toHaveLength(1);
  },
);

conforms(
  "B7.13 Per-message DescribeInstances at 20K/day adds 15+ s throttling -> one describe per invocation, cached. [GHR#4983, #4710]",
  async () => {
    const world = controllerWorld();
    const names = Array.from({ length: 5 }, (_, index) => `c${index}`);
    for (const name of names) addClaim(world, name);
    world.ec2.end("i-c0");
    const asked: (readonly string[])[] = [];
    const { ec2 } = world;
    const describeInstances: typeof ec2.describeInstances = (filter) => {
      asked.push(filter.by === "ids" ? filter.instanceIds : []);
      return ec2.describeInstances(filter);
    };
    const others = ["i-foreign-1", "i-foreign-2"];
    const hints = [...names.map((name) => `i-${name}`), ...others, "i-c0"].map(
      (instanceId): Hint => ({ kind: "instance-changed", instanceId, at: world.now() }),
    );
    const counting = Object.assign(Object.create(ec2), { describeInstances });
    await lifecycle({ ...world.ports, ec2: counting }, world.settings, hints);
    expect(asked.map((ids) => ids.toSorted())).toEqual([names.map((name) => `i-${name}`)]);
    expect(names.map((name) => isGoing(world, name))).toEqual([true, false, false, false, false]);
    // The account's other instances cost nothing at all.
    await lifecycle({ ...world.ports, ec2: counting }, world.settings, hints.slice(5, 7));
    expect(asked).toHaveLength(1);
  },
);

conforms(
  "B7.17 Lambda clock/lease: holder frozen 40 s, lease 30 s lapses, second starts, first wakes -> fencing token check before RunInstances. [K; paperclipinc/karpenter-provider-hetzner#53 shape]",
  async () => {
    const world: PlannerWorld = plannerWorld({
      afterCall: (verb, kind) => {
        if (!verb.startsWith("create") || kind !== "NodeClaim") return;
        // Frozen for so long that another has taken the Lease over.
        const renewTime = formatTime(world.now()).replace("Z", "000Z");
        const spec = { holderIdentity: "second", renewTime };
        world.server.patch("Lease", { name: "journeyman-planner", namespace: "journeyman" }, { spec });
      },
    });
    addNodePool(world, "default");
    addPendingPod(world, "web");
    await world.provision();
    expect(world.claims()).toHaveLength(1);
    expect(world.requests).toEqual([]);
    // Nor does it take the Lease from its new holder when it ends.
    const lease = world.server.get("Lease", { name: "journeyman-planner", namespace: "journeyman" });
    expect(lease?.spec.holderIdentity).toBe("second");
  },
);

conforms(
  "B7.18 429/5xx from API server in outage: SQS retries all at once -> jitter + breaker; messages not burned to DLQ. [NTH#1284 shape]",
  async () => {
    let isDown = false;
    const world = wholeStack({
      kubernetesFaults: {
        beforeCall: () => {
          if (isDown) throw new ProviderError("Throttled", "TooManyRequests", "the API server is overloaded");
        },
      },
    });
    apply(world, eightPods);
    await secondsToRest(world, { pods: 8, claims: 4 }, 600);
    // Something to do for each function: a node goes, while the API server is down for ten minutes.
    const [claim] = world.cluster.server.list("NodeClaim");
    world.cluster.server.delete("NodeClaim", { name: claim?.metadata.name ?? "" });
    isDown = true;
    await world.loop.runUntil(world.loop.now() + 600_000);
    isDown = false;
    expect(await secondsToRest(world, { pods: 8, claims: 4 }, 600)).toBeLessThan(600);
    expect(world.messaging.deadLetters.map((queue) => queue.receive(10).length)).toEqual([0, 0, 0, 0, 0]);

    // What is tried again comes at different times.
    const { runtime, sent } = controllerRuntime();
    const broken = () => Promise.reject(new ProviderError("Unknown", "ServiceUnavailable", "503"));
    const handler = hintHandler(runtime, broken, { onFailure: "send-again" });
    const bodies = Array.from({ length: 10 }, (_, index) =>
      JSON.stringify({ kind: "node", name: `n${index}`, at: startAt }),
    );
    expect(await handler(sqsEvent(...bodies), lambdaContext())).toEqual({ batchItemFailures: [] });
    expect(sent).toHaveLength(10);
    expect(new Set(sent.map(({ delaySeconds }) => delaySeconds)).size).toBeGreaterThan(3);
  },
);

conforms(
  'B7.20 Tick is not on second 0 and may be several seconds late -> budgets/windows computed from the event\'s own time, not from "minute boundary". [laravel/vapor-core#167, AWS docs]',
  () => {
    const budgets = [{ nodes: "0", schedule: "0 9 * * *", duration: "1h" }];
    const { spec, ...others } = nodePool();
    const pool = { ...others, spec: { ...spec, disruption: { ...spec.disruption, budgets } } };
    const at = (time: string) =>
      allowance(pool, "Empty", { total: 10, unavailable: 0 }, Date.parse(`2026-12-01T${time}Z`)).nodes;
    const open = Number.POSITIVE_INFINITY;
    expect(["08:59:59.9", "09:00:00", "09:00:07", "09:59:59.9", "10:00:03"].map(at)).toEqual([open, 0, 0, 0, open]);
  },
);

conforms(
  "B8.07 An ADMISSION webhook on pod CREATE fires before scheduling; a pod that fits existing nodes -> needless launch -> delay + verify condition; a pods/status admission hook adds load to all kubelets -> watch is better. [K; KS#3121 shape]",
  async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    const hint = () => [hintAt(world.now(), "pods-pending")];
    // The scheduler has not looked at it yet.
    world.server.create("Pod", podNamed("fresh", { cpu: "1500m" }));
    await world.provision(hint());
    expect(world.claims()).toEqual([]);
    // It has found no node, but one has room by now.
    world.server.create(
      "Node",
      nodeNamed("roomy", { labels: { "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" } }),
    );
    const ready = [{ type: "Ready", status: "True", lastTransitionTime: formatTime(startAt) }];
    world.server.patch("Node", { name: "roomy" }, { status: { conditions: ready } }, { subresource: "status" });
    addPendingPod(world, "web");
    await world.advance(5);
    await world.provision(hint());
    expect(world.claims()).toEqual([]);
    for (const name of ["second", "third"]) addPendingPod(world, name);
    await world.advance(5);
    await world.provision(hint());
    expect(world.claims()).toHaveLength(1);
  },
);
