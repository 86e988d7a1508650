import {
  type CertificateKeeper,
  type CertificateStore,
  certificateKeeper,
} from "../../functions/webhook/certificate-keeper.ts";
import type { ServingCertificate } from "../../functions/webhook/server.ts";

export const webhookName = "hook.ns.svc";
const day = 86_400_000;

/** The Secret and the configuration as an API server keeps them: a write against an old version changes nothing. */
interface StoredObjects {
  secret: { readonly resourceVersion: string; readonly data: Readonly<Record<string, string>> } | undefined;
  configuration:
    | {
        readonly resourceVersion: string;
        readonly entries: readonly { readonly name: string; readonly caBundle: string }[];
      }
    | undefined;
}

interface Replica {
  readonly keeper: CertificateKeeper;
  /** The last is what it serves now. */
  readonly served: ServingCertificate[];
}

/** A namespace with webhook replicas in simulated time. */
export function certificateWorld() {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const entries = [
    { name: "pods.journeyman.sh", caBundle: "" },
    { name: "nodes.journeyman.sh", caBundle: "" },
  ];
  const objects: StoredObjects = { secret: undefined, configuration: { resourceVersion: "1", entries } };
  const log: string[] = [];
  const writes = new Interrupted();
  const store = storeOf(objects, writes);

  return {
    objects,
    log,
    start: (dnsNames: readonly string[] = [webhookName]): Replica => {
      const served: ServingCertificate[] = [];
      const keeper = certificateKeeper({
        store,
        dnsNames,
        now: () => now,
        serve: (certificate) => served.push(certificate),
        log: (_, fields) => log.push(String(fields.why ?? fields.outcome)),
      });
      return { keeper, served };
    },
    now: () => now,
    passDays: (days: number) => {
      now += days * day;
    },
    passMinutes: (minutes: number) => {
      now += minutes * 60_000;
    },
    /** Runs once, between a replica's next read and its write. */
    beforeNextWrite: (work: () => Promise<void>) => writes.beforeNext(work),
    bundle: () => objects.configuration?.entries[0]?.caBundle ?? "",
    breakSecret: (data: Readonly<Record<string, string>>) => {
      objects.secret = { resourceVersion: writes.nextVersion(), data: { ...objects.secret?.data, ...data } };
    },
  };
}

export type CertificateWorld = ReturnType<typeof certificateWorld>;

/** Lets somebody else in just before a write. */
class Interrupted {
  #version = 1;
  #work: (() => Promise<void>) | undefined;

  beforeNext(work: () => Promise<void>): void {
    this.#work = work;
  }

  async interrupt(): Promise<void> {
    const work = this.#work;
    this.#work = undefined;
    await work?.();
  }

  nextVersion(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

function storeOf(objects: StoredObjects, writes: Interrupted): CertificateStore {
  return {
    readSecret: async () => objects.secret,
    async writeSecret(patch, resourceVersion) {
      await writes.interrupt();
      if (objects.secret?.resourceVersion !== resourceVersion) return "conflict";
      const merged = Object.entries({ ...objects.secret?.data, ...patch });
      const data = Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
      objects.secret = { resourceVersion: writes.nextVersion(), data };
      return "written";
    },
    readConfiguration: async () => objects.configuration,
    async writeCaBundle(caBundle, { resourceVersion }) {
      await writes.interrupt();
      if (objects.configuration?.resourceVersion !== resourceVersion) return "conflict";
      const rewritten = objects.configuration.entries.map(({ name }) => ({ name, caBundle }));
      objects.configuration = { resourceVersion: writes.nextVersion(), entries: rewritten };
      return "written";
    },
  };
}
