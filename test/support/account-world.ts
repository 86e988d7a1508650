import type { NodeClassPort, NodeClassPorts } from "../../shared/account-ports.ts";
import type { EC2NodeClass } from "../../shared/api/ec2-node-class.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { Condition } from "../../shared/api/schema.ts";
import { reconcileNodeClasses } from "../../shared/controllers/node-class.ts";
import type { AccountImage, SimulatedAccount } from "../../shared/simulator/ec2-account.ts";
import { SimulatedNodeClassPort } from "../../shared/simulator/node-class-port.ts";
import type { Settings } from "../../shared/state/settings.ts";
import { controllerWorld, startAt } from "./controller-world.ts";
import { nodeClaim } from "./node-claims.ts";
import { nodeClass } from "./node-classes.ts";
import { simulatedAccount } from "./simulated-account.ts";
import { simulatedEc2 } from "./simulated-aws.ts";

export type AccountWorld = ReturnType<typeof accountWorld>;

interface AccountChanges {
  readonly cluster?: NodeClassPorts["cluster"];
  readonly nodeClass?: Partial<NodeClassPort>;
}

/** Amazon's image of an SSM parameter, a day old. */
export function amazonImage(id: string, changes: Partial<AccountImage> = {}): AccountImage {
  return {
    id,
    name: `image-of-${id}`,
    architecture: "x86_64",
    createdAt: startAt - 86_400_000,
    isDeprecated: false,
    ownerId: "602401143452",
    ownerAlias: "amazon",
    tags: {},
    ...changes,
  };
}

const al2023 = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023";

/** An account in which a class with the alias al2023@latest finds all that it needs, and a cluster without any class. */
export function accountWorld(changes: Partial<SimulatedAccount> = {}) {
  const world = controllerWorld();
  // Its own time: the class's port waits for EC2's answers, the API server's world stands still meanwhile.
  const { ec2, settle } = simulatedEc2();
  const account = {
    ...simulatedAccount({
      securityGroups: [{ id: "sg-1", name: "nodes", vpcId: "vpc-1", tags: { team: "shop" } }],
      images: [amazonImage("ami-x86"), amazonImage("ami-arm", { architecture: "arm64" })],
      parameters: new Map([
        [`${al2023}/x86_64/standard/recommended/image_id`, "ami-x86"],
        [`${al2023}/arm64/standard/recommended/image_id`, "ami-arm"],
      ]),
      roles: ["node", "other"],
    }),
    ...changes,
  };
  const calls: string[] = [];
  const port = counting(new SimulatedNodeClassPort(ec2, account, world.now), calls, settle);
  const cluster = {
    name: "cluster",
    endpoint: "https://cluster.example",
    certificateAuthority: "Y2E=",
    serviceCidr: "10.100.0.0/16",
  };
  const ports: NodeClassPorts = {
    ...world.ports,
    cluster: { describe: async () => cluster },
    nodeClass: port,
  };
  return {
    ...world,
    ports,
    account,
    ec2,
    /** Names of the calls that were made to AWS. */
    calls,
    /** With `changes`, some of the account's calls answer otherwise. */
    reconcile: (settings: Partial<Settings> = {}, changes: AccountChanges = {}) => {
      const changed = { ...ports, ...changes, nodeClass: { ...ports.nodeClass, ...changes.nodeClass } };
      return reconcileNodeClasses(changed, { ...world.settings, ...settings });
    },
    nodeClass: (name = "default"): EC2NodeClass => {
      const found = world.server.get("EC2NodeClass", { name });
      if (found === undefined) throw new Error(`no EC2NodeClass ${name}`);
      return found;
    },
  };
}

/** A class that selects the account's subnets and security groups. */
export function addNodeClass({ server }: AccountWorld, spec: Parameters<typeof nodeClass>[0] = {}): EC2NodeClass {
  const tags = { team: "shop" };
  const terms = { subnetSelectorTerms: [{ tags }], securityGroupSelectorTerms: [{ tags }] };
  return server.create("EC2NodeClass", nodeClass({ ...terms, ...spec }));
}

/** A claim of the class `default`. */
export function addClaimOf(
  world: AccountWorld,
  name: string,
  annotations: Readonly<Record<string, string>>,
): NodeClaim {
  const claim = nodeClaim(name);
  return world.server.create("NodeClaim", { ...claim, metadata: { ...claim.metadata, annotations } });
}

export function conditionNamed({ status }: EC2NodeClass, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** The port with each call noted, and waited for in its own time, one after another: one event loop does not run in another's task. */
function counting(port: NodeClassPort, calls: string[], settle: <T>(work: Promise<T>) => Promise<T>): NodeClassPort {
  let last: Promise<unknown> = Promise.resolve();
  const noted =
    <A extends readonly unknown[], T>(name: string, call: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      calls.push(name);
      const answer = last.then(() => settle(call(...args)));
      last = answer.catch(() => undefined);
      return answer;
    };
  return {
    subnets: noted("subnets", (filters) => port.subnets(filters)),
    securityGroups: noted("securityGroups", (filters) => port.securityGroups(filters)),
    images: noted("images", (query) => port.images(query)),
    parameter: noted("parameter", (name) => port.parameter(name)),
    capacityReservations: noted("capacityReservations", (query) => port.capacityReservations(query)),
    placementGroup: noted("placementGroup", (by) => port.placementGroup(by)),
    instanceProfile: noted("instanceProfile", (name) => port.instanceProfile(name)),
    instanceProfiles: noted("instanceProfiles", (path) => port.instanceProfiles(path)),
    createInstanceProfile: noted("createInstanceProfile", (profile) => port.createInstanceProfile(profile)),
    addRole: noted("addRole", (profile, role) => port.addRole(profile, role)),
    deleteInstanceProfile: noted("deleteInstanceProfile", (name) => port.deleteInstanceProfile(name)),
    dryRun: noted("dryRun", (request) => port.dryRun(request)),
  };
}
