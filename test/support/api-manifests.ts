import { readDocuments } from "../../shared/api/documents.ts";
import { describeProblem } from "../../shared/api/problems.ts";
import { type RawObject, withValue } from "../../shared/api/raw-objects.ts";

/** A field to set in a manifest: dotted path, or its parts where a key holds dots. */
export type Change = readonly [path: string | readonly string[], value: unknown];

const nodePool: RawObject = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "default" },
  spec: {
    template: {
      spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" }, requirements: [] },
    },
  },
};

const nodeClass: RawObject = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "default" },
  spec: {
    role: "KarpenterNodeRole",
    amiSelectorTerms: [{ alias: "al2023@latest" }],
    subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "cluster" } }],
    securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "cluster" } }],
  },
};

/** The smallest valid NodePool, as someone would write it, with changes. */
export function nodePoolManifest(...changes: readonly Change[]): RawObject {
  return withChanges(nodePool, changes);
}

/** The smallest valid EC2NodeClass, as someone would write it, with changes. */
export function nodeClassManifest(...changes: readonly Change[]): RawObject {
  return withChanges(nodeClass, changes);
}

/** The smallest valid NodeClaim, as someone would write it, with changes. */
export function nodeClaimManifest(...changes: readonly Change[]): RawObject {
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const spec = { nodeClassRef, requirements: [] };
  return withChanges({ apiVersion: "karpenter.sh/v1", kind: "NodeClaim", metadata: { name: "claim" }, spec }, changes);
}

/** The smallest valid NodeOverlay, as someone would write it, with changes. */
export function nodeOverlayManifest(...changes: readonly Change[]): RawObject {
  const metadata = { name: "default" };
  const smallest = { apiVersion: "karpenter.sh/v1alpha1", kind: "NodeOverlay", metadata, spec: { requirements: [] } };
  return withChanges(smallest, changes);
}

/** Objects read as the documents of one file, `input.yaml`. */
export function readManifests(...manifests: readonly RawObject[]): ReturnType<typeof readDocuments> {
  return readText(manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n"));
}

export function readText(text: string): ReturnType<typeof readDocuments> {
  return readDocuments([{ name: "input.yaml", text }]);
}

/** What is wrong with the objects: a line each, as `path: found ..., expected ...`. */
export function problemsOf(...manifests: readonly RawObject[]): readonly string[] {
  return readManifests(...manifests).problems.map((problem) =>
    describeProblem(problem).replace(/^input\.yaml, document \d+, /, ""),
  );
}

function withChanges(manifest: RawObject, changes: readonly Change[]): RawObject {
  return changes.reduce(
    (object, [path, value]) => withValue(object, typeof path === "string" ? path.split(".") : path, value),
    manifest,
  );
}
