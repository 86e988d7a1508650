import { type Ec2Instance, type Ec2Port, type InstanceFilter, ProviderError } from "../../shared/ports.ts";

/** EC2 as a map of instances that the test fills and changes; terminating takes until `end` is called. */
export class MemoryEc2 implements Ec2Port {
  readonly instances = new Map<string, Ec2Instance>();
  readonly terminated: string[] = [];
  /** Ids, once for each call that tagged them. */
  readonly tagged: string[] = [];
  /** Thrown by the next describe call, once. */
  failure: ProviderError | undefined;

  add(instance: Partial<Ec2Instance> & Pick<Ec2Instance, "instanceId">): void {
    this.instances.set(instance.instanceId, {
      instanceType: "m5.large",
      imageId: "ami-1",
      zone: "us-east-1a",
      subnetId: "subnet-a",
      capacityType: "spot",
      state: "running",
      launchedAt: 0,
      tags: { "eks:eks-cluster-name": "cluster" },
      ...instance,
    });
  }

  end(instanceId: string): void {
    this.#set(instanceId, "terminated");
  }

  async describeInstances(filter: InstanceFilter): Promise<readonly Ec2Instance[]> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    return [...this.instances.values()].filter((instance) => {
      if (filter.by === "ids") return filter.instanceIds.includes(instance.instanceId);
      return filter.by === "tag" ? instance.tags[filter.key] === filter.value : instance.state !== "terminated";
    });
  }

  async terminateInstances(instanceIds: readonly string[]): Promise<void> {
    const unknown = instanceIds.find((id) => !this.instances.has(id));
    if (unknown !== undefined) throw new ProviderError("NotFound", "InvalidInstanceID.NotFound", unknown);
    for (const id of instanceIds) this.#set(id, "shutting-down");
    this.terminated.push(...instanceIds);
  }

  async runInstances(): Promise<readonly Ec2Instance[]> {
    throw new ProviderError("NoCapacity", "InsufficientInstanceCapacity", "this EC2 launches nothing");
  }

  async createTags(instanceIds: readonly string[]): Promise<void> {
    this.tagged.push(...instanceIds);
  }

  #set(instanceId: string, state: Ec2Instance["state"]): void {
    const instance = this.instances.get(instanceId);
    if (instance !== undefined) this.instances.set(instanceId, { ...instance, state });
  }
}
