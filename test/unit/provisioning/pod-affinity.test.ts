import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { inFlightClaim, plainNode } from "../../support/nodes.ts";
import {
  expectAllPlaced,
  expectExisting,
  expectNodes,
  expectSpread,
  expectUnschedulable,
} from "../../support/plans.ts";
import { awayFrom, near, pendingPod, pendingPods, runningPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const { zone } = label;
const full = { key: "full", effect: "NoSchedule" } as const;

describe("affinity on the hostname", () => {
  it("puts pods onto one node with those they want", () => {
    const plan = planFor({
      pods: [pendingPod("db", { app: "db" }), pendingPod("web", { cpu: "2", spec: near("db") })],
    });
    expectNodes(plan, "m5.xlarge in a: db web");
  });

  it("puts all that want their own kind onto one node, and leaves those that do not fit", () => {
    expectNodes(planFor({ pods: pendingPods(3, "web", { spec: near("web") }) }), "m5.xlarge in a: web-0 web-1 web-2");
    const plan = planFor({ pods: pendingPods(10, "web", { cpu: "3", spec: near("web") }) });
    expectSpread(plan, "node", [5]);
    expectUnschedulable(
      plan,
      ["web-5", "web-6", "web-7", "web-8", "web-9"],
      "the pods it wants are on no node|no node is large enough".split("|")[1] ?? "",
    );
  });

  it("does not bind the pods that are wanted", () => {
    const plan = planFor({
      pods: [...pendingPods(30, "db"), ...pendingPods(2, "web", { cpu: "15", spec: near("db") })],
    });
    expectAllPlaced(plan);
    for (const { pods } of plan.nodeClaims) {
      if (pods.some(({ name }) => name.startsWith("web")))
        expect(pods.some(({ name }) => name.startsWith("db"))).toBe(true);
    }
  });

  it("does not cost the wanted pods their place when nothing is large enough for both", () => {
    const plan = planFor({
      pods: [pendingPod("db", { app: "db" }), pendingPod("web", { cpu: "16", spec: near("db") })],
    });
    expectNodes(plan, "m5.large in a: db");
    expectUnschedulable(plan, ["web"], "no node is large enough");
  });

  it("refuses pods that want each other in a circle: none of them can be the first", () => {
    const pods = [
      pendingPod("a", { app: "a", spec: near("b") }),
      pendingPod("b", { app: "b", spec: near("c") }),
      pendingPod("c", { app: "c", spec: near("a") }),
      pendingPod("d", { app: "d", spec: near("a") }),
    ];
    expectUnschedulable(planFor({ pods }), ["a", "b", "c", "d"], "the pods it wants are on no node");
  });

  it("to two kinds wants one pod that is of both", () => {
    const [toB, toD] = [near("b"), near("d", zone)].map(
      ({ affinity }) => affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    );
    const both = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [...(toB ?? []), ...(toD ?? [])] } };
    const wanting = pendingPod("a", { app: "a", spec: { affinity: both } });
    const apart = [pendingPod("b", { app: "b" }), pendingPod("d", { app: "d" })];
    expectUnschedulable(planFor({ pods: [...apart, wanting] }), ["a"], "pod affinity");
  });

  it("follows a running pod onto its node, and nowhere else", () => {
    const pods = [runningPod("db", "n", { app: "db" }), ...pendingPods(4, "web", { spec: near("db") })];
    const plan = planFor({ pods, nodes: [plainNode("n", { cpu: "4" })] });
    expectExisting(plan, { n: "web-0 web-1 web-2" });
    expectUnschedulable(plan, ["web-3"], "the pods it wants are on no node with room");
  });

  it("makes chains of one node, and nothing of a chain without a head", () => {
    const chain = [
      pendingPod("ui", { app: "ui", spec: near("cache") }),
      pendingPod("cache", { app: "cache", spec: near("web") }),
      pendingPod("web", { app: "web", spec: near("db") }),
    ];
    expectNodes(planFor({ pods: [...chain, pendingPod("db", { app: "db" })] }), "m5.xlarge in a: cache db ui web");
    expectUnschedulable(planFor({ pods: chain }), ["cache", "ui", "web"], "pod affinity");
  });
});

describe("affinity on zones", () => {
  it("follows pods of the same batch, whatever the order", () => {
    const pinned = pendingPod("db", { app: "db", cpu: "100m", spec: { nodeSelector: { [zone]: "b" } } });
    const plan = planFor({ pods: [...pendingPods(10, "web", { spec: near("db", zone) }), pinned] });
    expectAllPlaced(plan);
    expectSpread(plan, "zone", [11]);
  });

  it("lets the first of its own kind choose, and the others follow", () => {
    expectSpread(planFor({ pods: pendingPods(20, "web", { spec: near("web", zone) }) }), "zone", [20]);
  });

  it("does not reach into other namespaces unless they are named", () => {
    const db = pendingPod("db", { app: "db", namespace: "data" });
    const web = (changes = {}) => pendingPod("web", { spec: near("db", zone, changes) });
    expectUnschedulable(planFor({ pods: [db, web()] }), ["web"], "pod affinity on topology.kubernetes.io/zone");
    expectAllPlaced(planFor({ pods: [db, web({ namespaces: ["data"] })] }));
    expectAllPlaced(planFor({ pods: [db, web({ namespaceSelector: {} })], namespaces: { data: {}, default: {} } }));
  });
});

describe("anti-affinity", () => {
  it("on the hostname gives each pod a node", () => {
    expectSpread(planFor({ pods: pendingPods(3, "web", { spec: awayFrom("web") }) }), "node", [1, 1, 1]);
  });

  it("on zones places one pod for each zone in one pass", () => {
    const plan = planFor({ pods: pendingPods(4, "web", { spec: awayFrom("web", zone) }) });
    expectSpread(plan, "zone", [1, 1, 1]);
    expectUnschedulable(plan, ["web-3"], "pod anti-affinity on topology.kubernetes.io/zone");
  });

  it("of running pods keeps new ones away", () => {
    const nodes = ["a", "b"].map((name) => plainNode(name, { zone: name, taints: [full] }));
    const owners = nodes.map(({ metadata: { name } }) =>
      runningPod(`owner-${name}`, name, { spec: awayFrom("web", zone) }),
    );
    expectNodes(planFor({ pods: [...owners, pendingPod("web", { app: "web" })], nodes }), "m5.large in c: web");
  });

  it("of running pods in every zone leaves no place", () => {
    const nodes = ["a", "b", "c"].map((name) => plainNode(name, { zone: name, taints: [full] }));
    const owners = nodes.map(({ metadata: { name } }) =>
      runningPod(`owner-${name}`, name, { spec: awayFrom("web", zone) }),
    );
    expectUnschedulable(
      planFor({ pods: [...owners, pendingPod("web", { app: "web" })], nodes }),
      ["web"],
      "anti-affinity",
    );
  });

  it("holds between pods of one batch, whoever owns it", () => {
    const pods = [pendingPod("loner", { spec: awayFrom("web") }), ...pendingPods(2, "web")];
    expectNodes(planFor({ pods }), "m5.large in a: loner", "m5.large in a: web-0 web-1");
  });

  it("is content where nodes lack the label", () => {
    expectAllPlaced(planFor({ pods: pendingPods(2, "web", { spec: awayFrom("web", "rack") }) }));
  });

  it("assumes every zone in which a claim may still land", () => {
    const owner = pendingPod("owner", { spec: awayFrom("web", zone), app: "owner" });
    const launching = inFlightClaim("launching");
    const { labels: _, ...metadata } = launching.metadata;
    const claim = {
      ...launching,
      metadata: {
        ...metadata,
        annotations: { "journeyman.sh/nominated-pods": JSON.stringify([{ uid: "owner", owner: "", class: "" }]) },
      },
      spec: { ...launching.spec, requirements: [{ key: zone, operator: "In" as const, values: ["a", "b"] }] },
    };
    expectNodes(
      planFor({ pods: [owner, pendingPod("web", { app: "web" })], nodeClaims: [claim] }),
      "m5.large in c: web",
    );
  });
});

describe("host ports", () => {
  const using = (name: string, hostIP?: string) =>
    pendingPod(name, {
      spec: {
        containers: [{ ports: [{ hostPort: 80, ...(hostIP && { hostIP }) }], resources: { requests: { cpu: "1" } } }],
      },
    });

  it("that are the same need a node each", () => {
    expectSpread(planFor({ pods: [using("p"), using("q")] }), "node", [1, 1]);
  });

  it("of different addresses share a node, the wildcard with none", () => {
    expectSpread(planFor({ pods: [using("p", "10.0.0.1"), using("q", "10.0.0.2")] }), "node", [2]);
    expectSpread(planFor({ pods: [using("p", "10.0.0.1"), using("q", "10.0.0.2"), using("all")] }), "node", [1, 2]);
  });
});

it("a pod that may go anywhere leaves the zone to the one that needs it", () => {
  const away = awayFrom("red", label.zone);
  const pinned = pendingPod("pinned", {
    app: "red",
    cpu: "500m",
    spec: { ...away, nodeSelector: { [label.zone]: "a" } },
  });
  const free = pendingPod("free", { app: "red", cpu: "2", spec: away });
  expectAllPlaced(planFor({ pods: [free, pinned] }));
});
