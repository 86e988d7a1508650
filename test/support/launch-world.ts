import type { EC2NodeClass } from "../../shared/api/ec2-node-class.ts";
import { annotation } from "../../shared/api/labels.ts";
import type { UnavailableOffering } from "../../shared/cloud/catalog.ts";
import { type LaunchGroup, launchGroups } from "../../shared/cloud/launch-groups.ts";
import { advance, type LaunchResult, openSituation } from "../../shared/cloud/launch-progress.ts";
import { formatLaunchRecord, type LeaderRecord } from "../../shared/cloud/launch-record.ts";
import type { LaunchStep } from "../../shared/cloud/launch-situation.ts";
import { nextLaunchStep } from "../../shared/cloud/launch-steps.ts";
import type { RankedOffering } from "../../shared/cloud/ranking.ts";
import { launchRequests } from "../../shared/cloud/run-instances.ts";
import { withMarks } from "../../shared/cloud/unavailable-offerings.ts";
import { clusterEndpoint, LaunchEc2, launchContext } from "./launches.ts";
import { nodeClaim } from "./node-claims.ts";
import { nodeClass } from "./node-classes.ts";

interface StoredClaim {
  launch?: string;
  instanceId?: string;
  deleting: boolean;
}

class Crash extends Error {}

/** NodeClaims and an EC2, and the launch protocol run over them; a pass can be made to crash before any of its effects. */
export class LaunchWorld {
  readonly ec2 = new LaunchEc2();
  readonly claims = new Map<string, StoredClaim>();
  readonly steps: string[] = [];
  nodeClass: EC2NodeClass = nodeClass();
  unavailable: readonly UnavailableOffering[] = [];
  now = 0;
  private effectsLeft = Number.POSITIVE_INFINITY;
  private readonly offerings: readonly RankedOffering[];

  constructor(names: readonly string[], offerings: readonly RankedOffering[]) {
    this.offerings = offerings;
    for (const name of names) this.claims.set(name, { deleting: false });
  }

  /** One pass of the planner over the launches; false when it crashed before effect number `crashBefore` (from 1). */
  pass(crashBefore = Number.POSITIVE_INFINITY): boolean {
    this.effectsLeft = crashBefore - 1;
    try {
      for (const group of this.groups()) this.launch(group);
      return true;
    } catch (error) {
      if (error instanceof Crash) return false;
      throw error;
    } finally {
      this.now += 20_000;
    }
  }

  groups(): readonly LaunchGroup[] {
    const claims = [...this.claims].map(([name, stored]) => ({
      nodeClaim: this.object(name, stored),
      offerings: this.offerings,
    }));
    return launchGroups(claims, { clusterName: clusterEndpoint.name }).groups;
  }

  /** What is wrong with the outcome: a claim without its one living instance, or an instance that nobody has. */
  faults(): readonly string[] {
    const living = new Set(this.ec2.living());
    const faults: string[] = [];
    for (const [name, { instanceId, deleting }] of this.claims) {
      if (deleting) continue;
      if (instanceId === undefined) faults.push(`${name} has no instance`);
      else if (!living.delete(instanceId)) faults.push(`${name} shares or lost ${instanceId}`);
    }
    return [...faults, ...[...living].map((id) => `${id} belongs to nobody`)];
  }

  private object(name: string, { launch, instanceId, deleting }: StoredClaim) {
    return nodeClaim(name, {
      ...(launch && { annotations: { [annotation.launch]: launch } }),
      ...(instanceId && { status: { providerID: `aws:///z1/${instanceId}` } }),
      ...(deleting && { deletedAt: "2026-01-01T00:00:00Z" }),
    });
  }

  private launch(group: LaunchGroup): void {
    const leader = this.claims.get(group.leader) ?? { deleting: false };
    const context = launchContext({ nodeClaim: this.object(group.leader, leader), nodeClass: this.nodeClass });
    const requests = launchRequests(context);
    let situation = openSituation(group, this.unavailable, this.now);
    for (let count = 0; count < 40; count++) {
      const step = nextLaunchStep(situation, requests);
      this.steps.push(step.kind);
      const result = this.perform(step);
      if (result === undefined) return;
      situation = advance(situation, step, result, this.now);
    }
    throw new Error(`the launch goes round in circles: ${this.steps.slice(-10)}`);
  }

  private perform(step: LaunchStep): LaunchResult | undefined {
    switch (step.kind) {
      case "write-record":
        for (const write of step.writes) this.effect(() => this.write(write.nodeClaim, write.annotation));
        return { kind: "performed" };
      case "send": {
        const answer = this.effect(() => this.ec2.run(step.request));
        return "code" in answer
          ? { kind: "refused", code: answer.code, message: "" }
          : { kind: "launched", instances: answer };
      }
      case "resolve-by-tag":
        return { kind: "found", instances: this.effect(() => this.ec2.lookup(step.tagValue)) };
      case "assign":
        return this.assign(step);
      case "next-offering":
        this.effect(() => this.mark(step.mark));
        this.effect(() => this.writeRecord(step.record));
        return { kind: "performed" };
      case "give-up":
        for (const name of step.nodeClaims) this.effect(() => this.claims.delete(name));
        return undefined;
      case "finished":
      case "wait":
      case "stop-pool":
        return undefined;
    }
  }

  private assign(step: Extract<LaunchStep, { kind: "assign" }>): LaunchResult {
    this.effect(() => this.mark(step.mark));
    for (const { nodeClaim: name, instance } of step.pairs) {
      this.effect(() => this.writeStatus(name, instance.instanceId));
    }
    this.effect(() => this.ec2.terminate(step.surplus));
    this.effect(() => this.writeRecord(step.record));
    return { kind: "performed" };
  }

  private effect<T>(perform: () => T): T {
    if (this.effectsLeft-- <= 0) throw new Crash();
    return perform();
  }

  private mark(marks: readonly UnavailableOffering[]): void {
    this.unavailable = withMarks(this.unavailable, marks);
  }

  private write(name: string, launch: string): void {
    const stored = this.claims.get(name);
    if (stored !== undefined) stored.launch = launch;
  }

  private writeRecord(record: LeaderRecord): void {
    this.write(record.members[0] ?? "", formatLaunchRecord(record));
  }

  private writeStatus(name: string, instanceId: string): void {
    const stored = this.claims.get(name);
    if (stored !== undefined) stored.instanceId = instanceId;
  }
}
