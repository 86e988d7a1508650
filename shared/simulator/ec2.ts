import type { Ec2Filter } from "../account-ports.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { classifyEc2Error } from "../cloud/ec2-errors.ts";
import type { Ec2Instance } from "../ports.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import { type CapacityPool, type CapacityPoolFilter, CapacityPools, type CapacityReservation } from "./ec2-capacity.ts";
import { type InstanceOrigin, rebalanceRecommendation, retirementScheduled } from "./ec2-events.ts";
import { Ec2Faults } from "./ec2-faults.ts";
import { instanceFilterable, matchesEc2Filters } from "./ec2-filters.ts";
import { Ec2Fleet, type MachineListener } from "./ec2-fleet.ts";
import { billedUsd, describeRecord, type InstanceRecord, isVisible, type LaunchRequest } from "./ec2-instance.ts";
import { checkTags, resolveLaunch } from "./ec2-launch-checks.ts";
import { PlacementPartitions } from "./ec2-partitions.ts";
import { type Ec2Api, RequestLimits } from "./ec2-request-limits.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventLoop } from "./event-loop.ts";
import type { Random } from "./random.ts";

export interface SimulatedEc2Options {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly catalog: Catalog;
  readonly account: string;
  /** Zone by subnet id. */
  readonly subnets: ReadonlyMap<string, string>;
  readonly defaultBus: EventBus;
  readonly machines?: Partial<Omit<MachineListener, "onReleased">>;
}

/** How long a caller waits for an answer that was lost. */
const timeoutMilliseconds = 10_000;

/**
 * EC2 of one account and region: RunInstances with partial launches, zonal client tokens and capacity pools, request throttling,
 * eventual consistency, instance lifecycles with their events, spot reclaims, and the bill (serverless-aws §2, §3).
 */
export class SimulatedEc2 {
  readonly faults: Ec2Faults;
  readonly #options: SimulatedEc2Options;
  readonly #random: Random;
  readonly #origin: InstanceOrigin;
  readonly #limits = new RequestLimits();
  readonly #pools = new CapacityPools();
  readonly #partitions = new PlacementPartitions();
  readonly #fleet: Ec2Fleet;
  readonly #launches = new Map<string, { readonly parameters: string; readonly records: readonly InstanceRecord[] }>();
  readonly #calls = new Map<Ec2Api, number>();

  constructor(options: SimulatedEc2Options) {
    const { loop, catalog, account, defaultBus, machines } = options;
    this.#options = options;
    this.#random = options.random.fork("ec2");
    this.#origin = { account, region: catalog.region };
    this.faults = new Ec2Faults(this.#random.fork("faults"));
    this.#fleet = new Ec2Fleet(loop, this.#random.fork("fleet"), this.#origin, defaultBus, {
      onBoot: (instance, userData) => machines?.onBoot?.(instance, userData),
      onStop: (instance) => machines?.onStop?.(instance),
      onReleased: ({ request, zone }) => this.#pools.giveBack({ ...request, zone }),
    });
  }

  /** From `minCount` to `maxCount` instances, as many as the pool has room for. */
  runInstances(request: LaunchRequest): Promise<readonly Ec2Instance[]> {
    const isPossible = (code: string | undefined) => !(this.#hasLaunched(request) && isCapacityError(code));
    return this.#call("RunInstances", () => this.#launch(request).map(describeRecord), isPossible);
  }

  /** Always an error: `DryRunOperation` when the request would be tried, else what is wrong with it. Whether there is room is not asked. */
  dryRun(request: LaunchRequest): Promise<never> {
    return this.#call("RunInstances", () => {
      resolveLaunch(request, this.#options.catalog, this.#options.subnets);
      this.#partitions.check(request);
      throw new Ec2ApiError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
    });
  }

  /** A call that reads other things than instances: `effect` answers it, within EC2's latency, request bucket and faults. */
  read<T>(api: Ec2Api, effect: () => T): Promise<T> {
    return this.#call(api, effect);
  }

  /** In no particular order. An unknown id in `instanceIds` fails the call; in a filter `instance-id` it does not. */
  describeInstances(query: {
    readonly instanceIds?: readonly string[];
    readonly filters?: readonly Ec2Filter[];
  }): Promise<readonly Ec2Instance[]> {
    return this.#call("DescribeInstances", () => {
      const named = query.instanceIds === undefined ? undefined : this.#visible(query.instanceIds);
      const now = this.#options.loop.now();
      const records = named ?? this.#fleet.all().filter((record) => isVisible(record, now));
      const matching = records.filter((record) => matchesEc2Filters(instanceFilterable(record), query.filters ?? []));
      return this.#random.shuffle(matching).map(describeRecord);
    });
  }

  /** All or, when one id is unknown, none. */
  terminateInstances(instanceIds: readonly string[]): Promise<void> {
    return this.#call("TerminateInstances", () => {
      const records = this.#visible(instanceIds);
      this.#limits.takeResources("TerminateInstances", records.length, this.#options.loop.now());
      for (const record of records) {
        this.#fleet.shutDown(record, "Client.UserInitiatedShutdown");
      }
    });
  }

  createTags(instanceIds: readonly string[], tags: Readonly<Record<string, string>>): Promise<void> {
    return this.#call("CreateTags", () => {
      for (const record of this.#visible(instanceIds)) {
        checkTags({ ...Object.fromEntries(record.tags), ...tags });
        for (const [key, value] of Object.entries(tags)) {
          record.tags.set(key, value);
        }
      }
    });
  }

  /** At most so many instances in each pool that the filter selects, from now on. */
  setCapacity(filter: CapacityPoolFilter, instances: number): void {
    this.#pools.setCapacity(filter, instances);
  }

  /** How many instances the pool would give now. */
  room(pool: CapacityPool): number {
    return this.#pools.free(pool);
  }

  /** A capacity reservation with room for so many instances at once. */
  addCapacityReservation(reservation: CapacityReservation, instances: number): void {
    this.#pools.addReservation(reservation, instances);
  }

  /** Gives a spot instance notice; EC2 takes it back 120 s later. */
  interruptSpot(instanceId: string): void {
    const record = this.#existing(instanceId);
    if (record.request.capacityType !== "spot") {
      throw new Error(`instance ${instanceId} is ${record.request.capacityType}: only spot instances are interrupted`);
    }
    this.#fleet.interrupt(record);
  }

  /** A placement group whose instances are in so many partitions of each zone. */
  addPartitionGroup(id: string, partitions: number): void {
    this.#partitions.addGroup(id, partitions);
  }

  recommendRebalance(instanceId: string): void {
    this.#existing(instanceId);
    this.#options.defaultBus.publish(rebalanceRecommendation(instanceId, this.#origin));
  }

  /** AWS Health announces the retirement of an instance; nothing happens to it by itself. */
  scheduleRetirement(instanceId: string, startAt: number, form: "arn" | "id" = "arn"): void {
    this.#existing(instanceId);
    const times = { now: this.#options.loop.now(), startAt };
    this.#options.defaultBus.publish(retirementScheduled(instanceId, this.#origin, times, form));
  }

  /** Every instance there has ever been, as it is now: the truth, without EC2's delays. */
  instances(): readonly Ec2Instance[] {
    return this.#fleet.all().map(describeRecord);
  }

  /** USD billed for instances since the start. */
  costUsd(): number {
    const now = this.#options.loop.now();
    return this.#fleet.all().reduce((sum, record) => sum + billedUsd(record, now), 0);
  }

  /** What the instances that run now cost. */
  priceUsdPerHour(): number {
    return this.#fleet
      .all()
      .filter((record) => record.state === "running")
      .reduce((sum, record) => sum + record.priceUsdPerHour, 0);
  }

  /** Calls by API since the start, refused ones included. */
  apiCalls(): ReadonlyMap<Ec2Api, number> {
    return this.#calls;
  }

  /** A request takes effect in the middle of its latency; an error takes as long as an answer. */
  async #call<T>(api: Ec2Api, effect: () => T, isPossible?: (code: string | undefined) => boolean): Promise<T> {
    const { loop } = this.#options;
    this.#calls.set(api, (this.#calls.get(api) ?? 0) + 1);
    const latency = this.faults.latencyOf(api);
    await loop.sleep(Math.floor(latency / 2));
    try {
      this.#limits.takeRequest(api, loop.now());
      const { answerIsLost } = this.faults.takeFault(api, isPossible);
      const answer = effect();
      if (answerIsLost) {
        await loop.sleep(timeoutMilliseconds);
        throw new Ec2ApiError("TimeoutError", `${api}: no answer within ${timeoutMilliseconds} ms`);
      }
      return answer;
    } finally {
      await loop.sleep(Math.ceil(latency / 2));
    }
  }

  /** The same token again takes no capacity: it is answered with what it launched (serverless-aws §2). */
  #hasLaunched({ subnetId, clientToken }: LaunchRequest): boolean {
    return this.#launches.has(`${this.#options.subnets.get(subnetId)} ${clientToken}`);
  }

  #launch(request: LaunchRequest): readonly InstanceRecord[] {
    const { catalog, subnets, loop } = this.#options;
    const { zone, priceUsdPerHour } = resolveLaunch(request, catalog, subnets);
    this.#partitions.check(request);
    const parameters = canonicalJson(request);
    const token = `${zone} ${request.clientToken}`;
    const earlier = this.#launches.get(token);
    if (earlier !== undefined) {
      return replay(request.clientToken, earlier, parameters);
    }
    const pool = { ...request, zone };
    this.#pools.checkReservation(pool);
    const count = Math.min(request.maxCount, this.#pools.free(pool));
    if (count < request.minCount) {
      throw insufficientCapacity(request, zone);
    }
    this.#limits.takeResources("RunInstances", count, loop.now());
    this.#pools.take(pool, count);
    const records = Array.from({ length: count }, () => {
      const partitionNumber = this.#partitions.choose(request, zone, this.#fleet.all());
      return this.#fleet.launch(request, { zone, priceUsdPerHour, partitionNumber, ...this.faults.takeLaunchFate() });
    });
    this.#launches.set(token, { parameters, records });
    return records;
  }

  #visible(instanceIds: readonly string[]): readonly InstanceRecord[] {
    const now = this.#options.loop.now();
    return instanceIds.map((instanceId) => {
      const record = this.#fleet.get(instanceId);
      if (record === undefined || !isVisible(record, now)) {
        throw new Ec2ApiError("InvalidInstanceID.NotFound", `The instance ID '${instanceId}' does not exist`);
      }
      return record;
    });
  }

  #existing(instanceId: string): InstanceRecord {
    const record = this.#fleet.get(instanceId);
    if (record === undefined) {
      throw new Error(`there is no instance ${instanceId}`);
    }
    return record;
  }
}

/** The same token in the same zone: the same instances and no other (serverless-aws §2, karpenter-aws §4.8). */
function replay(
  clientToken: string,
  earlier: { readonly parameters: string; readonly records: readonly InstanceRecord[] },
  parameters: string,
): readonly InstanceRecord[] {
  if (earlier.parameters !== parameters) {
    const message = `Arguments on this idempotent request are inconsistent with arguments used in previous request(s) with token ${clientToken}`;
    throw new Ec2ApiError("IdempotentParameterMismatch", message);
  }
  if (earlier.records.every((record) => record.state === "terminated")) {
    const message = `The instances of the request with token ${clientToken} are terminated`;
    throw new Ec2ApiError("IdempotentInstanceTerminated", message);
  }
  return earlier.records;
}

function isCapacityError(code: string | undefined): boolean {
  return code !== undefined && classifyEc2Error(code).providerErrorKind === "NoCapacity";
}

function insufficientCapacity(request: LaunchRequest, zone: string): Ec2ApiError {
  const { instanceType, capacityType } = request;
  if (capacityType === "reserved") {
    return new Ec2ApiError("ReservationCapacityExceeded", `The reservation for ${instanceType} in ${zone} is used up.`);
  }
  const message = `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`;
  return new Ec2ApiError("InsufficientInstanceCapacity", message);
}

/** JSON with sorted keys: equal for equal parameters. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
