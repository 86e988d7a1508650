import { describe, expect, it } from "vitest";
import type { Ec2CapacityReservation } from "../../../shared/account-ports.ts";
import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { conditionOf } from "../../../shared/state/conditions.ts";
import {
  type NodeClassFindings,
  nodeClassStatusPatch,
  unmetDependencies,
  withFindings,
  withValidation,
} from "../../../shared/state/node-class-status.ts";
import { nodeClass } from "../../support/node-classes.ts";

const now = Date.UTC(2026, 0, 1);
const minute = 60_000;

const found: NodeClassFindings = {
  subnets: {
    kind: "found",
    value: [{ id: "subnet-1", zone: "z1", zoneId: "id1", vpcId: "vpc-1", availableIpAddressCount: 1 }],
  },
  securityGroups: { kind: "found", value: [{ id: "sg-1", name: "nodes" }] },
  amis: { kind: "found", value: [{ id: "ami-1", name: "one", requirements: [] }] },
  capacityReservations: { kind: "found", value: [] },
  placementGroup: { kind: "found", value: undefined },
  instanceProfile: { kind: "found", value: "profile" },
};
const valid = { status: "True", reason: "ValidationSucceeded" } as const;
const gone = { kind: "missing", reason: "SubnetsNotFound", message: "no subnet" } as const;
const unread = { kind: "unread", message: "DescribeSubnets: RequestLimitExceeded" } as const;

function atGeneration(generation: number, { status }: Pick<EC2NodeClass, "status"> = {}): EC2NodeClass {
  const made = nodeClass({}, status);
  return { ...made, metadata: { ...made.metadata, generation } };
}

function resolved(before: EC2NodeClass, changes: Partial<NodeClassFindings> = {}, at = now): EC2NodeClass {
  return withValidation(withFindings(before, { ...found, ...changes }, at), valid, at);
}

function ready(one: EC2NodeClass) {
  return conditionOf(one, "Ready");
}

describe("a class's status", () => {
  it("lists subnets with the most free addresses first, and then by id", () => {
    const subnet = (id: string, availableIpAddressCount: number) => {
      return { id, zone: "z1", zoneId: "", vpcId: "vpc-1", availableIpAddressCount };
    };
    const value = [subnet("subnet-b", 10), subnet("subnet-c", 20), subnet("subnet-a", 10)];
    const { status } = resolved(atGeneration(1), { subnets: { kind: "found", value } });
    expect(status?.subnets?.map(({ id }) => id)).toEqual(["subnet-c", "subnet-a", "subnet-b"]);
    expect(status?.subnets?.[0]).toEqual({ id: "subnet-c", zone: "z1" });
  });

  it("lists security groups by id", () => {
    const value = ["sg-2", "sg-1"].map((id) => ({ id, name: `name of ${id}` }));
    const { status } = resolved(atGeneration(1), { securityGroups: { kind: "found", value } });
    expect(status?.securityGroups?.map(({ id }) => id)).toEqual(["sg-1", "sg-2"]);
  });

  it("lists nothing of what is missing, and keeps what could not be read", () => {
    const before = resolved(atGeneration(1));
    expect(resolved(before, { subnets: gone }).status?.subnets).toEqual([]);
    expect(resolved(before, { subnets: unread }).status).toEqual(before.status);
  });

  it("keeps the name of the last instance profile while there is none for the new role", () => {
    const missing = { kind: "missing", reason: "InstanceProfileNotFound", message: "no role" } as const;
    const after = resolved(resolved(atGeneration(1)), { instanceProfile: missing });
    expect(after.status?.instanceProfile).toBe("profile");
    expect(ready(after)?.status).toBe("False");
  });
});

describe("the reservations in a class's status", () => {
  const endsAt = now + 60 * minute;

  function stateAt(at: number, changes: Partial<Ec2CapacityReservation> = {}) {
    const reservation: Ec2CapacityReservation = {
      id: "cr-1",
      instanceType: "p5.48xlarge",
      zone: "z1",
      ownerId: "123456789012",
      instanceMatchCriteria: "targeted",
      reservationType: "capacity-block",
      interruptible: false,
      availableInstanceCount: 3,
      endsAt,
      ...changes,
    };
    const findings = { capacityReservations: { kind: "found", value: [reservation] } as const };
    return resolved(atGeneration(1), findings, at).status?.capacityReservations?.map(({ state }) => state);
  }

  it("of a capacity block are expiring from forty minutes before its end on, and not there after it", () => {
    expect(stateAt(endsAt - 40 * minute - 1)).toEqual(["active"]);
    expect(stateAt(endsAt - 40 * minute)).toEqual(["expiring"]);
    expect(stateAt(endsAt)).toEqual([]);
  });

  it("of any other kind are active until they end", () => {
    expect(stateAt(endsAt - 1, { reservationType: "default" })).toEqual(["active"]);
    expect(stateAt(endsAt, { reservationType: "default" })).toEqual([]);
  });

  it("leave out criteria that are not known", () => {
    expect(stateAt(now, { instanceMatchCriteria: "of tomorrow" })).toEqual([]);
  });

  it("are in the order of their ids, and do not change with the places left, for which Karpenter's status has no field", () => {
    const value = [{ ...reservationOf("cr-2"), availableInstanceCount: 7 }, reservationOf("cr-1")];
    const before = resolved(atGeneration(1), { capacityReservations: { kind: "found", value } });
    expect(before.status?.capacityReservations?.map(({ id }) => id)).toEqual(["cr-1", "cr-2"]);
    const fewer = value.map((one) => ({ ...one, availableInstanceCount: 0 }));
    const after = resolved(before, { capacityReservations: { kind: "found", value: fewer } });
    expect(nodeClassStatusPatch(before, after)).toBeUndefined();
  });
});

function reservationOf(id: string): Ec2CapacityReservation {
  return {
    id,
    instanceType: "m5.large",
    zone: "z1",
    ownerId: "123456789012",
    instanceMatchCriteria: "open",
    reservationType: "default",
    interruptible: false,
    availableInstanceCount: 1,
  };
}

describe("a class", () => {
  it("is ready when every part is there and a node could be launched", () => {
    expect(ready(resolved(atGeneration(3)))).toMatchObject({ status: "True", observedGeneration: 3 });
  });

  it("is not ready when one part is missing, and says which and why", () => {
    expect(ready(resolved(atGeneration(1), { subnets: gone }))).toMatchObject({
      status: "False",
      reason: "UnhealthyDependents",
      message: "SubnetsReady=False: no subnet",
    });
  });

  it("is not known to be ready while a part has never been read, and says what failed", () => {
    const after = resolved(atGeneration(1), { subnets: unread });
    expect(unmetDependencies(after)).toEqual({ failed: [], unknown: ["SubnetsReady"] });
    expect(ready(after)).toMatchObject({
      status: "Unknown",
      reason: "ReconcilingDependents",
      message: expect.stringContaining("RequestLimitExceeded"),
    });
  });

  it("is not known to be ready once it was changed, until every part was read for it as it is now", () => {
    const before = resolved(atGeneration(1));
    const after = resolved(atGeneration(2, before), { subnets: unread });
    expect(conditionOf(after, "SubnetsReady")).toMatchObject({ status: "Unknown", observedGeneration: 2 });
    expect(ready(after)).toMatchObject({ status: "Unknown", observedGeneration: 2 });
    expect(ready(resolved(after))).toMatchObject({ status: "True", observedGeneration: 2 });
  });

  it("is not ready by a validation of what it was before", () => {
    const before = resolved(atGeneration(1));
    const after = withValidation(withFindings(atGeneration(2, before), found, now), undefined, now);
    expect(ready(after)?.status).toBe("Unknown");
  });

  it("stays ready when a part cannot be read for once", () => {
    expect(ready(resolved(resolved(atGeneration(1)), { subnets: unread }))?.status).toBe("True");
  });

  it("has been in a state since the state changed, not since it was looked at", () => {
    const before = resolved(atGeneration(1));
    const later = resolved(atGeneration(2, before), {}, now + minute);
    expect(conditionOf(later, "SubnetsReady")?.lastTransitionTime).toBe(formatTime(now));
    const failed = resolved(later, { subnets: gone }, now + 2 * minute);
    expect(conditionOf(failed, "SubnetsReady")?.lastTransitionTime).toBe(formatTime(now + 2 * minute));
  });

  it("keeps conditions that are not ours", () => {
    const theirs = { type: "Theirs", status: "True", reason: "Theirs", lastTransitionTime: formatTime(now) } as const;
    const after = resolved(atGeneration(1, { status: { conditions: [theirs] } }));
    expect(conditionOf(after, "Theirs")).toEqual(theirs);
  });
});

describe("the patch of a class's status", () => {
  it("is none when nothing changes, and takes away what is no more", () => {
    const before = resolved(atGeneration(1));
    expect(nodeClassStatusPatch(before, resolved(before, {}, now + minute))).toBeUndefined();
    const { instanceProfile: _, ...without } = before.status ?? {};
    expect(nodeClassStatusPatch(before, { ...before, status: without })).toMatchObject({
      status: { instanceProfile: null, subnets: [{ id: "subnet-1" }] },
    });
  });
});
