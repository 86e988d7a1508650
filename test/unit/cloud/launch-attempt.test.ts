import { describe, expect, it } from "vitest";
import { launchGroups } from "../../../shared/cloud/launch-groups.ts";
import { advance, openSituation } from "../../../shared/cloud/launch-progress.ts";
import type { LaunchRequests, LaunchSituation, LaunchStep } from "../../../shared/cloud/launch-situation.ts";
import { nextLaunchStep } from "../../../shared/cloud/launch-steps.ts";
import type { RankedOffering } from "../../../shared/cloud/ranking.ts";
import { fullBudget } from "../../../shared/cloud/request-budget.ts";
import { launchRequests } from "../../../shared/cloud/run-instances.ts";
import { unavailableKey } from "../../../shared/cloud/unavailable-offerings.ts";
import { launchContext, offering, requestsOfDefaultClass } from "../../support/launches.ts";
import { nodeClaim } from "../../support/node-claims.ts";

const first = offering("m5.large/z1/spot", 1);
const near = offering("c5.large/z1/spot", 1.1);
const alsoNear = offering("r5.large/z1/spot", 1.14);
const far = offering("r5.large/z2/spot", 2);

type Options = Partial<Pick<LaunchSituation, "budget" | "spreadRoom">>;

function opened(
  names: readonly string[],
  offerings: readonly RankedOffering[],
  options: Options = {},
): LaunchSituation {
  const claims = names.map((name) => ({ nodeClaim: nodeClaim(name), offerings }));
  const [group] = launchGroups(claims, { clusterName: "shop" }).groups;
  if (group === undefined) throw new Error("no group");
  return openSituation(group, [], 0, options);
}

/** After the first offering was refused. */
function refusedOnce(
  names: readonly string[],
  offerings: readonly RankedOffering[],
  options: Options,
): LaunchSituation {
  const opening = opened(names, offerings, options);
  const sent = advance(opening, nextLaunchStep(opening, requestsOfDefaultClass), { kind: "performed" }, 0);
  const outcome = { kind: "refused", code: "InsufficientInstanceCapacity", message: "" } as const;
  const refused = { ...sent, outcome };
  return advance(refused, nextLaunchStep(refused, requestsOfDefaultClass), { kind: "performed" }, 0);
}

function recordOf(situation: LaunchSituation, requests: LaunchRequests = requestsOfDefaultClass) {
  const step = nextLaunchStep(situation, requests);
  return step.kind === "write-record" ? step.record : step;
}

function roomOf(rooms: Readonly<Record<string, number>>) {
  return ({ instanceType, zone }: RankedOffering) => rooms[`${instanceType}/${zone}`] ?? 0;
}

describe("the next attempt of a launch", () => {
  it("takes what was planned first, whatever the spread over spot pools says", () => {
    const situation = opened(["a", "b"], [first, near], { spreadRoom: () => 0 });
    expect(recordOf(situation)).toMatchObject({ instanceType: "m5.large", count: 2 });
  });

  it("falls back on a near offering with room under the spread, and on no more than there is", () => {
    const spreadRoom = roomOf({ "r5.large/z1": 2 });
    const situation = refusedOnce(["a", "b", "c"], [first, near, alsoNear, far], { spreadRoom });
    expect(recordOf(situation)).toMatchObject({ instanceType: "r5.large", zone: "z1", count: 2 });
  });

  it("breaks the spread rather than pay more than 15 % for it", () => {
    const situation = refusedOnce(["a", "b", "c"], [first, near, far], { spreadRoom: roomOf({ "r5.large/z2": 9 }) });
    expect(recordOf(situation)).toMatchObject({ instanceType: "c5.large", count: 3 });
  });

  it("asks for no more instances than EC2's bucket holds, and waits when it holds none", () => {
    const budget = { ...fullBudget(0), instances: 2 };
    expect(recordOf(opened(["a", "b", "c"], [first], { budget }))).toMatchObject({ count: 2 });
    const empty = recordOf(opened(["a"], [first], { budget: { ...fullBudget(0), requests: 0 } }));
    expect(empty).toMatchObject({ kind: "wait", delaySeconds: 1, pause: "all" });
  });

  it("waits for the bucket before it sends a token again, too", () => {
    const opening = opened(["a"], [first]);
    const sent = advance(opening, nextLaunchStep(opening, requestsOfDefaultClass), { kind: "performed" }, 0);
    const budget = { ...fullBudget(0), requests: 0.5 };
    const crashed = { ...openSituation(sent.group, [], 0, { budget }), instances: [] };
    expect(recordOf(crashed)).toMatchObject({ kind: "wait", delaySeconds: 1, pause: "all" });
    expect(recordOf({ ...crashed, now: 1_000 })).toMatchObject({ sentAt: 1_000 });
  });

  it("counts each answer: what was launched, nothing for a refusal, all that was asked for when nobody knows", () => {
    const opening = opened(["a", "b", "c"], [first]);
    const sent = advance(opening, nextLaunchStep(opening, requestsOfDefaultClass), { kind: "performed" }, 0);
    const send: LaunchStep = nextLaunchStep(sent, requestsOfDefaultClass);
    const left = (code: string) => advance(sent, send, { kind: "refused", code, message: "" }, 0).budget;
    expect(left("InsufficientInstanceCapacity")).toMatchObject({ requests: 4, instances: 1_000 });
    expect(left("TimeoutError")).toMatchObject({ requests: 4, instances: 997 });
    expect(left("RequestLimitExceeded")).toMatchObject({ requests: 0 });
    expect(advance(sent, send, { kind: "launched", instances: [] }, 0).budget).toMatchObject({ requests: 4 });
  });

  it("gives up where no subnet has the addresses, and marks those subnets, so that nothing is planned there at once", () => {
    const subnetRoom = { freeAddresses: () => 3, perNode: 30 };
    const step = recordOf(opened(["a"], [first]), launchRequests(launchContext({ subnetRoom })));
    expect(step).toMatchObject({ kind: "give-up", nodeClaims: ["a"] });
    expect("mark" in step && step.mark.map(unavailableKey)).toEqual(["any_subnet-z1_any"]);
  });
});
