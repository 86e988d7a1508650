import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definitionsToApply } from "../../infra/crds.ts";
import { customResourceDefinition } from "../../shared/api/crds/definition.ts";
import { definitions } from "../../shared/api/crds/definitions.ts";
import { structuralSchema } from "../../shared/api/crds/structural-schema.ts";
import { isRawObject, type RawObject, valueIn } from "../../shared/api/raw-objects.ts";

const all = definitions.map((definition) => ({ ...definition, crd: customResourceDefinition(definition) }));
const schemaOf = (crd: RawObject | object) => valueIn(crd, ["spec", "versions", 0, "schema", "openAPIV3Schema"]);

interface Field {
  readonly path: string;
  readonly schema: RawObject;
}

/** All fields below `path`, entries of lists and values of maps included. */
function fieldsOf(schema: unknown, path = ""): readonly Field[] {
  if (!isRawObject(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const children = [
    ...Object.entries(isRawObject(properties) ? properties : {}).map(
      ([name, child]) => [`${path}.${name}`, child] as const,
    ),
    [`${path}[]`, items] as const,
    [`${path}{}`, additionalProperties] as const,
  ];
  return [{ path, schema }, ...children.flatMap(([at, child]) => fieldsOf(child, at))];
}

describe.each(all)("the CustomResourceDefinition of $kind", ({ kind, plural, group, crd, schema: zodSchema }) => {
  const fields = fieldsOf(schemaOf(crd));
  const at = (path: string) => fields.find((field) => field.path === path)?.schema;

  it("has the names, the version and the status that the kind is read by", () => {
    expect(crd.metadata.name).toBe(`${plural}.${group}`);
    expect(valueIn(crd, ["spec", "names"])).toMatchObject({ kind, listKind: `${kind}List`, plural });
    expect(valueIn(crd, ["spec", "versions"])).toMatchObject([
      { served: true, storage: true, subresources: { status: {} } },
    ]);
  });

  it("is structural: a type for each field, no references, and nothing that the API server would not take", () => {
    for (const { path, schema } of fields) {
      const isFree =
        schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
      if (!isFree) expect(schema.type, path).toEqual(expect.any(String));
      expect(Object.keys(schema), path).not.toContain("$ref");
      if (schema.properties !== undefined) expect(schema.additionalProperties, path).toBeUndefined();
    }
    expect(JSON.stringify(crd)).toBe(JSON.stringify(JSON.parse(JSON.stringify(crd))));
  });

  it("explains each field that a person writes", () => {
    const written = fields.filter(({ path }) => /^\.spec(\.|$)/.test(path) && !/(\[\]|\{\})$/.test(path));
    const detail = /\.(metadataOptions|networkInterfaces\[\]|connectionTracking|ebs)\./;
    expect(written.filter(({ path, schema }) => schema.description === undefined && !detail.test(path))).toEqual([]);
  });

  it("has a rule, a pattern or a bound wherever our own validation has a rule beyond types", () => {
    const ruled = ruledPaths(zodSchema).filter((path) => path !== ".spec.kubelet");
    expect(ruled.filter((path) => !fields.some((field) => isHeld(field, path)))).toEqual([]);
  });

  it("merges conditions by their types", () => {
    if (kind === "EC2NodeClass") return;
    expect(at(".status.conditions")).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    });
  });
});

/** The place itself, a field below it, or the list that it is an entry of. */
function isHeld({ path, schema }: Field, place: string): boolean {
  const isThere = path.startsWith(place) || `${path}[]` === place;
  return (
    isThere &&
    (schema["x-kubernetes-validations"] !== undefined ||
      schema.pattern !== undefined ||
      schema.maxProperties !== undefined)
  );
}

/** Where a schema has a check of ours (`withRule`). */
function ruledPaths(schema: z.core.$ZodType, path = ""): readonly string[] {
  const { def } = schema._zod;
  const own =
    (def.checks ?? []).some((check) => check._zod.def.check === "custom") && isObjectOrList(schema) ? [path] : [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault) {
    return ruledPaths(schema._zod.def.innerType, path);
  }
  if (schema instanceof z.ZodArray) return [...own, ...ruledPaths(schema._zod.def.element, `${path}[]`)];
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    return [...own, ...Object.entries(shape).flatMap(([name, child]) => ruledPaths(child, `${path}.${name}`))];
  }
  return own;
}

function isObjectOrList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodArray || schema instanceof z.ZodRecord;
}

describe("a structural schema", () => {
  it("cannot be made of a fact about a field that there is not", () => {
    const schema = z.object({ spec: z.object({ name: z.string() }) });
    expect(() => structuralSchema(schema, { "spec.nme": { description: "The name." } })).toThrow(
      "has no field spec.nme",
    );
  });

  it("cannot be made of a choice between types", () => {
    const schema = z.object({ spec: z.object({ name: z.union([z.string(), z.boolean()]) }) });
    expect(() => structuralSchema(schema, {})).toThrow("spec.name: a structural schema has no anyOf");
  });
});

describe("what is applied of our CustomResourceDefinitions", () => {
  const installed = (
    ...items: readonly { readonly name: string; readonly labels?: Readonly<Record<string, string>> }[]
  ) =>
    JSON.stringify({
      items: items.map((metadata) => ({ kind: "CustomResourceDefinition", metadata, spec: { group: "karpenter.sh" } })),
    });
  const names = all.map(({ crd }) => crd.metadata.name);

  it("is all of them in a cluster that has none", () => {
    const { toApply, kept } = definitionsToApply(installed({ name: "certificates.cert-manager.io" }));
    expect(toApply.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(kept).toEqual([]);
  });

  it("is none of those that somebody else installed: Karpenter's are used as they are", () => {
    const helm = { "app.kubernetes.io/managed-by": "Helm" };
    const { toApply, kept } = definitionsToApply(
      installed({ name: "nodepools.karpenter.sh" }, { name: "nodeclaims.karpenter.sh", labels: helm }),
    );
    expect(kept).toEqual(["nodepools.karpenter.sh", "nodeclaims.karpenter.sh"]);
    expect(toApply.map(({ metadata }) => metadata.name)).toEqual(names.filter((name) => !kept.includes(name)));
  });

  it("is ours again, in their newest form, where they are ours", () => {
    const ours = all.map(({ crd }) => crd.metadata);
    expect(definitionsToApply(installed(...ours)).toApply).toHaveLength(names.length);
  });

  it("is nothing when the list of what is installed cannot be read", () => {
    expect(() => definitionsToApply("")).toThrow("expected what `kubectl get crds -o json` prints");
    expect(() => definitionsToApply('{"items":[{"kind":"Pod"}]}')).toThrow("items.0.kind");
  });
});
