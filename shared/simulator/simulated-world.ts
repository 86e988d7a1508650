import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { tag } from "../api/labels.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { embeddedCatalog } from "../cloud/embedded-catalog.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { instanceTypesFor } from "../cloud/instance-types.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import { provisioningMessageGroup } from "../runtime/config.ts";
import type { Settings } from "../state/settings.ts";
import { SimulatedCatalogPort, simulatedZones } from "./catalog-port.ts";
import { simulatedClock } from "./clock-port.ts";
import { SimulatedEc2 } from "./ec2.ts";
import { PlacementScores } from "./ec2-placement-scores.ts";
import { SimulatedEc2Port } from "./ec2-port.ts";
import { EventLoop } from "./event-loop.ts";
import { SimulatedHintPort } from "./hint-port.ts";
import { type KubernetesFaults, SimulatedKubernetes } from "./kubernetes-port.ts";
import { nodeRegistration } from "./node-bootstrap.ts";
import { ObligingAccount, subnetOf } from "./obliging-account.ts";
import { Random } from "./random.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";
import { type FunctionCrashPlan, type FunctionName, startFunctions } from "./simulated-functions.ts";
import { account, type SimulatedMessaging, simulatedMessaging } from "./simulated-queues.ts";
import { functionUserPrefix, startWebhook } from "./simulated-webhook.ts";
import { RecordingTelemetry } from "./telemetry-port.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly settings: Settings;
  readonly startAt: number;
  readonly namespaces?: readonly string[];
  readonly crashPlan?: FunctionCrashPlan;
  readonly kubernetesFaults?: KubernetesFaults;
  /** Without it every event of the webhook is lost, and only the sweep is left. */
  readonly withoutWebhook?: boolean;
}

/** A cluster without a node, an EC2 with room, and the whole stack between them, in virtual time. */
export class SimulatedWorld {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly settings: Settings;
  readonly cluster: SimulatedCluster;
  readonly ec2: SimulatedEc2;
  readonly messaging: SimulatedMessaging;
  readonly telemetry: RecordingTelemetry;
  /** Errors that no provider and no fault of the simulator's explains. */
  readonly bugs: { readonly name: FunctionName; readonly error: unknown }[] = [];
  readonly #kubernetes: { readonly name: FunctionName; readonly calls: SimulatedKubernetes["calls"] }[] = [];
  readonly #instanceTypes = new Map<string, ReadonlyMap<string, InstanceType>>();

  constructor(options: WorldOptions) {
    const { seed, settings, startAt, namespaces = [] } = options;
    const loop = new EventLoop(startAt);
    const random = new Random(seed);
    this.loop = loop;
    this.random = random;
    this.settings = settings;
    this.telemetry = new RecordingTelemetry(() => loop.now());
    this.cluster = simulatedCluster({ loop, random, namespaces: [settings.namespace, ...namespaces] });
    this.messaging = simulatedMessaging(loop, random, settings.region);
    const catalog = embeddedCatalog(settings.region);
    this.ec2 = new SimulatedEc2({
      loop,
      random,
      catalog,
      account,
      subnets: new Map(catalog.zones.map((zone) => [subnetOf(zone), zone])),
      defaultBus: this.messaging.defaultBus,
      machines: {
        onBoot: (instance, userData) => this.#boot(instance, userData),
        onStop: (instance) => this.cluster.nodeGone(instance.privateDnsName ?? instance.instanceId),
      },
    });
    if (!options.withoutWebhook) startWebhook(loop, this.cluster.server, this.messaging.clusterBus);
    startFunctions({
      loop,
      random,
      settings,
      queues: this.messaging.queues,
      portsFor: (name) => this.#portsFor(name, options.kubernetesFaults),
      account: {
        ports: {
          ...this.#portsFor("catalog", options.kubernetesFaults),
          catalog: this.#catalogPort(catalog),
          nodeClass: new ObligingAccount({
            ec2: this.ec2,
            zones: simulatedZones(catalog.zones),
            now: () => loop.now(),
          }),
        },
        clusterBus: this.messaging.clusterBus,
      },
      onBug: (name, error) => this.bugs.push({ name, error }),
      ...(options.crashPlan === undefined ? {} : { crashPlan: options.crashPlan }),
    });
  }

  /** Calls to the Kubernetes API by `verb Kind` and to EC2 by action, of our functions alone. */
  apiCalls(): readonly { readonly api: string; readonly calls: number }[] {
    const totals = new Map<string, number>();
    const add = (api: string, calls: number) => totals.set(api, (totals.get(api) ?? 0) + calls);
    for (const { calls } of this.#kubernetes) for (const [api, times] of calls) add(`kubernetes ${api}`, times);
    for (const [api, times] of this.ec2.apiCalls()) add(`ec2 ${api}`, times);
    return [...totals].map(([api, calls]) => ({ api, calls })).sort((a, b) => (a.api < b.api ? -1 : 1));
  }

  /** What each function asked of the Kubernetes API, as `verb Kind`. */
  kubernetesCalls(): readonly { readonly name: FunctionName; readonly api: string }[] {
    return this.#kubernetes.flatMap(({ name, calls }) => [...calls.keys()].map((api) => ({ name, api })));
  }

  #portsFor(name: FunctionName, faults: KubernetesFaults | undefined): Ports {
    const { loop, random, settings, messaging } = this;
    const kubernetes = new SimulatedKubernetes(this.cluster.server, `${functionUserPrefix}${name}`, faults);
    this.#kubernetes.push({ name, calls: kubernetes.calls });
    const endpoint = {
      name: settings.clusterName,
      endpoint: "https://cluster.example",
      certificateAuthority: "Y2VydGlmaWNhdGU=",
      serviceCidr: "172.20.0.0/16",
    };
    return {
      kubernetes,
      ec2: new SimulatedEc2Port(this.ec2, settings.clusterName),
      cluster: { describe: () => Promise.resolve(endpoint) },
      hints: new SimulatedHintPort(messaging.queues, provisioningMessageGroup, loop, random.fork(`hints of ${name}`)),
      clock: simulatedClock(loop, name),
      telemetry: this.telemetry,
    };
  }

  #catalogPort(catalog: Catalog): SimulatedCatalogPort {
    const { ec2, loop } = this;
    const zones = simulatedZones(catalog.zones);
    const room = (instanceType: string, zone: string) => ec2.room({ instanceType, zone, capacityType: "spot" });
    const scores = new PlacementScores({ zones, room, maxTargetCapacity: 1_000 });
    return new SimulatedCatalogPort({ ec2, catalog, zones, scores, now: () => loop.now() });
  }

  /** An instance comes up as a Node only if its class is still there to say what it is. */
  #boot(instance: Ec2Instance, userData: string): void {
    const className = instance.tags[tag.nodeClass] ?? "";
    const nodeClass = this.cluster.server.get("EC2NodeClass", { name: className });
    const type = nodeClass && this.#typesOf(nodeClass).get(instance.instanceType);
    if (type !== undefined) this.cluster.registerNode(nodeRegistration(instance, userData, type));
  }

  #typesOf(nodeClass: EC2NodeClass): ReadonlyMap<string, InstanceType> {
    const key = `${nodeClass.metadata.name}/${nodeClass.metadata.generation ?? 0}`;
    const known = this.#instanceTypes.get(key);
    if (known !== undefined) return known;
    const { vmMemoryOverheadPercent, reservedEnis, region } = this.settings;
    const options = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now: 0 };
    const types = new Map(
      instanceTypesFor(embeddedCatalog(region), nodeClass, options).map((type) => [type.name, type]),
    );
    this.#instanceTypes.set(key, types);
    return types;
  }
}
