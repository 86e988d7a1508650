import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Authority, createAuthority, createSigningKeys, type Identity } from "./certificates.ts";
import { type ApiServerAddress, writeKubeconfig } from "./kubeconfig.ts";

/** In the order in which they start. */
export const componentNames = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

export type ComponentName = (typeof componentNames)[number];

/** Flags without their dashes, by part. */
export type ComponentFlags = Readonly<Record<ComponentName, Flags>>;

export type Flags = Readonly<Record<string, string>>;

export interface ComponentFlagsOptions {
  /** Where certificates, keys and configurations are written, and etcd's data are. */
  readonly folder: string;
  readonly apiServerPort: number;
  readonly etcdPort: number;
  readonly tokens: Readonly<Record<string, Identity>>;
  readonly furtherFlags: Partial<ComponentFlags>;
}

export interface PreparedComponents {
  readonly address: ApiServerAddress;
  readonly authority: Authority;
  readonly flags: ComponentFlags;
}

/** Makes new certificates and writes all files that the parts need. */
export function prepareComponents(options: ComponentFlagsOptions): PreparedComponents {
  const authority = createAuthority("journeyman test cluster");
  const address = {
    url: `https://127.0.0.1:${options.apiServerPort}`,
    certificateAuthority: authority.certificate,
  };
  const write = (name: string, content: string): string => {
    const path = join(options.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const kubeconfig = (user: string): string => {
    const path = join(options.folder, `${user.replace("system:", "")}.kubeconfig`);
    writeKubeconfig(path, address, authority.client({ user }));
    return path;
  };
  const signing = createSigningKeys();
  const server = authority.server("kube-apiserver", ["localhost", "kubernetes.default.svc"], ["127.0.0.1"]);
  const files: SecurityFiles = {
    serverCertificate: write("apiserver.crt", server.certificate),
    serverKey: write("apiserver.key", server.privateKey),
    certificateAuthority: write("ca.crt", authority.certificate),
    certificateAuthorityKey: write("ca.key", authority.privateKey),
    tokenSigningKey: write("service-accounts.key", signing.privateKey),
    tokenCheckingKey: write("service-accounts.pub", signing.publicKey),
  };
  const flags: ComponentFlags = {
    etcd: etcdFlags(options),
    "kube-apiserver": { ...apiServerFlags(options, files), ...tokenFlags(options.tokens, write) },
    "kube-controller-manager": controllerManagerFlags(files, kubeconfig("system:kube-controller-manager")),
    "kube-scheduler": {
      config: write("scheduler.yaml", schedulerConfiguration(kubeconfig("system:kube-scheduler"))),
      "secure-port": "0",
    },
  };
  return { address, authority, flags: withFurther(flags, options.furtherFlags) };
}

function withFurther(flags: ComponentFlags, further: Partial<ComponentFlags>): ComponentFlags {
  return {
    etcd: { ...flags.etcd, ...further.etcd },
    "kube-apiserver": { ...flags["kube-apiserver"], ...further["kube-apiserver"] },
    "kube-controller-manager": { ...flags["kube-controller-manager"], ...further["kube-controller-manager"] },
    "kube-scheduler": { ...flags["kube-scheduler"], ...further["kube-scheduler"] },
  };
}

interface SecurityFiles {
  readonly serverCertificate: string;
  readonly serverKey: string;
  readonly certificateAuthority: string;
  readonly certificateAuthorityKey: string;
  readonly tokenSigningKey: string;
  readonly tokenCheckingKey: string;
}

function etcdFlags({ folder, etcdPort }: ComponentFlagsOptions): Flags {
  const url = `http://127.0.0.1:${etcdPort}`;
  return {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": url,
    "advertise-client-urls": url,
    "listen-peer-urls": "http://127.0.0.1:0",
    "log-level": "warn",
    // A test cluster has nothing to lose when the machine fails.
    "unsafe-no-fsync": "true",
    "quota-backend-bytes": String(8 * 2 ** 30),
  };
}

/** Access rules, admission and service accounts as EKS has them; what the cloud would add is left out. */
function apiServerFlags({ apiServerPort, etcdPort }: ComponentFlagsOptions, files: SecurityFiles): Flags {
  return {
    "etcd-servers": `http://127.0.0.1:${etcdPort}`,
    "bind-address": "127.0.0.1",
    "advertise-address": "127.0.0.1",
    "secure-port": String(apiServerPort),
    // Endpoints may not be loopback addresses: without a reconciler nobody tries.
    "endpoint-reconciler-type": "none",
    "tls-cert-file": files.serverCertificate,
    "tls-private-key-file": files.serverKey,
    "client-ca-file": files.certificateAuthority,
    "anonymous-auth": "false",
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": "true",
    "service-cluster-ip-range": "10.96.0.0/16",
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": files.tokenCheckingKey,
    "service-account-signing-key-file": files.tokenSigningKey,
  };
}

function controllerManagerFlags(files: SecurityFiles, kubeconfig: string): Flags {
  return {
    kubeconfig,
    "leader-elect": "false",
    "secure-port": "0",
    "use-service-account-credentials": "true",
    "service-account-private-key-file": files.tokenSigningKey,
    "root-ca-file": files.certificateAuthority,
    "cluster-signing-cert-file": files.certificateAuthority,
    "cluster-signing-key-file": files.certificateAuthorityKey,
    // The defaults, 20 and 30 a second, are for a control plane that many share.
    "kube-api-qps": "500",
    "kube-api-burst": "1000",
  };
}

/** kube-scheduler's defaults, but for the limits of its client and the longest wait of a pod before its next attempt (10 s). */
function schedulerConfiguration(kubeconfig: string): string {
  return stringify({
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig, qps: 500, burst: 1_000 },
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 1,
  });
}

/** The API server's static token file: token, user, user id, groups. */
function tokenFlags(
  tokens: Readonly<Record<string, Identity>>,
  write: (name: string, content: string) => string,
): Flags {
  const lines = Object.entries(tokens).map(
    ([token, { user, groups = [] }]) => `${token},${user},${user},"${groups.join(",")}"\n`,
  );
  return lines.length === 0 ? {} : { "token-auth-file": write("tokens.csv", lines.join("")) };
}
