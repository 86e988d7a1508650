import { createHash } from "node:crypto";
import type {
  DryRunAnswer,
  Ec2Filter,
  Image,
  InstanceProfile,
  NodeClassPort,
  SecurityGroup,
  Subnet,
  Zone,
} from "../account-ports.ts";
import { ProviderError } from "../ports.ts";
import type { SimulatedEc2 } from "./ec2.ts";

export interface ObligingAccountOptions {
  readonly ec2: SimulatedEc2;
  readonly zones: readonly Zone[];
  readonly now: () => number;
}

/** Subnets of a region in the simulated account: one for each zone. */
export function subnetOf(zone: string): string {
  return `subnet-${zone}`;
}

/** As many free addresses as a subnet of 4,096 has. */
const freeAddresses = 4_091;

/**
 * The account of a simulation, which knows nothing of the account that a manifest was written for: it has whatever a class selects. A subnet
 * in every zone, one security group, images of both architectures, every role. Capacity reservations and placement groups it has none.
 */
export class ObligingAccount implements NodeClassPort {
  readonly #options: ObligingAccountOptions;
  /** Of the images of parameters, by id. */
  readonly #architectures = new Map<string, string>();
  readonly #profiles = new Map<string, InstanceProfile & { readonly path: string }>();

  constructor(options: ObligingAccountOptions) {
    this.#options = options;
  }

  subnets(): Promise<readonly Subnet[]> {
    const { ec2, zones } = this.#options;
    return ec2.read("DescribeSubnets", () =>
      zones.map(({ name, id }) => ({
        id: subnetOf(name),
        zone: name,
        zoneId: id,
        vpcId: "vpc-0123456789abcdef0",
        availableIpAddressCount: freeAddresses,
      })),
    );
  }

  securityGroups(): Promise<readonly SecurityGroup[]> {
    return this.#options.ec2.read("DescribeSecurityGroups", () => [{ id: "sg-0123456789abcdef0", name: "nodes" }]);
  }

  /** An image by id is of the parameter that named it, or of both architectures. */
  images({ filters }: { readonly filters: readonly Ec2Filter[] }): Promise<readonly Image[]> {
    const ids = filters.find(({ name }) => name === "image-id")?.values ?? [imageId("own")];
    const found = ids.flatMap((id) => {
      const architecture = this.#architectures.get(id);
      return architecture === undefined
        ? [image(id, "x86_64"), image(imageId(`${id} for arm64`), "arm64")]
        : [image(id, architecture)];
    });
    return this.#options.ec2.read("DescribeImages", () => found);
  }

  /** Every parameter names an image of the architecture in its name, and the same one each time. */
  async parameter(name: string): Promise<string> {
    const id = imageId(name);
    this.#architectures.set(id, /arm64/.test(name) ? "arm64" : "x86_64");
    return id;
  }

  async capacityReservations(): Promise<readonly []> {
    return [];
  }

  async placementGroup(): Promise<undefined> {
    return undefined;
  }

  async instanceProfile(name: string): Promise<InstanceProfile | undefined> {
    return this.#profiles.get(name);
  }

  async instanceProfiles(pathPrefix: string): Promise<readonly InstanceProfile[]> {
    return [...this.#profiles.values()].filter(({ path }) => path.startsWith(pathPrefix));
  }

  async createInstanceProfile({ name, path }: { readonly name: string; readonly path: string }): Promise<void> {
    if (!this.#profiles.has(name)) this.#profiles.set(name, { name, path, roles: [], createdAt: this.#options.now() });
  }

  async addRole(name: string, role: string): Promise<void> {
    const profile = this.#profiles.get(name);
    if (profile === undefined) throw new ProviderError("NotFound", "NoSuchEntity", `no instance profile ${name}`);
    this.#profiles.set(name, { ...profile, roles: [role] });
  }

  async deleteInstanceProfile(name: string): Promise<void> {
    this.#profiles.delete(name);
  }

  async dryRun(): Promise<DryRunAnswer> {
    return { kind: "allowed" };
  }
}

function image(id: string, architecture: string): Image {
  return { id, name: `image-${architecture}`, architecture, createdAt: 0, isDeprecated: false };
}

function imageId(of: string): string {
  return `ami-${createHash("sha256").update(of).digest("hex").slice(0, 17)}`;
}
