import { describe, expect, it } from "vitest";
import { parseNotice } from "../../../shared/controllers/interruption-events.ts";

const at = Date.UTC(2026, 0, 27, 1, 43, 21);
const origin = { region: "us-east-1", accountId: "123456789012" };
const arn = "arn:aws:ec2:us-east-1:123456789012:instance/i-1234567890abcdef0";

function event(detailType: string, detail: unknown, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    version: "0",
    id: "12345678-1234-1234-1234-123456789012",
    "detail-type": detailType,
    source: "aws.ec2",
    account: "123456789012",
    time: "2026-01-27T01:43:21Z",
    region: "us-east-1",
    resources: [arn],
    detail,
    ...changes,
  };
}

function healthEvent(detail: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>> = {}) {
  const usual = { service: "EC2", eventTypeCategory: "scheduledChange", statusCode: "open", backupEvent: "false" };
  return event("AWS Health Event", { ...usual, ...detail }, { source: "aws.health", ...changes });
}

const spot = event("EC2 Spot Instance Interruption Warning", { "instance-id": "i-1", "instance-action": "terminate" });

describe("an interruption event", () => {
  it("of spot ends the machine two minutes after its time", () => {
    const notice = { reason: "spot-interruption", instanceIds: ["i-1"], at, deadlineAt: at + 120_000 };
    expect(parseNotice(spot, origin)).toEqual({ kind: "notice", notice });
  });

  it("of a capacity reservation says when, and may name its resources in one string", () => {
    const detail = { "instance-id": "i-1", "instance-termination-time": "2026-01-27T01:53:21Z" };
    const raw = event("EC2 Capacity Reservation Instance Interruption Warning", detail, { resources: `[${arn}]` });
    const notice = { reason: "capacity-reservation", instanceIds: ["i-1"], at, deadlineAt: at + 600_000 };
    expect(parseNotice(raw, origin)).toEqual({ kind: "notice", notice });
  });

  it("of a state counts when the instance is leaving", () => {
    const changed = (state: string) => event("EC2 Instance State-change Notification", { "instance-id": "i-1", state });
    expect(parseNotice(changed("shutting-down"), origin)).toMatchObject({
      notice: { reason: "instance-stopping", deadlineAt: at },
    });
    expect(parseNotice(changed("running"), origin)).toEqual({ kind: "dropped", reason: "state" });
  });

  it("of a rebalance recommendation has no deadline", () => {
    const raw = event("EC2 Instance Rebalance Recommendation", { "instance-id": "i-1" });
    expect(parseNotice(raw, origin)).toEqual({
      kind: "notice",
      notice: { reason: "rebalance", instanceIds: ["i-1"], at },
    });
  });

  it("of health names ids or ARNs, as entities or as resources", () => {
    const entities = healthEvent(
      { affectedEntities: [{ entityValue: arn }, { entityValue: "i-2" }] },
      { resources: [] },
    );
    expect(parseNotice(entities, origin)).toMatchObject({ notice: { instanceIds: ["i-1234567890abcdef0", "i-2"] } });
    expect(parseNotice(healthEvent({}, { resources: "i-3" }), origin)).toMatchObject({
      notice: { instanceIds: ["i-3"] },
    });
  });

  it("of health is dropped when it is a backup copy, closed, or of another service or category", () => {
    const reason = (detail: Readonly<Record<string, unknown>>) => parseNotice(healthEvent(detail), origin);
    expect(reason({ backupEvent: "true" })).toEqual({ kind: "dropped", reason: "health-backup" });
    expect(reason({ statusCode: "closed" })).toEqual({ kind: "dropped", reason: "health-closed" });
    expect(reason({ service: "RDS" })).toEqual({ kind: "dropped", reason: "health-category" });
    expect(reason({ eventTypeCategory: "issue" })).toEqual({ kind: "dropped", reason: "health-category" });
  });

  it("of another account, region, source or kind is dropped", () => {
    expect(parseNotice({ ...spot, account: "1" }, origin)).toEqual({ kind: "dropped", reason: "account" });
    expect(parseNotice({ ...spot, region: "eu-west-1" }, origin)).toEqual({ kind: "dropped", reason: "region" });
    expect(parseNotice({ ...spot, source: "evil.example" }, origin)).toEqual({
      kind: "dropped",
      reason: "unknown-event",
    });
    expect(parseNotice({ ...spot, "detail-type": "Something" }, origin)).toEqual({
      kind: "dropped",
      reason: "unknown-event",
    });
    expect(parseNotice("nonsense", origin)).toEqual({ kind: "dropped", reason: "unknown-event" });
  });
});
