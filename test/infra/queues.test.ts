import { describe, expect, it } from "vitest";
import { referenced, synthesize } from "../support/stack.ts";

const { resources, resource } = synthesize();
const queues = resources("AWS::SQS::Queue");
const deadLetterIds = new Set([
  ...queues.flatMap(([, { RedrivePolicy }]) => (RedrivePolicy ? [referenced(RedrivePolicy.deadLetterTargetArn)] : [])),
  ...resources("AWS::Events::Rule").flatMap(([, { Targets }]) =>
    Targets.map((target: { DeadLetterConfig: { Arn: object } }) => referenced(target.DeadLetterConfig.Arn)),
  ),
  ...resources("AWS::Scheduler::Schedule").map(([, { Target }]) => referenced(Target.DeadLetterConfig.Arn)),
]);

describe("every queue", () => {
  it("has a dead-letter queue of its own kind, or is one", () => {
    for (const [id, { RedrivePolicy, FifoQueue }] of queues) {
      if (deadLetterIds.has(id)) continue;
      const deadLetters = Object.fromEntries(queues)[referenced(RedrivePolicy.deadLetterTargetArn)];
      expect(deadLetters?.FifoQueue, id).toBe(FifoQueue);
      expect(deadLetters?.MessageRetentionPeriod, id).toBe(14 * 86_400);
    }
    expect(deadLetterIds.size).toBe(6);
  });

  it("rings an alarm when its dead letters are not empty", () => {
    const watched = resources("AWS::CloudWatch::Alarm").flatMap(([, { Dimensions, MetricName }]) =>
      MetricName === "ApproximateNumberOfMessagesVisible" ? [Dimensions[0].Value["Fn::GetAtt"][0]] : [],
    );
    expect(new Set(watched)).toEqual(deadLetterIds);
  });

  it("is encrypted and refuses plain HTTP", () => {
    const secured = resources("AWS::SQS::QueuePolicy").flatMap(([, { PolicyDocument, Queues }]) =>
      PolicyDocument.Statement.some(
        ({ Effect, Condition }: { Effect: string; Condition?: { Bool?: object } }) =>
          Effect === "Deny" && JSON.stringify(Condition?.Bool) === '{"aws:SecureTransport":"false"}',
      )
        ? Queues.map(referenced)
        : [],
    );
    for (const [id, { SqsManagedSseEnabled }] of queues) {
      expect(SqsManagedSseEnabled, id).toBe(true);
      expect(secured, id).toContain(id);
    }
  });

  it("hides a message for at least as long as its reader may run", () => {
    const mappings = resources("AWS::Lambda::EventSourceMapping");
    expect(mappings).toHaveLength(5);
    for (const [id, { EventSourceArn, FunctionName }] of mappings) {
      const { VisibilityTimeout } = Object.fromEntries(queues)[referenced(EventSourceArn)] ?? {};
      const { Timeout } = Object.fromEntries(resources("AWS::Lambda::Function"))[referenced(FunctionName)] ?? {};
      expect(VisibilityTimeout, id).toBeGreaterThanOrEqual(Timeout);
    }
  });
});

describe("the provisioning queue", () => {
  const provisioning = resource("AWS::SQS::Queue", "provisioningqueueQueue");

  it("is FIFO with the numbers of the design", () => {
    expect(provisioning).toMatchObject({
      FifoQueue: true,
      ContentBasedDeduplication: true,
      VisibilityTimeout: 70,
      RedrivePolicy: { maxReceiveCount: 3 },
    });
    expect(resource("AWS::Lambda::Function", "provisioning")).toMatchObject({ Timeout: 60 });
  });

  it("gets every message in one group, so that one pass runs at a time", () => {
    const isProvisioning = (arn: object) => referenced(arn).startsWith("provisioningqueueQueue");
    const fromRules = resources("AWS::Events::Rule").flatMap(([, { Targets }]) => Targets);
    const fromSchedules = resources("AWS::Scheduler::Schedule").map(([, { Target }]) => Target);
    const groups = [...fromRules, ...fromSchedules]
      .filter(({ Arn }) => isProvisioning(Arn))
      .map(({ SqsParameters }) => SqsParameters.MessageGroupId);
    expect(groups).toEqual(["planner", "planner"]);
  });
});

describe("every reader", () => {
  it("takes ten messages at once and reports the failed ones alone", () => {
    for (const [id, mapping] of resources("AWS::Lambda::EventSourceMapping")) {
      expect(mapping, id).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ["ReportBatchItemFailures"] });
      // A window would delay low traffic by up to 20 seconds.
      expect(mapping.MaximumBatchingWindowInSeconds, id).toBeUndefined();
    }
  });
});
