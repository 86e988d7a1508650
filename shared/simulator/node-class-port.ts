import type {
  DryRunAnswer,
  Ec2CapacityReservation,
  Ec2Filter,
  Image,
  InstanceProfile,
  NodeClassPort,
  PlacementGroup,
  SecurityGroup,
  Subnet,
} from "../account-ports.ts";
import { dryRunAnswer } from "../cloud/ec2-errors.ts";
import { ProviderError, type RunInstancesRequest } from "../ports.ts";
import type { SimulatedEc2 } from "./ec2.ts";
import type { SimulatedAccount } from "./ec2-account.ts";
import {
  describeCapacityReservations,
  describeImages,
  describePlacementGroups,
  describeSecurityGroups,
  describeSubnets,
} from "./ec2-account-queries.ts";
import { InstanceProfiles } from "./ec2-instance-profiles.ts";
import { classifyingErrors } from "./ec2-port.ts";

/** What the simulated account has, as the controllers look it up. SSM and IAM answer at once and have no faults. */
export class SimulatedNodeClassPort implements NodeClassPort {
  readonly #ec2: SimulatedEc2;
  readonly #account: SimulatedAccount;
  readonly #profiles: InstanceProfiles;
  readonly #now: () => number;

  constructor(ec2: SimulatedEc2, account: SimulatedAccount, now: () => number) {
    this.#ec2 = ec2;
    this.#account = account;
    this.#profiles = new InstanceProfiles(account);
    this.#now = now;
  }

  async subnets(filters: readonly Ec2Filter[]): Promise<readonly Subnet[]> {
    const found = await this.#read("DescribeSubnets", () => describeSubnets(this.#account, { filters }));
    return found.map(({ tags: _, ...subnet }) => subnet);
  }

  async securityGroups(filters: readonly Ec2Filter[]): Promise<readonly SecurityGroup[]> {
    const found = await this.#read("DescribeSecurityGroups", () => describeSecurityGroups(this.#account, { filters }));
    return found.map(({ id, name }) => ({ id, name }));
  }

  async images(query: Parameters<NodeClassPort["images"]>[0]): Promise<readonly Image[]> {
    const found = await this.#read("DescribeImages", () =>
      describeImages(this.#account, { ...query, includeDeprecated: true }),
    );
    return found.map(({ id, name, architecture, createdAt, isDeprecated }) => ({
      id,
      name,
      architecture,
      createdAt,
      isDeprecated,
    }));
  }

  async parameter(name: string): Promise<string | undefined> {
    return this.#account.parameters.get(name);
  }

  async capacityReservations({
    filters,
    id,
  }: Parameters<NodeClassPort["capacityReservations"]>[0]): Promise<readonly Ec2CapacityReservation[]> {
    const active = [...filters, { name: "state", values: ["active"] }];
    const found = await orUnknown("InvalidCapacityReservationId.NotFound", () =>
      this.#read("DescribeCapacityReservations", () =>
        describeCapacityReservations(this.#account, { filters: active, ...(id !== undefined && { ids: [id] }) }),
      ),
    );
    return (found ?? []).map(({ state: _state, tags: _tags, ...reservation }) => reservation);
  }

  async placementGroup(by: Parameters<NodeClassPort["placementGroup"]>[0]): Promise<PlacementGroup | undefined> {
    const query = "id" in by ? { ids: [by.id] } : { names: [by.name] };
    const found = await orUnknown(/^InvalidPlacementGroup/, () =>
      this.#read("DescribePlacementGroups", () => describePlacementGroups(this.#account, query)),
    );
    return found?.[0];
  }

  async instanceProfile(name: string): Promise<InstanceProfile | undefined> {
    return this.#profile(name);
  }

  async instanceProfiles(pathPrefix: string): Promise<readonly InstanceProfile[]> {
    return this.#profiles.list(pathPrefix).map(toProfile);
  }

  async createInstanceProfile(profile: Parameters<NodeClassPort["createInstanceProfile"]>[0]): Promise<void> {
    if (this.#profile(profile.name) === undefined) this.#profiles.create({ ...profile, createdAt: this.#now() });
  }

  async addRole(profile: string, role: string): Promise<void> {
    if (this.#profile(profile)?.roles.includes(role)) return;
    await classifyingErrors(Promise.resolve().then(() => this.#profiles.addRole(profile, role)));
  }

  async deleteInstanceProfile(name: string): Promise<void> {
    const profile = this.#profile(name);
    if (profile === undefined) return;
    for (const role of profile.roles) this.#profiles.removeRole(name, role);
    this.#profiles.delete(name);
  }

  async dryRun(request: RunInstancesRequest): Promise<DryRunAnswer> {
    try {
      return await classifyingErrors(this.#ec2.dryRun(request));
    } catch (error) {
      const answer = error instanceof ProviderError ? dryRunAnswer(error.code, error.message) : undefined;
      if (answer === undefined) throw error;
      return answer;
    }
  }

  #read<T>(api: Parameters<SimulatedEc2["read"]>[0], effect: () => T): Promise<T> {
    return classifyingErrors(this.#ec2.read(api, effect));
  }

  #profile(name: string): InstanceProfile | undefined {
    const found = this.#account.instanceProfiles.get(name);
    return found && toProfile(found);
  }
}

function toProfile({ name, roles, createdAt }: InstanceProfile): InstanceProfile {
  return { name, roles, createdAt };
}

/** Undefined when what was asked for by name does not exist. */
async function orUnknown<T>(code: string | RegExp, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const isUnknown = (found: string) => (typeof code === "string" ? found === code : code.test(found));
    if (error instanceof ProviderError && isUnknown(error.code)) return undefined;
    throw error;
  }
}
