import { describe, expect } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { withDefaultSpread } from "../../../shared/provisioning/default-spread.ts";
import { matchesSelector } from "../../../shared/scheduling/label-selectors.ts";
import { jobNamed, replicaSetNamed, statefulSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { pendingPod, zoneSpread } from "../../support/pods.ts";
import {
  podsOwnedBy,
  replicationControllerNamed,
  serviceNamed,
  sources,
  spreadByDefault,
} from "../../support/selector-sources.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const { zone } = label;
const web = replicaSetNamed("web");

/** The pods as they are planned. */
function planned(pods: readonly Pod[], world: World) {
  const snapshot = snapshotWith({ ...spreadByDefault(zone), ...world, pods });
  return withDefaultSpread(snapshot.pods, snapshot);
}

/** The selectors that the pods spread by; undefined for a pod that does not. */
function selectors(pods: readonly Pod[], world: World) {
  return planned(pods, world).map(({ constraints }) => constraints.topologySpread[0]?.labelSelector);
}

describe("the selector of a pod's workload", () => {
  conforms(
    "inject.owner | ReplicaSet/StatefulSet/RC owner | selector of owner (not pod labels); expressions kept",
    () => {
      const expressions = [{ key: "app", operator: "Exists" as const }];
      const choosy = { ...web, spec: { ...web.spec, selector: { matchExpressions: expressions } } };
      for (const [owner, selector] of [
        [web, { matchLabels: { app: "web" } }],
        [statefulSetNamed("web"), { matchLabels: { app: "web" } }],
        [replicationControllerNamed("web", { app: "web" }), { matchLabels: { app: "web" } }],
        [choosy, { matchLabels: {}, matchExpressions: expressions }],
      ] as const) {
        expect(selectors(podsOwnedBy(owner, 1, { labels: { tier: "front" } }), sources([owner]))).toEqual([selector]);
      }
    },
  );

  conforms("inject.owner | unsupported kind, non-controller ref, deleted owner | no owner contribution", () => {
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "web", controller: false };
    const pods = [
      ...podsOwnedBy(jobNamed("job"), 1),
      pendingPod("loose", { app: "web", metadata: { ownerReferences: [reference] } }),
      ...podsOwnedBy(replicaSetNamed("gone"), 1),
    ];
    expect(selectors(pods, sources([web]))).toEqual([undefined, undefined, undefined]);
  });

  conforms(
    "inject.service | one / several matching, none, nil selector, empty selector, other namespace | merged / nothing as appropriate; combined with owner",
    () => {
      const pod = pendingPod("pod", { app: "web", labels: { tier: "front" } });
      const byApp = serviceNamed("by-app", { app: "web" });
      const byTier = serviceNamed("by-tier", { tier: "front" });
      for (const [services, selector] of [
        [[byApp], { matchLabels: { app: "web" } }],
        [[byApp, byTier], { matchLabels: { app: "web", tier: "front" } }],
        [[serviceNamed("other", { app: "other" })], undefined],
        [[serviceNamed("nil"), serviceNamed("null", null)], undefined],
        [[serviceNamed("empty", {})], undefined],
        [[serviceNamed("elsewhere", { app: "web" }, "elsewhere")], undefined],
      ] as const) {
        expect(selectors([pod], sources([], services))).toEqual([selector]);
      }
      const owned = podsOwnedBy(web, 1, { labels: { tier: "front" } });
      expect(selectors(owned, sources([web], [byTier]))).toEqual([{ matchLabels: { app: "web", tier: "front" } }]);
    },
  );

  conforms(
    "inject.conflict | ReplicationController selector and Service selector disagree on a key | RC value overwrites",
    () => {
      const owner = replicationControllerNamed("web", { app: "controller" });
      const service = serviceNamed("web", { app: "web" });
      expect(selectors(podsOwnedBy(owner, 1), sources([owner], [service]))).toEqual([
        { matchLabels: { app: "controller" } },
      ]);
    },
  );

  conforms(
    "inject.conflict | ReplicaSet selector contradicts a Service selector | both ANDed, so nothing is selected",
    () => {
      const owner = { ...web, spec: { ...web.spec, selector: { matchLabels: { app: "owner" } } } };
      const [selector] = selectors(podsOwnedBy(owner, 1), sources([owner], [serviceNamed("web", { app: "web" })]));
      for (const app of ["web", "owner", "other"]) expect(matchesSelector(selector, { app })).toBe(false);
      expect(selector).toBeDefined();
    },
  );

  conforms("inject.cache | same owner different labels; same labels different namespaces | not shared", () => {
    const service = serviceNamed("front", { tier: "front" });
    const pods = [
      ...podsOwnedBy(web, 1, { labels: { tier: "front" } }, "front"),
      ...podsOwnedBy(web, 1, { labels: { tier: "back" } }, "back"),
      ...podsOwnedBy(web, 1, { labels: { tier: "front" }, namespace: "elsewhere" }, "elsewhere"),
    ];
    expect(selectors(pods, sources([web], [service]))).toEqual([
      { matchLabels: { app: "web", tier: "front" } },
      { matchLabels: { app: "web" } },
      undefined,
    ]);
  });
});

describe("defaults on pods", () => {
  conforms("inject.apply | pod with own constraints / no defaults configured (x2) | untouched", () => {
    const own = podsOwnedBy(web, 1, { spec: zoneSpread("other") });
    const snapshot = snapshotWith({ ...spreadByDefault(zone), ...sources([web]), pods: own });
    expect(withDefaultSpread(snapshot.pods, snapshot)).toEqual(snapshot.pods);
    const without = snapshotWith({ ...sources([web]), pods: podsOwnedBy(web, 1) });
    expect(withDefaultSpread(without.pods, without)).toBe(without.pods);
  });

  conforms(
    "inject.apply | several pods in a pass | each gets its own copy, so relaxing one can't affect another; all configured fields kept; selectors per workload",
    () => {
      const changes = { minDomains: 2, nodeAffinityPolicy: "Ignore", nodeTaintsPolicy: "Honor", maxSkew: 3 } as const;
      const other = replicaSetNamed("other");
      const pods = [web, other].flatMap((owner) => podsOwnedBy(owner, 1));
      const constraints = planned(pods, { ...spreadByDefault(zone, changes), ...sources([web, other]) });
      expect(constraints.map((pod) => pod.constraints.topologySpread)).toEqual(
        ["web", "other"].map((app) => [
          {
            topologyKey: zone,
            whenUnsatisfiable: "DoNotSchedule",
            ...changes,
            labelSelector: { matchLabels: { app } },
          },
        ]),
      );
      // Two pods may run in one zone only and give the wish up; the others of their workload keep it.
      const soft = { whenUnsatisfiable: "ScheduleAnyway", nodeAffinityPolicy: "Ignore" } as const;
      const { settings } = spreadByDefault(zone, soft);
      const cluster = new GrowingCluster({
        ...sources([web]),
        settings: { ...settings, preferenceMaxCostPercent: 1_000 },
      });
      const pinned = podsOwnedBy(web, 2, { spec: { nodeSelector: { [zone]: "a" } } }, "pinned");
      cluster.round([...pinned, ...podsOwnedBy(web, 2, { cpu: "100m" }, "free")]);
      expect(cluster.skew(zone)).toEqual([1, 1, 2]);
    },
  );
});
