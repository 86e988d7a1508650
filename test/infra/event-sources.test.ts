import { describe, expect, it } from "vitest";
import { synthesize } from "../support/stack.ts";

const { resources, resource } = synthesize();

describe("rules", () => {
  const rules = resources("AWS::Events::Rule");

  it("on the cluster's bus take hints from the webhook alone, by kind", () => {
    const own = rules.filter(([, { EventBusName }]) => EventBusName !== undefined);
    expect(own.map(([, { EventPattern }]) => EventPattern)).toEqual([
      { source: ["journeyman.webhook"], "detail-type": ["provision"], detail: { kind: ["provision"] } },
      {
        source: ["journeyman.webhook"],
        "detail-type": ["node", "node-claim", "node-pool", "lifecycle-sweep"],
        detail: { kind: ["node", "node-claim", "node-pool", "lifecycle-sweep"] },
      },
      { source: ["journeyman.webhook"], "detail-type": ["node-class"], detail: { kind: ["node-class"] } },
    ]);
  });

  it("on the default bus take notices of this account alone", () => {
    const foreign = rules.filter(([, { EventBusName }]) => EventBusName === undefined);
    expect(foreign).toHaveLength(6);
    for (const [id, { EventPattern }] of foreign) {
      expect(EventPattern.account, id).toEqual(["111122223333"]);
      expect(["aws.ec2", "aws.health"], id).toContain(EventPattern.source[0]);
    }
  });

  it("take of state changes only those at an instance's end", () => {
    expect(resource("AWS::Events::Rule", "EventsInstanceStateChange").EventPattern.detail).toEqual({
      state: ["stopping", "stopped", "shutting-down", "terminated"],
    });
  });

  it("let events die after ten minutes at the most", () => {
    for (const [id, { Targets }] of rules) {
      expect(Targets[0].RetryPolicy.MaximumEventAgeInSeconds, id).toBeLessThanOrEqual(600);
    }
  });
});

describe("schedules", () => {
  const schedules = resources("AWS::Scheduler::Schedule");

  it("tick each minute for the two sweeps and the three direct functions", () => {
    expect(schedules.map(([, { ScheduleExpression }]) => ScheduleExpression)).toEqual(Array(5).fill("rate(1 minute)"));
  });

  it("put their time into the sweep, or deduplication would swallow it", () => {
    expect(JSON.parse(resource("AWS::Scheduler::Schedule", "EventsSweep").Target.Input)).toEqual({
      kind: "provision",
      reason: "sweep",
      scheduledTime: "<aws.scheduler.scheduled-time>",
    });
  });
});
