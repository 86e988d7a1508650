import type { Ec2Instance, InstanceState } from "../ports.ts";
import { type InstanceOrigin, spotInterruptionWarning, stateChange } from "./ec2-events.ts";
import type { LaunchFate } from "./ec2-faults.ts";
import { describeRecord, type InstanceRecord, type LaunchRequest, spotTermination } from "./ec2-instance.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventLoop } from "./event-loop.ts";
import { hexDigits } from "./identifiers.ts";
import type { Random } from "./random.ts";

/** How the rest of the simulation learns of machines. */
export interface MachineListener {
  /** The operating system is up and its bootstrap has read the user data: a Node may register now. */
  onBoot(instance: Ec2Instance, userData: string): void;
  /** The machine stops: its kubelet and containers are gone. */
  onStop(instance: Ec2Instance): void;
  /** EC2 has the machine back. */
  onReleased(record: InstanceRecord): void;
}

interface LaunchDetails extends LaunchFate {
  readonly zone: string;
  readonly partitionNumber?: number | undefined;
  readonly priceUsdPerHour: number;
}

/** Longest time for which a new instance is unknown to other calls, unless a script says otherwise. */
const maxInvisibleMilliseconds = 2_000;
const spotNoticeMilliseconds = 120_000;

/** The machines: from pending over running and shutting-down to terminated, each change an event on the default bus. */
export class Ec2Fleet {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #origin: InstanceOrigin;
  readonly #bus: EventBus;
  readonly #listener: MachineListener;
  readonly #records = new Map<string, InstanceRecord>();

  constructor(loop: EventLoop, random: Random, origin: InstanceOrigin, bus: EventBus, listener: MachineListener) {
    this.#loop = loop;
    this.#random = random;
    this.#origin = origin;
    this.#bus = bus;
    this.#listener = listener;
  }

  get(instanceId: string): InstanceRecord | undefined {
    return this.#records.get(instanceId);
  }

  /** Every instance there has ever been, in the order of launch. */
  all(): readonly InstanceRecord[] {
    return [...this.#records.values()];
  }

  launch(request: LaunchRequest, details: LaunchDetails): InstanceRecord {
    const now = this.#loop.now();
    const instanceId = `i-0${hexDigits(this.#random, 16)}`;
    const random = this.#random.fork(instanceId);
    const invisible = random.integer(0, maxInvisibleMilliseconds);
    const record: InstanceRecord = {
      instanceId,
      request,
      zone: details.zone,
      partitionNumber: details.partitionNumber,
      privateDnsName: privateDnsName(this.#records.size, this.#origin.region),
      priceUsdPerHour: details.priceUsdPerHour,
      launchedAt: now,
      visibleAt: now + (details.hiddenMilliseconds ?? invisible),
      tags: new Map(Object.entries(request.tags)),
      state: "pending",
      stateReason: undefined,
      reclaimAt: undefined,
      runningAt: undefined,
      stoppedAt: undefined,
      terminatedAt: undefined,
    };
    this.#records.set(instanceId, record);
    this.#announce(record);
    this.#later(random.integer(3_000, 8_000), record, "pending", () => this.#start(record, random, details));
    return record;
  }

  /** Starts the end of an instance; nothing when it is ending already. */
  shutDown(record: InstanceRecord, stateReason: string): void {
    if (record.state !== "pending" && record.state !== "running") return;
    record.stoppedAt = this.#loop.now();
    record.stateReason = stateReason;
    record.state = "shutting-down";
    this.#announce(record);
    this.#listener.onStop(describeRecord(record));
    const delay = this.#random.fork(`${record.instanceId} end`).integer(15_000, 45_000);
    this.#later(delay, record, "shutting-down", () => this.#end(record));
  }

  /** A spot notice now, the reclaim in two minutes. Nothing for an instance that has its notice or is ending. */
  interrupt(record: InstanceRecord): void {
    const alive = record.state === "pending" || record.state === "running";
    if (!alive || record.reclaimAt !== undefined) return;
    record.reclaimAt = this.#loop.now() + spotNoticeMilliseconds;
    this.#bus.publish(spotInterruptionWarning(record.instanceId, this.#origin));
    this.#loop.schedule(spotNoticeMilliseconds, `reclaim ${record.instanceId}`, () =>
      this.shutDown(record, spotTermination),
    );
  }

  #start(record: InstanceRecord, random: Random, details: LaunchDetails): void {
    if (details.diesOf !== undefined) {
      this.shutDown(record, details.diesOf);
      return;
    }
    record.runningAt = this.#loop.now();
    record.state = "running";
    this.#announce(record);
    if (details.boots) {
      const bootDelay = record.launchedAt + random.integer(25_000, 45_000) - this.#loop.now();
      this.#later(bootDelay, record, "running", () =>
        this.#listener.onBoot(describeRecord(record), record.request.userData),
      );
    }
  }

  #end(record: InstanceRecord): void {
    record.terminatedAt = this.#loop.now();
    record.state = "terminated";
    this.#announce(record);
    this.#listener.onReleased(record);
  }

  #announce(record: InstanceRecord): void {
    this.#bus.publish(stateChange(record.instanceId, record.state, this.#origin));
  }

  /** Runs a step of an instance's life, unless it has left the state from which the step goes out. */
  #later(milliseconds: number, record: InstanceRecord, from: InstanceState, step: () => void): void {
    this.#loop.schedule(milliseconds, `${record.instanceId} after ${from}`, () => {
      if (record.state === from) step();
    });
  }
}

function privateDnsName(index: number, region: string): string {
  const address = `ip-10-${Math.floor(index / 65_536)}-${Math.floor(index / 256) % 256}-${index % 256}`;
  return region === "us-east-1" ? `${address}.ec2.internal` : `${address}.${region}.compute.internal`;
}
