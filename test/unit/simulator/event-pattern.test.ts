import { describe, expect, it } from "vitest";
import { matchesPattern } from "../../../shared/simulator/event-pattern.ts";

const event = {
  source: "aws.ec2",
  "detail-type": "EC2 Instance State-change Notification",
  resources: ["arn:aws:ec2:us-east-1:123456789012:instance/i-1"],
  detail: { state: "stopping", attempts: 3, note: null, tags: [], nodes: [{ name: "a" }, { name: "b" }] },
};

describe("matchesPattern", () => {
  it.each([
    ["a value", { source: ["aws.health", "aws.ec2"] }],
    ["a nested value", { detail: { state: ["stopping"] } }],
    ["null", { detail: { note: [null] } }],
    ["a number", { detail: { attempts: [3] } }],
    ["one element of an array", { resources: [{ suffix: "/i-1" }] }],
    ["one object of an array", { detail: { nodes: { name: ["b"] } } }],
    ["a prefix", { source: [{ prefix: "aws." }] }],
    ["a prefix in any case", { source: [{ prefix: { "equals-ignore-case": "AWS." } }] }],
    ["equality in any case", { detail: { state: [{ "equals-ignore-case": "STOPPING" }] } }],
    ["a wildcard", { "detail-type": [{ wildcard: "EC2 * Notification" }] }],
    ["anything but a list", { detail: { state: [{ "anything-but": ["pending", "running"] }] } }],
    ["anything but a prefix", { detail: { state: [{ "anything-but": { prefix: "run" } }] } }],
    ["a range of numbers", { detail: { attempts: [{ numeric: [">", 2, "<=", 3] }] } }],
    ["presence", { detail: { state: [{ exists: true }] } }],
    ["absence", { detail: { reason: [{ exists: false }] } }],
    ["absence below an absent object", { extra: { reason: [{ exists: false }] } }],
    ["absence as an empty array", { detail: { tags: [{ exists: false }] } }],
    ["one of several patterns", { $or: [{ source: ["aws.health"] }, { detail: { state: ["stopping"] } }] }],
    ["one of several values or operators", { detail: { state: ["running", { prefix: "stop" }] } }],
  ])("matches %s", (_title, pattern) => {
    expect(matchesPattern(pattern, event)).toBe(true);
  });

  it.each([
    ["another value", { source: ["aws.health"] }],
    ["a number written as text", { detail: { attempts: ["3"] } }],
    ["a field that only one of two conditions fits", { source: ["aws.ec2"], detail: { state: ["running"] } }],
    ["an absent field by anything-but", { detail: { reason: [{ "anything-but": "x" }] } }],
    ["an excluded value", { detail: { state: [{ "anything-but": { suffix: ["ing", "ed"] } }] } }],
    ["presence of an object", { detail: [{ exists: true }] }],
    ["a number out of range", { detail: { attempts: [{ numeric: [">", 3] }] } }],
    ["text by a number's range", { detail: { state: [{ numeric: [">", 0] }] } }],
    ["none of several patterns", { $or: [{ source: ["x"] }, { source: ["y"] }] }],
  ])("does not match %s", (_title, pattern) => {
    expect(matchesPattern(pattern, event)).toBe(false);
  });

  it.each([
    ["a bare value", { source: "aws.ec2" }, "expected an array or an object"],
    ["an empty array", { source: [] }, "matches nothing"],
    ["an unknown operator", { source: [{ like: "a" }] }, 'unknown operator "like"'],
    ["a numeric operator without a number", { x: [{ numeric: [">", "1"] }] }, "expected a number"],
  ])("refuses %s", (_title, pattern, message) => {
    expect(() => matchesPattern(pattern, event)).toThrow(message);
  });
});
