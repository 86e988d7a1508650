import { describe, expect, it } from "vitest";
import { parseHintMessage } from "../../../shared/runtime/messages.ts";

function expectHint(message: unknown, expected: unknown): void {
  expect(parseHintMessage(JSON.stringify(message))).toEqual({ kind: "hint", hint: expected });
}

function expectMalformed(body: string): void {
  expect(parseHintMessage(body).kind).toBe("malformed");
}

describe("a hint in a queue message", () => {
  it("may be the body itself", () => {
    const hint = { kind: "termination", nodeClaim: "a", step: 3, at: 5 };
    expectHint(hint, hint);
  });

  it("may be the detail of an event from the webhook", () => {
    const detail = { kind: "provision", reason: "pods-pending", at: 5 };
    expectHint({ version: "0", source: "journeyman.webhook", "detail-type": "provision", detail }, detail);
  });

  it("is not believed from another source", () => {
    const detail = { kind: "provision", reason: "pods-pending", at: 5 };
    expectMalformed(JSON.stringify({ source: "somebody.else", "detail-type": "provision", detail }));
  });

  it("takes its time from the Scheduler, who only writes text", () => {
    expectHint(
      { kind: "provision", reason: "sweep", scheduledTime: "2026-01-01T00:01:00Z" },
      { kind: "provision", reason: "sweep", at: Date.parse("2026-01-01T00:01:00Z") },
    );
  });

  it("is made of an EC2 state change", () => {
    expectHint(
      {
        source: "aws.ec2",
        "detail-type": "EC2 Instance State-change Notification",
        time: "2026-01-01T00:00:00Z",
        detail: { "instance-id": "i-1", state: "terminated" },
      },
      { kind: "instance-changed", instanceId: "i-1", at: Date.parse("2026-01-01T00:00:00Z") },
    );
  });

  it("is missing from text, from other events and from unknown kinds", () => {
    expectMalformed("hello");
    expectMalformed("null");
    expectMalformed('{"source":"aws.s3","detail":{}}');
    expectMalformed('{"kind":"dance","at":1}');
  });
});
