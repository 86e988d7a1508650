import * as z from "zod";
import { describeValue, formatPath, type Place, type Problem, problemAt } from "./problems.ts";
import { valueIn } from "./raw-objects.ts";
import { closestWord } from "./spelling.ts";

type Issue = z.core.$ZodIssue;

/** What zod has against an object, in a person's words: one problem for each issue, and one for each unknown field. */
export function schemaProblems(
  schema: z.ZodType,
  input: unknown,
  issues: readonly Issue[],
  place: Place,
): readonly Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) =>
        problemAt(place, [...issue.path, key], "unknown field", knownFields(schema, issue.path, key)),
      );
    }
    const value = valueIn(input, issue.path);
    return [problemAt(place, issue.path, foundText(issue, value), expectedText(issue, value))];
  });
}

function foundText(issue: Issue, value: unknown): string {
  const stated: unknown = issue.code === "custom" ? issue.params?.found : undefined;
  return typeof stated === "string" ? stated : describeValue(value);
}

function expectedText(issue: Issue, value: unknown): string {
  if (issue.message.startsWith("expected ")) return issue.message.slice("expected ".length);
  switch (issue.code) {
    case "invalid_type":
      return typeText(issue.expected, value);
    case "invalid_value":
      return choiceText(issue.values.map(String), value);
    case "invalid_union":
      return unionText(issue.errors, value);
    case "too_small":
      return `at least ${counted(issue.minimum, issue.origin)}`;
    case "too_big":
      return `at most ${counted(issue.maximum, issue.origin)}`;
    default:
      return issue.message;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function typeText(expected: string, value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value))
    return expected === "number" ? "a finite number" : named(expected);
  const unquoted = expected === "string" && (typeof value === "number" || typeof value === "boolean");
  return `${named(expected)}${unquoted ? `: put it in quotes, or it is read as a ${typeof value}` : ""}`;
}

function named(type: string): string {
  return typeNames[type] ?? type;
}

function choiceText(values: readonly string[], value: unknown): string {
  const listed = values.map((choice) => JSON.stringify(choice)).join(", ");
  const meant = typeof value === "string" ? closestWord(value, values) : undefined;
  const hint = meant === undefined || values.length === 1 ? "" : `; did you mean ${JSON.stringify(meant)}?`;
  return values.length === 1 ? listed : `one of ${listed}${hint}`;
}

function unionText(errors: readonly (readonly Issue[])[], value: unknown): string {
  const texts = errors.flatMap(([first]) => (first === undefined ? [] : [expectedText(first, value)]));
  return [...new Set(texts)].join(" or ");
}

function counted(count: number | bigint, origin: string): string {
  if (origin === "array") return `${count} ${count === 1 ? "entry" : "entries"}`;
  return origin === "string" ? `${count} characters` : String(count);
}

/** The fields that exist beside an unknown one, and the one that was probably meant, here or elsewhere in the object. */
function knownFields(schema: z.ZodType, path: readonly PropertyKey[], unknownKey: string): string {
  const siblings = fieldsOf(schemaAt(schema, path));
  const close = closestWord(unknownKey, siblings) ?? siblings.find((field) => field.startsWith(unknownKey));
  const meant = close ?? fieldPaths(schema).find(({ key }) => key === unknownKey)?.path;
  const listed = siblings.length <= 12 ? `one of ${siblings.join(", ")}` : "a field of this kind";
  return `${listed}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function schemaAt(schema: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((outer, part) => {
    const bare = unwrapped(outer);
    if (bare instanceof z.ZodObject) return Reflect.get(bare.shape, part);
    if (bare instanceof z.ZodArray) return bare.element;
    return bare instanceof z.ZodRecord ? bare.valueType : undefined;
  }, schema);
}

function unwrapped(schema: unknown): unknown {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return wrapped ? unwrapped(schema.unwrap()) : schema;
}

function fieldsOf(schema: unknown): readonly string[] {
  const bare = unwrapped(schema);
  return bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
}

interface FieldPath {
  readonly key: string;
  readonly path: string;
}

/** Every field of an object schema that is not inside a list, nearest to the root first. */
function fieldPaths(schema: unknown, prefix: readonly string[] = []): readonly FieldPath[] {
  const bare = unwrapped(schema);
  if (!(bare instanceof z.ZodObject)) return [];
  const entries = Object.entries(bare.shape);
  return [
    ...entries.map(([key]) => ({ key, path: formatPath([...prefix, key]) })),
    ...entries.flatMap(([key, inner]) => fieldPaths(inner, [...prefix, key])),
  ];
}
