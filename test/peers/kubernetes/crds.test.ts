import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customResourceDefinition } from "../../../shared/api/crds/definition.ts";
import { definitions } from "../../../shared/api/crds/definitions.ts";
import { valueIn } from "../../../shared/api/raw-objects.ts";
import type { ApiCase, ApiRows } from "../../support/api-cases/api-case.ts";
import { capacityBufferRows } from "../../support/api-cases/capacity-buffer.ts";
import { nodeClaimRows, nodeClaimServerRows } from "../../support/api-cases/node-claim.ts";
import { nodeClassRows } from "../../support/api-cases/node-class.ts";
import { nodeOverlayRows } from "../../support/api-cases/node-overlay.ts";
import { nodePoolDisruptionRows } from "../../support/api-cases/node-pool-disruption.ts";
import { nodePoolTemplateRows } from "../../support/api-cases/node-pool-template.ts";
import { nodePoolUpdatesRows } from "../../support/api-cases/node-pool-updates.ts";
import { type Kubernetes, startKubernetes } from "./control-plane.ts";
import { karpenterDefinitions } from "./karpenter-definitions.ts";
import { releases } from "./releases.ts";
import type { KubernetesObject } from "./test-client.ts";

const rows: ApiRows = {
  ...nodePoolDisruptionRows,
  ...nodePoolTemplateRows,
  ...nodePoolUpdatesRows,
  ...nodeClaimRows,
  ...nodeClaimServerRows,
  ...nodeOverlayRows,
  ...capacityBufferRows,
  ...nodeClassRows,
};

interface DefinitionSet {
  readonly title: string;
  readonly read: () => readonly KubernetesObject[];
  /** Cases that it does not agree with, as `row #place`, and why. */
  readonly differs: Readonly<Record<string, string>>;
}

const omitted = "np.disruption | consolidateAfter omitted (dynamic; static) (x2) | defaults 0s";
const kubelet = "an EC2NodeClass's kubelet";

const sets: readonly DefinitionSet[] = [
  {
    title: "ours",
    read: () => definitions.map((definition) => ({ ...customResourceDefinition(definition) })),
    differs: {},
  },
  { title: "Karpenter's of v1.15.2", read: () => karpenterDefinitions("v1.15.2"), differs: {} },
  {
    title: "Karpenter's of v1.14.1",
    read: () => karpenterDefinitions("v1.14.1"),
    differs: {
      [`${omitted} #0`]: "consolidateAfter was required within disruption",
      [`${omitted} #1`]: "consolidateAfter was required within disruption",
      [`${kubelet} #0`]: "twelve settings were known, and others dropped",
      [`${kubelet} #1`]: "the CRD looked at the settings, where the controller does now",
      [`${kubelet} #2`]: "the CRD looked at the settings, where the controller does now",
    },
  },
];

describe.each(releases)("an API server of Kubernetes %s", (release) => {
  let kubernetes: Kubernetes;
  beforeAll(async () => {
    kubernetes = await startKubernetes({ release });
  }, 3_600_000);
  afterAll(() => kubernetes?.stop());

  describe.each(sets)("under $title", ({ read, differs }) => {
    beforeAll(() => install(kubernetes, read()), 300_000);
    afterAll(() => uninstall(kubernetes, read()), 300_000);

    it.each(Object.entries(rows))("%s", async (row, cases) => {
      const disagreeing = [];
      for (const [index, one] of cases.entries()) {
        const found = await verdictOf(kubernetes, one);
        if (!agrees(found, one)) disagreeing.push({ at: `${row} #${index}`, one, found });
      }
      const meant = Object.keys(differs).filter((at) => at.startsWith(`${row} #`));
      expect(
        disagreeing.map(({ at }) => at),
        JSON.stringify(disagreeing).slice(0, 4_000),
      ).toEqual(meant);
    });
  });
});

function agrees({ verdict, object }: Found, one: ApiCase): boolean {
  const isStored = (one.stored ?? []).every(([path, value]) => isDeepStrictEqual(valueIn(object, path), value));
  return (verdict === "accepted") === isAccepted(one) && isStored;
}

/** What the controller alone finds, the API server lets in. */
function isAccepted({ verdict }: ApiCase): boolean {
  return verdict === "accepted" || verdict === "runtime";
}

const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function install({ admin }: Kubernetes, crds: readonly KubernetesObject[]): Promise<void> {
  for (const crd of crds) await admin.create(collection, crd);
  await admin.until(collection, (found) => found.every(isServed) && found.length >= crds.length);
  for (const crd of crds) await whenAnswering(() => admin.request("GET", pathOf(crd)));
}

/** For some moments after it said that a kind is there, the API server answers with 404, or with 429 while it makes room for it. */
async function whenAnswering(ask: () => Promise<{ readonly status: number }>): Promise<void> {
  for (let attempt = 0; (await ask()).status !== 200; attempt++) {
    if (attempt === 300) throw new Error("a kind is not served half a minute after it was said to be");
    await delay(100);
  }
}

async function uninstall({ admin }: Kubernetes, crds: readonly KubernetesObject[]): Promise<void> {
  for (const { metadata } of crds) await admin.delete(`${collection}/${metadata.name}`);
  await admin.until(collection, (found) => found.length === 0);
}

function isServed(crd: KubernetesObject): boolean {
  const conditions = valueIn(crd, ["status", "conditions"]);
  const isTrue = (type: string) =>
    Array.isArray(conditions) && conditions.some((one) => one.type === type && one.status === "True");
  return isTrue("Established") && isTrue("NamesAccepted");
}

function pathOf(crd: KubernetesObject): string {
  const [group, plural, version] = [["group"], ["names", "plural"], ["versions", 0, "name"]].map((path) =>
    String(valueIn(crd, ["spec", ...path])),
  );
  return `/apis/${group}/${version}/${plural}`;
}

interface Found {
  readonly verdict: "accepted" | "rejected";
  readonly object: unknown;
}

/** Of a create or an update that is only tried. */
async function verdictOf(kubernetes: Kubernetes, { manifest, update }: ApiCase): Promise<Found> {
  const path = objectsPath(manifest);
  if (update === undefined) return verdict(await kubernetes.admin.request("POST", `${path}?dryRun=All`, manifest));
  const name = String(valueIn(manifest, ["metadata", "name"]));
  await kubernetes.admin.create(path, manifest);
  try {
    return verdict(await kubernetes.admin.request("PATCH", `${path}/${name}?dryRun=All`, { spec: update }));
  } finally {
    await kubernetes.admin.delete(`${path}/${name}`);
  }
}

function verdict({ status, body }: { readonly status: number; readonly body: unknown }): Found {
  if (status === 200 || status === 201) return { verdict: "accepted", object: body };
  if (status === 422 || status === 400) return { verdict: "rejected", object: body };
  throw new Error(`${status} ${JSON.stringify(body)}`);
}

function objectsPath(manifest: ApiCase["manifest"]): string {
  const definition = definitions.find(({ kind }) => kind === manifest.kind);
  if (definition === undefined) throw new Error(`no definition of ${String(manifest.kind)}`);
  const { group, version, plural, scope } = definition;
  const place = scope === "Cluster" ? "" : `/namespaces/${String(valueIn(manifest, ["metadata", "namespace"]))}`;
  return `/apis/${group}/${version}${place}/${plural}`;
}
