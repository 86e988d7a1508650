import { describe, expect, it } from "vitest";
import { noDeliveryFaults } from "../../../shared/simulator/delivery.ts";
import { virtualTime } from "../../support/simulated-aws.ts";

const entry = (detail: string, changes = {}) => ({
  Source: "journeyman",
  DetailType: "PodsPending",
  Detail: detail,
  ...changes,
});

function busWithTarget() {
  const time = virtualTime();
  const bus = time.bus();
  const target = time.queue();
  bus.putRule({ name: "pending", pattern: { "detail-type": ["PodsPending"] }, target });
  return { ...time, bus, target };
}

describe("EventBus", () => {
  it("gives a matching rule's queue the whole envelope, tens of milliseconds later", async () => {
    const { bus, target, settle, advance } = busWithTarget();
    await settle(bus.putEvents([entry('{"pods":2}'), entry("{}", { DetailType: "Other" })]));
    expect(target.bodies()).toEqual([]);
    await advance(100);
    expect(target.bodies().map((body): unknown => JSON.parse(body))).toEqual([
      expect.objectContaining({
        version: "0",
        source: "journeyman",
        "detail-type": "PodsPending",
        account: "123456789012",
        region: "us-east-1",
        time: "2026-11-30T12:00:00Z",
        resources: [],
        detail: { pods: 2 },
      }),
    ]);
  });

  it("lets entries of one request fail alone", async () => {
    const { bus, settle } = busWithTarget();
    const noDetail = { Source: "journeyman", DetailType: "PodsPending" };
    const request = [entry("{}"), entry("no JSON"), noDetail, entry("{}", { Source: "aws.ec2" })];
    expect(await settle(bus.putEvents(request))).toMatchObject({
      FailedEntryCount: 3,
      Entries: [
        { EventId: expect.any(String) },
        { ErrorCode: "MalformedDetail" },
        { ErrorCode: "InvalidArgument" },
        { ErrorCode: "NotAuthorizedForSourceException" },
      ],
    });
  });

  it("refuses more than ten entries", async () => {
    const { bus, settle } = busWithTarget();
    await expect(settle(bus.putEvents(Array.from({ length: 11 }, () => entry("{}"))))).rejects.toThrow("1 to 10");
  });

  it("throttles the next entries when told to", async () => {
    const { bus, settle } = busWithTarget();
    bus.failNextEntries("ThrottlingException", 1);
    const result = await settle(bus.putEvents([entry("{}"), entry("{}")]));
    expect(result).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: "ThrottlingException" }, {}] });
  });

  it.each([
    ["loses", { loseChance: 1 }, 0],
    ["doubles", { duplicateChance: 1 }, 2],
  ])("%s events when told to", async (_title, faults, copies) => {
    const { bus, target, settle, advance } = busWithTarget();
    bus.faults = { ...noDeliveryFaults, ...faults };
    await settle(bus.putEvents([entry("{}")]));
    await advance(100);
    expect(target.bodies()).toHaveLength(copies);
  });

  it("delays events so that later ones overtake, when told to", async () => {
    const { bus, target, settle, advance } = busWithTarget();
    bus.faults = { ...noDeliveryFaults, delayChance: 0.5, maxExtraDelayMilliseconds: 60_000 };
    await settle(bus.putEvents(Array.from({ length: 10 }, (_, n) => entry(JSON.stringify({ n })))));
    await advance(61_000);
    const order = target.bodies().map((body) => /"n":(\d)/.exec(body)?.[1]);
    expect(order.toSorted()).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(order).not.toEqual(order.toSorted());
  });

  it("needs a message group for a FIFO target", () => {
    const { bus, queue } = busWithTarget();
    const target = queue({ name: "ordered", fifo: true });
    expect(() => bus.putRule({ name: "rule", pattern: { source: ["a"] }, target })).toThrow("needs a messageGroupId");
  });
});
