import { label, tag } from "../../shared/api/labels.ts";
import type { InstanceType } from "../../shared/cloud/instance-type.ts";
import { offeringKey } from "../../shared/cloud/instance-type.ts";
import type { RankedOffering } from "../../shared/cloud/ranking.ts";
import { type LaunchContext, launchRequests } from "../../shared/cloud/run-instances.ts";
import type { Ec2Instance, RunInstancesRequest } from "../../shared/ports.ts";
import { requirementsOfLabels } from "../../shared/scheduling/requirements.ts";
import { nodeClaim } from "./node-claims.ts";
import { nodeClass } from "./node-classes.ts";

/** `type/zone/capacityType` at one dollar. */
export function offering(key: string, priceUsdPerHour = 1): RankedOffering {
  const [instanceType = "", zone = "", capacityType] = key.split("/");
  return { instanceType, zone, capacityType: capacityType === "spot" ? "spot" : "on-demand", priceUsdPerHour };
}

export const clusterEndpoint = {
  name: "shop",
  endpoint: "https://shop.example",
  certificateAuthority: "Y2E=",
  serviceCidr: "10.100.0.0/16",
  dnsAddress: "10.100.0.10",
};

export function instanceType(name: string, labels: Readonly<Record<string, string>> = {}): InstanceType {
  const capacity = { cpu: 2_000, memory: 8 * 2 ** 30, pods: 29 };
  const requirements = requirementsOfLabels({ [label.instanceType]: name, [label.arch]: "amd64", ...labels });
  return { name, requirements, capacity, allocatable: capacity, offerings: [], attachLimits: {} };
}

export function launchContext(changes: Partial<LaunchContext> = {}): LaunchContext {
  const instanceTypes = new Map(["m5.large", "c5.large", "r5.large"].map((name) => [name, instanceType(name)]));
  return { cluster: clusterEndpoint, nodeClaim: nodeClaim("a"), nodeClass: nodeClass(), instanceTypes, ...changes };
}

export const requestsOfDefaultClass = launchRequests(launchContext());

export function instance(instanceId: string, changes: Partial<Ec2Instance> = {}): Ec2Instance {
  return {
    instanceId,
    instanceType: "m5.large",
    imageId: "ami-1",
    zone: "z1",
    subnetId: "subnet-z1",
    capacityType: "spot",
    state: "pending",
    launchedAt: 0,
    tags: {},
    ...changes,
  };
}

type Refusal = { readonly code: string };

/** EC2 as far as one launch goes: client tokens, room per offering, answers that get lost, instances that are not visible yet. */
export class LaunchEc2 {
  readonly instances = new Map<string, Ec2Instance>();
  /** Instances an offering can still give, by offering key; unlimited when absent. */
  readonly room = new Map<string, number>();
  /** Calls that are refused before they do anything. */
  throttles = 0;
  /** Errors that the next calls answer with after doing their work. */
  readonly lostAnswers: string[] = [];
  /** Look-ups that still show nothing. */
  blindLookups = 0;
  honoursTokens = true;
  private readonly reservations = new Map<string, { readonly body: string; readonly ids: readonly string[] }>();

  run(request: RunInstancesRequest): readonly Ec2Instance[] | Refusal {
    if (this.throttles-- > 0) return { code: "RequestLimitExceeded" };
    const answer = this.answer(request);
    const lost = this.lostAnswers.shift();
    return lost === undefined ? answer : { code: lost };
  }

  lookup(group: string): readonly Ec2Instance[] {
    if (this.blindLookups-- > 0) return [];
    return [...this.instances.values()].filter((one) => one.tags[tag.launchGroup] === group);
  }

  terminate(ids: readonly string[]): void {
    for (const id of ids) this.instances.set(id, { ...this.get(id), state: "shutting-down" });
  }

  living(): readonly string[] {
    return [...this.instances.values()].filter((one) => one.state === "pending").map((one) => one.instanceId);
  }

  private answer(request: RunInstancesRequest): readonly Ec2Instance[] | Refusal {
    const earlier = this.reservations.get(request.clientToken);
    if (earlier !== undefined && this.honoursTokens) {
      if (earlier.body !== JSON.stringify(request)) return { code: "IdempotentParameterMismatch" };
      const instances = earlier.ids.map((id) => this.get(id));
      return instances.some((one) => one.state === "pending") ? instances : { code: "IdempotentInstanceTerminated" };
    }
    const zone = request.subnetId.replace("subnet-", "");
    const key = offeringKey(request.instanceType, { zone, capacityType: request.capacityType });
    const count = Math.min(request.maxCount, this.room.get(key) ?? request.maxCount);
    if (count === 0) return { code: "InsufficientInstanceCapacity" };
    this.room.set(key, (this.room.get(key) ?? 1_000) - count);
    const launched = Array.from({ length: count }, () => this.launch(request, zone));
    this.reservations.set(request.clientToken, {
      body: JSON.stringify(request),
      ids: launched.map((one) => one.instanceId),
    });
    return launched;
  }

  private launch(
    { instanceType, imageId, subnetId, capacityType, clientToken, tags }: RunInstancesRequest,
    zone: string,
  ) {
    const id = `i-${String(this.instances.size + 1).padStart(3, "0")}`;
    const launched = instance(id, { instanceType, imageId, subnetId, zone, capacityType, clientToken, tags });
    this.instances.set(id, launched);
    return launched;
  }

  private get(id: string): Ec2Instance {
    const found = this.instances.get(id);
    if (found === undefined) throw new Error(`no instance ${id}`);
    return found;
  }
}
