import { certificateFault, expiryAt } from "./certificate-check.ts";
import { type CertificateSet, createCertificates } from "./certificates.ts";
import { planRotation, type Rotation } from "./rotation.ts";
import { decodeRotation, encodeRotation, type SecretData, type SecretPatch } from "./secret-data.ts";
import type { ServingCertificate } from "./server.ts";
import { trustedAuthorities, trusts } from "./trusted-authorities.ts";

/** The shared Secret and the webhook's own configuration. Writes hold only against the version that was read. */
export interface CertificateStore {
  readSecret(): Promise<{ readonly resourceVersion: string; readonly data: SecretData } | undefined>;
  /** Without a version: creates it. */
  writeSecret(data: SecretPatch, resourceVersion: string | undefined): Promise<WriteOutcome>;
  readConfiguration(): Promise<WebhookConfiguration | undefined>;
  /** The same bundle for every entry. */
  writeCaBundle(bundle: string, configuration: WebhookConfiguration): Promise<WriteOutcome>;
}

/** `conflict`: somebody else wrote in between; nothing was changed. */
export type WriteOutcome = "written" | "conflict";

export interface WebhookConfiguration {
  readonly resourceVersion: string;
  readonly entries: readonly { readonly name: string /** PEM. */; readonly caBundle: string }[];
}

export interface CertificateKeeperOptions {
  readonly store: CertificateStore;
  /** What the API server calls us. */
  readonly dnsNames: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when another certificate is to be served from now on. */
  readonly serve: (certificate: ServingCertificate) => void;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface CertificateKeeper {
  /** One look at the cluster, and what is to be done about it. To be repeated. @throws what the store throws; what is served stays. */
  pass(): Promise<void>;
  /** Why the API server cannot call us, as far as certificates go; undefined when it can. */
  fault(): string | undefined;
  /** Of the certificate that is served, epoch milliseconds. */
  expiresAt(): number | undefined;
}

const day = 86_400_000;
const lifetimeMilliseconds = 90 * day;
/** For API servers whose clocks are late. */
const backdatedMilliseconds = 10 * 60_000;
/** Two replicas cannot disagree this often in one pass: each that loses finds the other's work done. */
const attempts = 5;

/** Makes, shares, renews and mends the server's certificate, and has the API server trust it. Any number of replicas may do so at once. */
export function certificateKeeper(options: CertificateKeeperOptions): CertificateKeeper {
  const { store, dnsNames, now, log } = options;
  let held: Rotation | undefined;
  let served: CertificateSet | undefined;
  let distrust: string | undefined = "the certificate is not made yet";

  const create = () => {
    const notBefore = new Date(now() - backdatedMilliseconds);
    return createCertificates({ dnsNames, notBefore, notAfter: new Date(notBefore.getTime() + lifetimeMilliseconds) });
  };

  /** Undefined after a conflict: the world is to be read again. */
  async function attempt(): Promise<"done" | undefined> {
    const [secret, configuration] = await Promise.all([store.readSecret(), store.readConfiguration()]);
    const isTrusted = (set: CertificateSet) => distrustOf(set, configuration) === undefined;
    const stored = secret === undefined ? undefined : decodeRotation(secret.data);
    const step = planRotation({ stored, held, dnsNames, now: now(), isTrusted, create });
    if (step.kind === "write") {
      const outcome = await store.writeSecret(encodeRotation(step.rotation), secret?.resourceVersion);
      log("certificate", { why: step.why, outcome });
      if (outcome === "conflict") return undefined;
    }
    held = step.rotation;
    const required = [held.current, held.next].flatMap((set) => set?.certificateAuthority ?? []);
    if (configuration !== undefined && (await trust(required, configuration)) === "conflict") return undefined;
    serve(held.current);
    distrust = configuration === undefined ? "the ValidatingWebhookConfiguration does not exist" : undefined;
    return "done";
  }

  async function trust(required: readonly string[], configuration: WebhookConfiguration): Promise<WriteOutcome> {
    const bundle = trustedAuthorities(required, commonBundle(configuration), now());
    if (configuration.entries.every(({ caBundle }) => caBundle === bundle)) return "written";
    const outcome = await store.writeCaBundle(bundle, configuration);
    log("caBundle", { outcome });
    return outcome;
  }

  function serve(set: CertificateSet): void {
    if (set.certificate === served?.certificate) return;
    served = set;
    options.serve(set);
  }

  return {
    async pass() {
      for (let n = 0; n < attempts; n += 1) if ((await attempt()) === "done") return;
      log("certificate", { why: "too many conflicts; tried again later" });
    },
    fault: () => distrust ?? (served === undefined ? undefined : certificateFault(served, dnsNames, now())),
    expiresAt: () => (served === undefined ? undefined : expiryAt(served)),
  };
}

function distrustOf(
  { certificateAuthority }: CertificateSet,
  configuration: WebhookConfiguration | undefined,
): string | undefined {
  const blind = configuration?.entries.find(({ caBundle }) => !trusts(caBundle, certificateAuthority));
  return blind === undefined ? undefined : `${blind.name} does not trust it`;
}

/** What any entry trusts: the entries may have been written apart. */
function commonBundle({ entries }: WebhookConfiguration): string {
  return entries.map(({ caBundle }) => caBundle).join("\n");
}
