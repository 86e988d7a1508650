import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Authority, CertificateWithKey, Identity } from "./certificates.ts";
import { type ComponentFlags, type ComponentName, prepareComponents } from "./component-flags.ts";
import { builtComponents, patchVersion } from "./components.ts";
import { ControlPlaneParts } from "./control-plane-parts.ts";
import { freePorts } from "./free-ports.ts";
import { type ApiServerAddress, writeKubeconfig } from "./kubeconfig.ts";
import type { Release } from "./releases.ts";
import { type BearerToken, TestClient } from "./test-client.ts";

export interface KubernetesOptions {
  readonly release: Release;
  /** Keeps the cluster's objects here from one start to the next. Without it they lie in a temporary folder that goes with the cluster. */
  readonly folder?: string;
  /** Bearer tokens that the API server takes, beside client certificates. */
  readonly tokens?: Readonly<Record<string, Identity>>;
  /** Further flags, without their dashes, or other values: `{"kube-controller-manager": {"node-monitor-grace-period": "1h"}}`. */
  readonly flags?: Partial<ComponentFlags>;
  /** Is told what is done while that takes long. */
  readonly say?: (line: string) => void;
}

/**
 * A Kubernetes control plane without kubelets and without a cloud: nodes are objects that a test makes, bound pods stay Pending until a
 * test says otherwise, and deleted pods that are bound go when a test deletes them with a grace period of 0.
 */
export interface Kubernetes {
  /** As 1.37.2. */
  readonly version: string;
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  /** In the group system:masters: may do everything. */
  readonly admin: TestClient;
  readonly adminKubeconfigPath: string;
  readonly folder: string;
  /** A client certificate for anyone. Access rules decide what it may do; nodes are `system:node:NAME` in the group `system:nodes`. */
  certificateFor(identity: Identity): CertificateWithKey;
  clientFor(caller: Identity | BearerToken): TestClient;
  /** Writes a kubeconfig for anyone and returns its path. */
  kubeconfigFor(identity: Identity): string;
  stopApiServer(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts it again at the same address, and resolves when it is ready. */
  startApiServer(): Promise<void>;
  /** From here on the API server answers nobody, while its connections stay open: what a partition looks like. */
  pauseApiServer(): void;
  resumeApiServer(): void;
  logOf(component: ComponentName): string;
  /** Resident memory of each part in bytes. */
  memory(): Readonly<Record<ComponentName, number>>;
  /** Resolves when a part ends that nobody stopped, for good, with its name and the end of its log. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback, and resolves when pods can be created. */
export async function startKubernetes(options: KubernetesOptions): Promise<Kubernetes> {
  const program = await builtComponents(options.release, options.say);
  const folder =
    options.folder === undefined ? mkdtempSync(join(tmpdir(), "journeyman-kubernetes-")) : resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const [apiServerPort = 0, etcdPort = 0] = await freePorts(2);
  const { tokens = {}, flags: furtherFlags = {} } = options;
  const { address, authority, flags } = prepareComponents({ folder, apiServerPort, etcdPort, tokens, furtherFlags });
  const parts = new ControlPlaneParts(program, folder, flags);
  const clients = new ClusterClients(address, authority, folder);
  const startApiServer = () => startedApiServer(parts, clients.admin);
  const stop = async (): Promise<void> => {
    clients.close();
    await parts.stopAll();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    parts.start("etcd");
    await startApiServer();
    await startedControllers(parts, clients.admin);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...address,
    version: patchVersion(options.release),
    folder,
    admin: clients.admin,
    adminKubeconfigPath: clients.kubeconfigFor(admin),
    certificateFor: (identity) => authority.client(identity),
    clientFor: (caller) => clients.clientFor(caller),
    kubeconfigFor: (identity) => clients.kubeconfigFor(identity),
    stopApiServer: (signal) => parts.stop("kube-apiserver", signal),
    startApiServer,
    pauseApiServer: () => parts.get("kube-apiserver").pause(),
    resumeApiServer: () => parts.get("kube-apiserver").resume(),
    logOf: (component) => parts.logOf(component),
    memory: () => parts.memory(),
    failed: parts.failed,
    stop,
  };
}

const admin: Identity = { user: "admin", groups: ["system:masters"] };

async function startedApiServer(parts: ControlPlaneParts, client: TestClient): Promise<void> {
  parts.start("kube-apiserver");
  await parts.answers("kube-apiserver", async () => (await client.request("GET", "/readyz")).status === 200);
}

/** Only with an API server: without one they would end again. */
async function startedControllers(parts: ControlPlaneParts, client: TestClient): Promise<void> {
  parts.start("kube-controller-manager");
  parts.start("kube-scheduler");
  // Pods are refused as long as their namespace has no service account.
  const account = "/api/v1/namespaces/default/serviceaccounts/default";
  await parts.answers("kube-controller-manager", async () => (await client.request("GET", account)).status === 200);
}

/** Who calls the cluster's API, and how. */
class ClusterClients {
  readonly admin: TestClient;
  readonly #made: TestClient[] = [];
  readonly #address: ApiServerAddress;
  readonly #authority: Authority;
  readonly #folder: string;

  constructor(address: ApiServerAddress, authority: Authority, folder: string) {
    this.#address = address;
    this.#authority = authority;
    this.#folder = folder;
    this.admin = this.clientFor(admin);
  }

  clientFor(caller: Identity | BearerToken): TestClient {
    const client = new TestClient(this.#address, "token" in caller ? caller : this.#authority.client(caller));
    this.#made.push(client);
    return client;
  }

  kubeconfigFor(identity: Identity): string {
    const path = join(this.#folder, `${identity.user.replace(/[^\w.-]/g, "-")}.kubeconfig`);
    writeKubeconfig(path, this.#address, this.#authority.client(identity));
    return path;
  }

  close(): void {
    for (const client of this.#made) client.close();
  }
}
