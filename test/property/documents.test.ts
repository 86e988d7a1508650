import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../shared/api/documents.ts";
import { kinds } from "../../shared/api/kinds.ts";
import { describeProblem } from "../../shared/api/problems.ts";
import { type RawObject, withValue } from "../../shared/api/raw-objects.ts";
import { checkReferences } from "../../shared/api/references.ts";
import { nodeClassManifest, nodePoolManifest } from "../support/api-manifests.ts";

/** Reads the text as a file; fails if anything throws or if a problem does not say where it is and what is wrong. */
function expectPoliteAnswer(text: string): void {
  const { objects, problems } = readDocuments([{ name: "f.yaml", text }]);
  for (const problem of [...problems, ...checkReferences(objects).problems]) {
    expect(describeProblem(problem)).toMatch(/^f\.yaml.*: found .+, expected .+$/s);
  }
}

const kind = fc.constantFrom(...Object.entries(kinds).map(([name, { apiVersion }]) => ({ kind: name, apiVersion })));
const version = fc.constantFrom("v1", "v1beta1", "v1alpha5");

describe("readDocuments", () => {
  it("answers any text, and never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), expectPoliteAnswer));
    const yamlPieces = fc.constantFrom(
      "---\n",
      "a: ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "\n",
      "  ",
      "&a ",
      "*a ",
      "|\n",
      "<<: ",
      "\t",
      "#",
      "x",
    );
    fc.assert(fc.property(fc.array(yamlPieces, { maxLength: 30 }), (pieces) => expectPoliteAnswer(pieces.join(""))));
  });

  it("answers objects of every kind with any content, and never throws", () => {
    const object = fc.record(
      { metadata: fc.jsonValue(), spec: fc.jsonValue(), status: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(kind, object, (identity, content) => expectPoliteAnswer(JSON.stringify({ ...content, ...identity }))),
    );
  });

  it("answers NodePools and EC2NodeClasses of any version with any value in any field, and never throws", () => {
    const manifests: readonly RawObject[] = [
      nodePoolManifest(["spec.disruption.budgets", [{ nodes: "1" }]], ["spec.template.spec.kubelet", { maxPods: 1 }]),
      nodeClassManifest(["spec.kubelet", { maxPods: 1 }], ["spec.tags", { a: "b" }]),
    ];
    const changed = fc.constantFrom(...manifests).chain((manifest) =>
      fc.record({
        manifest: fc.constant(manifest),
        path: fc.constantFrom(...pathsOf(manifest)),
        value: fc.oneof(fc.jsonValue(), fc.constantFrom("Never", "1", [], {}, [{}], [null], -1)),
        version,
      }),
    );
    fc.assert(
      fc.property(changed, ({ manifest, path, value, version: chosen }) => {
        const apiVersion = String(manifest.apiVersion).replace("v1", chosen);
        expectPoliteAnswer(JSON.stringify({ ...withValue(manifest, path, value), apiVersion }));
      }),
    );
  });
});

/** Paths of all fields that are not inside a list. */
function pathsOf(value: unknown, prefix: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...prefix, key], ...pathsOf(inner, [...prefix, key])]);
}
