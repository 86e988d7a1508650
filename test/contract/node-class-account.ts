import type { SimulatedAccount } from "../../shared/simulator/ec2-account.ts";
import { simulatedAccount } from "../support/simulated-account.ts";
import { origin, startAt } from "../support/simulated-aws.ts";

const ours = { cluster: "shop" };
const other = { cluster: "bank", backup: "yes" };

/** What the contract of NodeClassPort looks things up in. The subnets are those of the simulated EC2. */
export function nodeClassAccount(): SimulatedAccount {
  const vpc = { vpcId: "vpc-1", availableIpAddressCount: 250 };
  const [a, b] = [
    { ...vpc, zone: "us-east-1a", zoneId: "use1-az4" },
    { ...vpc, zone: "us-east-1b", zoneId: "use1-az1" },
  ];
  const image = { architecture: "x86_64", createdAt: startAt - 86_400_000, isDeprecated: false };
  const own = { ...image, ownerId: origin.account, tags: ours };
  const amazon = { ...image, ownerId: "137112412989", ownerAlias: "amazon", tags: {} };
  const foreign = { ...image, ownerId: "999999999999", tags: ours };
  const reservation = {
    instanceType: "m5.large",
    zone: "us-east-1a",
    ownerId: origin.account,
    instanceMatchCriteria: "targeted",
    reservationType: "default" as const,
    interruptible: false,
    availableInstanceCount: 3,
    state: "active",
    tags: ours,
  };
  return simulatedAccount({
    subnets: [
      { id: "subnet-a", ...a, tags: ours },
      { id: "subnet-a2", ...a, tags: other },
      { id: "subnet-b", ...b, availableIpAddressCount: 12, tags: { ...ours, backup: "no" } },
    ],
    securityGroups: [
      { id: "sg-1", name: "nodes", vpcId: "vpc-1", tags: ours },
      { id: "sg-2", name: "nodes-extra", vpcId: "vpc-1", tags: ours },
      { id: "sg-3", name: "default", vpcId: "vpc-1", tags: {} },
    ],
    images: [
      { ...own, id: "ami-0a", name: "own-1" },
      { ...own, id: "ami-0b", name: "own-2", architecture: "arm64", isDeprecated: true },
      { ...foreign, id: "ami-0c", name: "own-3" },
      { ...amazon, id: "ami-0d", name: "al2023-1" },
      { ...amazon, id: "ami-0e", name: "al2023-2", createdAt: startAt - 2 * 86_400_000 },
    ],
    parameters: new Map([["/aws/service/eks/optimized-ami/1.34/image_id", "ami-0d"]]),
    capacityReservations: [
      { ...reservation, id: "cr-1" },
      { ...reservation, id: "cr-2", reservationType: "capacity-block", endsAt: startAt + 3_600_000, tags: {} },
      { ...reservation, id: "cr-3", interruptible: true, instanceMatchCriteria: "open" },
      { ...reservation, id: "cr-4", state: "expired" },
    ],
    placementGroups: [
      { id: "pg-1", name: "close", strategy: "cluster" },
      { id: "pg-2", name: "apart", strategy: "partition", partitionCount: 3 },
    ],
    roles: ["node", "another"],
    instanceProfiles: instanceProfiles(),
  });
}

function instanceProfiles() {
  const profile = { roles: ["node"], createdAt: startAt - 5_000, tags: {} };
  return new Map(
    [
      { ...profile, name: "given", path: "/" },
      { ...profile, name: "shop-1", path: "/karpenter/us-east-1/shop/1/" },
      { ...profile, name: "shop-2", path: "/karpenter/us-east-1/shop/2/", roles: [] },
      { ...profile, name: "shopping-1", path: "/karpenter/us-east-1/shopping/1/" },
    ].map((one) => [one.name, one]),
  );
}
