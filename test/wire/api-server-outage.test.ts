import { afterAll, describe, expect, it } from "vitest";
import { kubernetesClient } from "../../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../../shared/adapters/kubernetes/kubernetes-port.ts";
import { WarmLists } from "../../shared/adapters/kubernetes/warm-lists.ts";
import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { provision } from "../../shared/controllers/provisioning.ts";
import type { Ports } from "../../shared/ports.ts";
import { restAnswer } from "../support/api-server-http.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { httpsLoopback, type LoopbackServer, loopbackCertificates, type Outcome } from "../support/loopback.ts";
import { addNodePool, addPendingPod, hintAt, plannerWorld } from "../support/planner-world.ts";

const certificates = loopbackCertificates();
const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

type Fault = "cut before" | "cut after" | "busy" | "expired";

/** The planner and the collection with the production client, over TLS, before the simulated API server; time is virtual. */
async function outageWorld(faultAt: (seconds: number, call: number) => Fault | undefined) {
  const world = plannerWorld();
  const { loop, server, settings } = world;
  const time = new DrivenTime(loop);
  const startedAt = loop.now();
  const met = new Map<Fault, number>();
  let calls = 0;
  const loopback = await httpsLoopback((request): Outcome => {
    const fault = faultAt((loop.now() - startedAt) / 1_000, calls++);
    if (fault !== undefined) met.set(fault, (met.get(fault) ?? 0) + 1);
    if (fault === "cut before") return "cut";
    if (fault === "busy") return { status: 429, headers: { "retry-after": "1" }, body: "busy" };
    if (fault === "expired" && request.url.searchParams.has("continue")) {
      return { status: 410, body: { kind: "Status", code: 410, reason: "Expired", message: "too old" } };
    }
    const answer = restAnswer(server, request);
    return fault === "cut after" ? "cut" : answer;
  }, certificates);
  open.push(loopback);
  const client = kubernetesClient({
    endpoint: { url: loopback.url, certificateAuthority: certificates.certificateAuthority },
    tokens: { token: async () => "token", invalidate: () => {} },
    sleep: (milliseconds) => time.sleep(milliseconds),
  });
  const { ec2 } = world.ports;
  const ports: Ports = {
    ...world.ports,
    kubernetes: kubernetesPort(async () => client, world.ports.telemetry, { warmLists: new WarmLists(client) }),
    ec2: {
      runInstances: (request) => time.settle(() => ec2.runInstances(request)),
      describeInstances: (filter) => time.settle(() => ec2.describeInstances(filter)),
      terminateInstances: (ids) => time.settle(() => ec2.terminateInstances(ids)),
      createTags: (ids, tags) => time.settle(() => ec2.createTags(ids, tags)),
    },
    clock: { ...world.ports.clock, sleep: (milliseconds) => time.sleep(milliseconds) },
  };
  addNodePool(world, "default", { zones: ["us-east-1a"] });
  let failures = 0;
  /** Passes and collections every five virtual seconds, each an invocation of its own. */
  const run = async (seconds: number) => {
    const until = startedAt + seconds * 1_000;
    for (let pass = 0; loop.now() < until; pass += 1) {
      world.invocation.requestId = `invocation-${loop.now()}-${pass}`;
      const work = pass % 6 === 5 ? collectGarbage(ports, settings) : provision(ports, settings, [hintAt(loop.now())]);
      await work.catch(() => {
        failures += 1;
      });
      await time.sleep(5_000);
    }
  };
  return { ...world, run, met, failures: () => failures };
}

type OutageWorld = Awaited<ReturnType<typeof outageWorld>>;

/** Every pod has its place on one claim, each claim its own living instance, and no instance is without a claim. */
function expectNothingLostOrDoubled(world: OutageWorld, pods: number): void {
  const claims = world.claims();
  const nominated = claims.flatMap(({ metadata }) => [
    ...(metadata.annotations?.["journeyman.sh/nominated-pods"]?.matchAll(/"uid":"([^"]+)"/g) ?? []),
  ]);
  const uids = nominated.map(([, uid]) => uid);
  const living = world.aws.instances().filter(({ state }) => state === "pending" || state === "running");
  const ids = claims.map(({ status }) => status?.providerID?.split("/").at(-1));
  expect(new Set(uids).size).toBe(pods);
  expect(uids).toHaveLength(pods);
  expect(new Set(ids).size).toBe(claims.length);
  expect(living.map(({ instanceId }) => instanceId).sort()).toEqual(ids.sort());
}

describe("an API server that fails", () => {
  it("for 60 s by a partition, then is restarted, busy and compacted: nothing is lost and nothing doubled", async () => {
    const world = await outageWorld((seconds, call) => {
      if (seconds >= 10 && seconds < 70) return "cut before";
      // A restart: what was under way is done, and nobody hears of it.
      if (seconds >= 75 && seconds < 90 && call % 5 === 0) return "cut after";
      if (seconds >= 95 && seconds < 110 && call % 3 === 0) return "busy";
      if (seconds >= 115 && seconds < 130 && call % 4 === 0) return "expired";
      return undefined;
    });
    for (let index = 0; index < 12; index += 1) addPendingPod(world, `first-${index}`);
    await world.run(40);
    for (let index = 0; index < 12; index += 1) addPendingPod(world, `second-${index}`);
    await world.run(85);
    for (let index = 0; index < 12; index += 1) addPendingPod(world, `third-${index}`);
    await world.run(180);
    expect([...world.met.keys()].sort()).toEqual(["busy", "cut after", "cut before", "expired"]);
    expect(world.failures()).toBeGreaterThan(0);
    expectNothingLostOrDoubled(world, 36);
  });

  it("at any call of a launch, which it does and does not answer", async () => {
    for (let cut = 0; cut < 60; cut += 7) {
      const world = await outageWorld((_seconds, call) => (call >= cut && call < cut + 3 ? "cut after" : undefined));
      for (let index = 0; index < 6; index += 1) addPendingPod(world, `pod-${index}`);
      await world.run(120);
      expectNothingLostOrDoubled(world, 6);
    }
  });
});
