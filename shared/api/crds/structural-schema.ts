import * as z from "zod";
import { isRawObject } from "../raw-objects.ts";
import { quantity, time } from "../schema.ts";

/** A node of an OpenAPI schema as CustomResourceDefinitions hold it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A rule in CEL that the API server holds a field to, and what it says when the rule is broken. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/** What a field's type does not tell. */
export interface FieldFacts {
  /** For `kubectl explain`. */
  readonly description?: string;
  readonly rules?: readonly CelRule[];
  /** Keywords in the place of, or beside, those that the type gives; undefined takes one away. */
  readonly keywords?: Schema;
}

/** Facts by path: `spec.budgets[].nodes` is in the entries of a list, `spec.labels{}` the values of a map. */
export type Fields = Readonly<Record<string, FieldFacts>>;

/** As the API server writes quantities: numbers too, and a sign. */
const quantityPattern =
  "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+[.]?[0-9]*|[.][0-9]+))?$";
const intOrString = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: quantityPattern,
  "x-kubernetes-int-or-string": true,
};

/**
 * A zod schema of a Kubernetes object as a structural schema, with facts that types do not tell. What the API server would refuse or
 * read otherwise is left out: unknown fields are pruned there, and the metadata is its own.
 * @throws Error naming a field of the schema that no structural schema can say, or a fact about a field that does not exist.
 */
export function structuralSchema(schema: z.ZodType, fields: Fields): Schema {
  const plain: unknown = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === quantity) replace(jsonSchema, intOrString);
      if (zodSchema === time) jsonSchema.format = "date-time";
    },
  });
  const unused = new Set(Object.keys(fields));
  const root = structural(objectOf(plain), { path: "", fields, unused });
  if (unused.size > 0) throw new Error(`the schema has no field ${[...unused].join(", ")}`);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...own } = objectOf(root.properties);
  const text = { type: "string" };
  return {
    ...root,
    properties: { apiVersion: text, kind: text, metadata: { type: "object" }, ...own },
    required: ["spec"],
  };
}

interface Place {
  readonly path: string;
  readonly fields: Fields;
  readonly unused: Set<string>;
}

const copied: ReadonlySet<string> = new Set([
  ...["type", "enum", "pattern", "default", "nullable", "format", "required", "x-kubernetes-int-or-string"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);
/** Said otherwise, or by the API server itself. */
const translated: ReadonlySet<string> = new Set(["$schema", "properties", "items", "additionalProperties", "anyOf"]);

function structural(node: Schema, place: Place): Schema {
  const { path, fields, unused } = place;
  unused.delete(path);
  const unsayable = Object.keys(node).filter((key) => !copied.has(key) && !translated.has(key));
  const isUnion = node.anyOf !== undefined && node["x-kubernetes-int-or-string"] !== true;
  if (unsayable.length > 0 || isUnion)
    throw new Error(`${path}: a structural schema has no ${unsayable[0] ?? "anyOf"}`);
  const { description, rules, keywords } = fields[path] ?? {};
  const said = {
    ...(description !== undefined && { description }),
    ...Object.fromEntries(Object.entries(node).filter(([key, value]) => copied.has(key) && !isBeyondNumbers(value))),
    ...(node.anyOf !== undefined && { anyOf: node.anyOf }),
    ...numbers(node),
    ...parts(node, place),
    ...keywords,
    ...(rules !== undefined && rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** Fields of an object, entries of a list or values of a map. */
function parts(node: Schema, place: Place): Schema {
  const inner = (child: unknown, path: string) => structural(objectOf(child), { ...place, path });
  const prefix = place.path === "" ? "" : `${place.path}.`;
  const { properties, items, additionalProperties } = node;
  if (items !== undefined) return { items: inner(items, `${place.path}[]`) };
  const named = Object.entries(objectOf(properties ?? {})).map(([name, child]) => [name, inner(child, prefix + name)]);
  const values = objectOf(additionalProperties === false ? {} : (additionalProperties ?? {}));
  if (properties === undefined && Object.keys(values).length > 0) {
    return { additionalProperties: inner(values, `${place.path}{}`) };
  }
  return properties === undefined ? {} : { properties: Object.fromEntries(named) };
}

/** Kubernetes' own objects have whole numbers alone. */
function numbers({ type }: Schema): Schema {
  return type === "number" || type === "integer" ? { type: "integer", format: "int64" } : {};
}

/** The bounds that zod gives to every whole number. */
function isBeyondNumbers(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}

function replace(target: Record<string, unknown>, by: Schema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, by);
}

function objectOf(value: unknown): Schema {
  if (!isRawObject(value)) throw new Error(`found ${JSON.stringify(value)}, expected a schema`);
  return value;
}
