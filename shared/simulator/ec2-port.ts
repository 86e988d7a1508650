import type { Ec2Filter } from "../account-ports.ts";
import { label, tag } from "../api/labels.ts";
import { providerErrorKindOf } from "../cloud/ec2-errors.ts";
import {
  type Ec2Instance,
  type Ec2Port,
  type InstanceFilter,
  ProviderError,
  type RunInstancesRequest,
} from "../ports.ts";
import type { SimulatedEc2 } from "./ec2.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";

/** The simulated EC2 as the controllers see it. */
export class SimulatedEc2Port implements Ec2Port {
  readonly #ec2: SimulatedEc2;
  readonly #clusterName: string;

  constructor(ec2: SimulatedEc2, clusterName: string) {
    this.#ec2 = ec2;
    this.#clusterName = clusterName;
  }

  runInstances(request: RunInstancesRequest): Promise<readonly Ec2Instance[]> {
    return classifyingErrors(this.#ec2.runInstances(request));
  }

  describeInstances(filter: InstanceFilter): Promise<readonly Ec2Instance[]> {
    return classifyingErrors(this.#ec2.describeInstances({ filters: this.#filters(filter) }));
  }

  terminateInstances(instanceIds: readonly string[]): Promise<void> {
    return classifyingErrors(this.#ec2.terminateInstances(instanceIds));
  }

  createTags(instanceIds: readonly string[], tags: Readonly<Record<string, string>>): Promise<void> {
    return classifyingErrors(this.#ec2.createTags(instanceIds, tags));
  }

  #filters(filter: InstanceFilter): readonly Ec2Filter[] {
    switch (filter.by) {
      case "cluster":
        return [
          { name: "tag-key", values: [label.nodePool] },
          { name: "tag-key", values: [label.nodeClass] },
          { name: `tag:${tag.clusterName}`, values: [this.#clusterName] },
          {
            name: "instance-state-name",
            values: ["pending", "running", "stopping", "stopped", "shutting-down"],
          },
        ];
      case "ids":
        return [{ name: "instance-id", values: filter.instanceIds }];
      case "tag":
        return [{ name: `tag:${filter.key}`, values: [filter.value] }];
    }
  }
}

/** EC2's errors as the ports tell them. */
export async function classifyingErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Ec2ApiError)) throw error;
    throw new ProviderError(providerErrorKindOf(error.code, error.message), error.code, error.message, {
      cause: error,
    });
  }
}
