import { describe, expect, it } from "vitest";
import type { Pod } from "../../shared/api/core.ts";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import type { Hint } from "../../shared/hints.ts";
import { ProviderError } from "../../shared/ports.ts";
import type { KubernetesFaults } from "../../shared/simulator/kubernetes-port.ts";
import { formatNominations } from "../../shared/state/nominations.ts";
import { podRecord } from "../../shared/state/pod-decoding.ts";
import { podNamed } from "../support/cluster-objects.ts";
import {
  addClaim,
  addNode,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";
import { zoneSpread } from "../support/pods.ts";

const inNamespace = (name: string) => ({ name, namespace: "default" });
const sweep: Partial<Hint> = { kind: "lifecycle-sweep" };

async function see(world: ControllerWorld, hint: Partial<Hint>, settings = {}): Promise<void> {
  await lifecycle(world.ports, { ...world.settings, ...settings }, [{ at: world.now(), ...hint } as Hint]);
}

function nominating(...pods: readonly Pod[]) {
  const nominations = pods.map((pod) => ({ uid: pod.metadata.uid ?? "", owner: "", class: podRecord(pod).classKey }));
  return { annotations: { "journeyman.sh/nominated-pods": formatNominations(nominations) } };
}

function setNomination(world: ControllerWorld, name: string, nominatedNodeName: string | null): void {
  world.server.patch("Pod", inNamespace(name), { status: { nominatedNodeName } }, { subresource: "status" });
}

function nominations(world: ControllerWorld, ...names: readonly string[]): readonly (string | undefined)[] {
  return names.map((name) => world.pod(name)?.status?.nominatedNodeName);
}

/** A node that is about to open for the pods `a`, `b`, ... of a tenth of a cpu. */
function openingWorld(
  names: readonly string[],
  faultsOf: (world: () => ControllerWorld) => KubernetesFaults = () => ({}),
) {
  const world: ControllerWorld = controllerWorld(faultsOf(() => world));
  const pods = names.map((name) => world.server.create("Pod", podNamed(name, { cpu: "100m" })));
  addClaim(world, "one", nominating(...pods));
  addNode(world, "one");
  return world;
}

/** A node that has just opened for them. */
function openWorld(...names: readonly string[]) {
  const world = controllerWorld();
  const pods = names.map((name) => world.server.create("Pod", podNamed(name, { cpu: "100m" })));
  addRunningNode(world, "one", nominating(...pods));
  return world;
}

describe("a node that opens", () => {
  it("waits until no attempt of kube-scheduler clears its pods' nominations, and sets again what the last one cleared", async () => {
    const cleared: string[] = [];
    const attempt = (world: ControllerWorld, name: string, when: string) => {
      if (world.pod(name)?.status?.nominatedNodeName === undefined) return false;
      setNomination(world, name, null);
      return cleared.push(`${name} ${when}`) > 0;
    };
    const closed = ["a", "b"];
    const world = openingWorld(["a", "b"], (get) => ({
      beforeCall: (verb, kind) => {
        if (verb === "list" && kind === "Pod" && attempt(get(), closed[0] ?? "", "closed")) closed.shift();
      },
      afterCall: (verb, kind) => {
        const isOpening = verb === "patch" && kind === "Node" && get().node("node-one")?.spec?.taints?.length === 0;
        if (isOpening) attempt(get(), "b", "open");
      },
    }));
    await see(world, { kind: "node", name: "node-one" });
    expect(cleared).toEqual(["a closed", "b closed", "b open"]);
    expect(nominations(world, "a", "b")).toEqual(["node-one", "node-one"]);
    expect(world.node("node-one")?.spec?.taints).toEqual([]);
  });

  it("waits for the other nodes of its plan where its pods spread over zones, but not for ever", async () => {
    const world = controllerWorld();
    const spec = zoneSpread("web");
    const [first, second] = ["a", "b"].map((name) =>
      world.server.create("Pod", podNamed(name, { cpu: "100m", labels: { app: "web" }, spec })),
    );
    if (first === undefined || second === undefined) throw new Error("no pods");
    addClaim(world, "one", nominating(first));
    addClaim(world, "two", nominating(second));
    addNode(world, "one");
    await see(world, { kind: "node", name: "node-one" });
    const waiting = world.claim("one")?.status?.conditions?.find(({ type }) => type === "Initialized");
    expect(waiting?.reason).toBe("OtherNodesNotReady");
    expect(waiting?.message).toContain("NodeClaim two");
    expect(world.node("node-one")?.spec?.taints).toHaveLength(1);
    expect(world.sent.some(({ hint }) => hint.kind === "node" && hint.name === "node-one")).toBe(true);
    await world.advance(91);
    await see(world, { kind: "node", name: "node-one" });
    expect(world.node("node-one")?.spec?.taints).toEqual([]);
    expect(nominations(world, "a")).toEqual(["node-one"]);
  });

  it("opens with the other nodes of its plan once all are ready", async () => {
    const world = controllerWorld();
    const pods = ["a", "b"].map((name) =>
      world.server.create("Pod", podNamed(name, { cpu: "100m", labels: { app: "web" }, spec: zoneSpread("web") })),
    );
    addClaim(world, "one", nominating(...pods.slice(0, 1)));
    addClaim(world, "two", nominating(...pods.slice(1)));
    addNode(world, "one");
    await see(world, { kind: "node", name: "node-one" });
    addNode(world, "two");
    await see(world, { kind: "node", name: "node-two" });
    await see(world, { kind: "node", name: "node-one" });
    expect(["one", "two"].map((name) => world.node(`node-${name}`)?.spec?.taints)).toEqual([[], []]);
    expect(nominations(world, "a", "b")).toEqual(["node-one", "node-two"]);
  });

  it("does not set again what no longer has room", async () => {
    const world = openingWorld(["a", "b"], (get) => ({
      afterCall: (verb, kind) => {
        if (verb !== "patch" || kind !== "Node" || get().node("node-one")?.spec?.taints?.length !== 0) return;
        setNomination(get(), "a", null);
        if (get().pod("stranger") === undefined) addPod(get(), "stranger", "one", { cpu: "3900m" });
      },
    }));
    await see(world, { kind: "node", name: "node-one" });
    expect(nominations(world, "a", "b")).toEqual([undefined, "node-one"]);
  });

  it("opens though a pod cannot be nominated, which stops no other pod", async () => {
    let writes = 0;
    const world = openingWorld(["a", "b"], () => ({
      beforeCall: (verb, kind) => {
        if (verb !== "patch-status" || kind !== "Pod" || ++writes > 1) return;
        throw new ProviderError("Denied", "Forbidden", "pods/status");
      },
    }));
    await see(world, { kind: "node", name: "node-one" });
    expect([...nominations(world, "a", "b")].sort()).toEqual(["node-one", undefined]);
    expect(world.node("node-one")?.spec?.taints).toEqual([]);
    expect(world.telemetry.total("journeyman_nomination_failures_total")).toBe(1);
  });

  it("does not overwrite what somebody else sets between the read and the write", async () => {
    let isDue = true;
    const world = openingWorld(["a"], (get) => ({
      beforeCall: (verb, kind) => {
        if (verb !== "patch-status" || kind !== "Pod" || !isDue) return;
        isDue = false;
        setNomination(get(), "a", "elsewhere");
      },
    }));
    await see(world, { kind: "node", name: "node-one" });
    expect(nominations(world, "a")).toEqual(["elsewhere"]);
  });

  it("nominates nobody where nominations are switched off", async () => {
    const world = openingWorld(["a"]);
    await see(world, { kind: "node", name: "node-one" }, { nominatePods: false });
    expect(nominations(world, "a")).toEqual([undefined]);
    expect(world.node("node-one")?.spec?.taints).toEqual([]);
  });
});

describe("the sweep", () => {
  it("sets again what has been cleared, and leaves other nominations alone", async () => {
    const world = openWorld("a", "b");
    setNomination(world, "b", "elsewhere");
    await see(world, sweep);
    expect(nominations(world, "a", "b")).toEqual(["node-one", "elsewhere"]);
    expect(world.sent).toEqual([]);
  });

  it("takes nominations back from a node that has been ready for a minute, and has their pods planned again", async () => {
    const world = openWorld("a");
    await see(world, sweep);
    await world.advance(61);
    await see(world, sweep);
    expect(nominations(world, "a")).toEqual([undefined]);
    expect(world.sent.map(({ hint }) => hint)).toEqual([
      expect.objectContaining({ kind: "provision", reason: "retry" }),
    ]);
  });

  it("takes nominations back from a node that is gone", async () => {
    const world = openWorld("a");
    await see(world, sweep);
    world.server.patch("Node", { name: "node-one" }, { metadata: { finalizers: null } });
    world.server.delete("Node", { name: "node-one" });
    await see(world, sweep);
    expect(nominations(world, "a")).toEqual([undefined]);
  });

  it("takes nothing back from a node that registers while it reads", async () => {
    const world: ControllerWorld = controllerWorld({
      beforeCall: (verb, kind) => {
        // Another invocation opens the node after this one has listed the Nodes for the first time.
        const isDue = verb === "list" && kind === "NodeClaim" && world.node("node-one") === undefined;
        if (!isDue || world.claim("one") === undefined || ++listed < 2) return;
        addNode(world, "one", { taints: [] });
        const status = { nodeName: "node-one" };
        world.server.patch("NodeClaim", { name: "one" }, { status }, { subresource: "status" });
        setNomination(world, "a", "node-one");
      },
    });
    let listed = 0;
    const pod = world.server.create("Pod", podNamed("a", { cpu: "100m" }));
    addClaim(world, "one", nominating(pod));
    await see(world, sweep);
    expect(nominations(world, "a")).toEqual(["node-one"]);
  });
});

describe("a claim that is being deleted", () => {
  it("keeps no pod waiting for its node", async () => {
    const world = openWorld("a", "b");
    await see(world, sweep);
    setNomination(world, "b", "elsewhere");
    world.server.delete("NodeClaim", { name: "one" });
    await see(world, { kind: "node-claim", name: "one" });
    expect(nominations(world, "a", "b")).toEqual([undefined, "elsewhere"]);
    expect(world.sent.map(({ hint }) => hint.kind)).toEqual(["termination"]);
  });
});
