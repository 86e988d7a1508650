import { describe, expect, it } from "vitest";
import { kubernetesClient } from "../../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../../shared/adapters/kubernetes/kubernetes-port.ts";
import { WarmLists } from "../../shared/adapters/kubernetes/warm-lists.ts";
import { httpsLoopback, loopbackCertificates, type Outcome, type ReceivedRequest } from "../support/loopback.ts";

const certificates = loopbackCertificates();
const { certificateAuthority } = certificates;
const living = "status.phase!=Succeeded,status.phase!=Failed";

interface Stored {
  readonly node?: string;
  readonly version: number;
}

/** Pods of one namespace as an API server has them: pages of two, and a watch that ends when it has told all it knows. */
class PodServer {
  version = 100;
  readonly #pods = new Map<string, Stored>();
  readonly #events: { readonly version: number; readonly document: object }[] = [];
  /** What the watch says in place of the events. */
  watchSays: readonly object[] | undefined;
  /** A bookmark of now ends each watch. */
  bookmarks = true;
  readonly asked: string[] = [];

  put(name: string, node?: string): void {
    const type = this.#pods.has(name) ? "MODIFIED" : "ADDED";
    this.version += 1;
    this.#pods.set(name, { version: this.version, ...(node !== undefined && { node }) });
    this.#tell(type, name);
  }

  remove(name: string): void {
    this.version += 1;
    this.#tell("DELETED", name);
    this.#pods.delete(name);
  }

  /** Something else in the cluster changes. */
  tick(): void {
    this.version += 1;
  }

  answer({ url }: ReceivedRequest): Outcome {
    const { searchParams } = url;
    if (searchParams.has("watch")) return this.#watch(Number(searchParams.get("resourceVersion")));
    const isUnbound = searchParams.get("fieldSelector")?.includes("spec.nodeName=") ?? false;
    const start = Number(searchParams.get("continue") ?? 0);
    if (start === 0) this.asked.push(isUnbound ? "unbound" : "list");
    const pods = [...this.#pods].filter(([, { node }]) => !isUnbound || node === undefined);
    const items = pods.slice(start, start + 2).map(([name, stored]) => this.#object(name, stored.version));
    const more = start + 2 < pods.length ? { continue: String(start + 2) } : {};
    return { body: { metadata: { resourceVersion: String(this.version), ...more }, items } };
  }

  #watch(from: number): Outcome {
    this.asked.push("watch");
    const told = this.#events.filter(({ version }) => version > from).map(({ document }) => document);
    const bookmark = { type: "BOOKMARK", object: { kind: "Pod", metadata: { resourceVersion: String(this.version) } } };
    const documents = this.watchSays ?? (this.bookmarks ? [...told, bookmark] : told);
    return { body: documents.map((document) => `${JSON.stringify(document)}\n`).join("") };
  }

  #tell(type: string, name: string): void {
    this.#events.push({ version: this.version, document: { type, object: this.#object(name, this.version) } });
  }

  #object(name: string, version: number): object {
    const { node } = this.#pods.get(name) ?? {};
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "n", uid: name, resourceVersion: String(version) },
      spec: { containers: [{ name: "main" }], ...(node !== undefined && { nodeName: node }) },
    };
  }
}

/** Ten pods, which are five pages, and a process that has listed them once. */
async function warmProcess() {
  const pods = new PodServer();
  for (let index = 0; index < 10; index += 1) pods.put(`pod-${index}`, "node-1");
  const server = await httpsLoopback((request) => pods.answer(request), certificates);
  const tokens = { token: async () => "token", invalidate: () => {} };
  const client = kubernetesClient({
    endpoint: { url: server.url, certificateAuthority },
    tokens,
    sleep: async () => {},
  });
  const silent = { count: () => {}, log: () => {} };
  const port = kubernetesPort(async () => client, silent, { warmLists: new WarmLists(client) });
  const read = () => port.list("Pod", { fieldSelector: living });
  await read();
  pods.asked.length = 0;
  const names = async () =>
    (await read()).map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName ?? "-"}`).sort();
  return { pods, read, names, port, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

const rest = [
  "pod-2 node-1",
  "pod-3 node-1",
  "pod-4 node-1",
  "pod-5 node-1",
  "pod-6 node-1",
  "pod-7 node-1",
  "pod-8 node-1",
];

describe("a long list in a warm process", () => {
  it("is caught up by what has changed since", async () => {
    await using process = await warmProcess();
    const { pods } = process;
    pods.put("pod-0", "node-2");
    pods.put("pod-9x");
    pods.remove("pod-1");
    pods.remove("pod-9");
    expect(await process.names()).toEqual(["pod-0 node-2", ...rest, "pod-9x -"]);
    expect(pods.asked).toEqual(["unbound", "watch"]);
  });

  it("keeps the objects that have not changed", async () => {
    await using process = await warmProcess();
    const before = await process.read();
    process.pods.put("pod-0", "node-2");
    const after = await process.read();
    expect(after.filter((pod) => before.includes(pod))).toHaveLength(9);
  });

  it("needs no watch when nothing in the cluster has changed", async () => {
    await using process = await warmProcess();
    expect(await process.names()).toHaveLength(10);
    expect(process.pods.asked).toEqual(["unbound"]);
  });

  it("is read again when the watch has not come as far as the call", async () => {
    await using process = await warmProcess();
    const { pods } = process;
    pods.bookmarks = false;
    pods.put("pod-0", "node-2");
    pods.tick();
    expect(await process.names()).toEqual(["pod-0 node-2", "pod-1 node-1", ...rest, "pod-9 node-1"]);
    expect(pods.asked).toEqual(["unbound", "watch", "list"]);
  });

  it("is caught up by an event from after the call too", async () => {
    await using process = await warmProcess();
    const { pods } = process;
    pods.bookmarks = false;
    pods.put("pod-0", "node-2");
    expect(await process.names()).toContain("pod-0 node-2");
    expect(pods.asked).toEqual(["unbound", "watch"]);
  });

  const gone = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
  it.each([
    ["the events are compacted away", [gone]],
    ["a line is not understood", [{ type: "SURPRISE" }]],
    ["the watch says nothing", []],
  ])("is read again when %s", async (_what, says) => {
    await using process = await warmProcess();
    const { pods } = process;
    pods.put("pod-0", "node-2");
    pods.watchSays = says;
    expect(await process.names()).toContain("pod-0 node-2");
    expect(pods.asked).toEqual(["unbound", "watch", "list"]);
  });

  it("is read again when a pod without a node is missing from the copy", async () => {
    await using process = await warmProcess();
    const { pods } = process;
    pods.put("new");
    // A watch that loses an event and says nothing of it.
    pods.watchSays = [{ type: "BOOKMARK", object: { metadata: { resourceVersion: String(pods.version) } } }];
    expect(await process.names()).toContain("new -");
    expect(pods.asked).toEqual(["unbound", "watch", "list"]);
  });

  it("is listed afresh by any other selector", async () => {
    await using process = await warmProcess();
    process.pods.put("new");
    const unbound = await process.port.list("Pod", { fieldSelector: "spec.nodeName=" });
    expect(unbound.map(({ metadata }) => metadata.name)).toEqual(["new"]);
    expect(process.pods.asked).toEqual(["unbound"]);
  });
});
