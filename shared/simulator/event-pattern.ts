/** An EventBridge event pattern as JSON: nested objects whose leaves are arrays of accepted values and operators. */
export type EventPattern = Readonly<Record<string, unknown>>;

/** A test of one field's value; `undefined` means the field is absent. */
type ValueTest = (value: unknown) => boolean;
type JsonObject = Readonly<Record<string, unknown>>;

/** Whether an event matches (EventBridge user guide, "Event patterns"). Throws on a pattern that EventBridge would refuse. */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  return compilePattern(pattern)(event);
}

/** The pattern as a function, so that a rule is checked once, when it is made. */
export function compilePattern(pattern: EventPattern): (event: unknown) => boolean {
  const tests = Object.entries(pattern).map(([field, wanted]) => (field === "$or" ? anyOf(wanted) : at(field, wanted)));
  // An array of objects matches when one element matches the whole nested pattern.
  return (event) => candidates(event).some((candidate) => tests.every((test) => test(candidate)));
}

function anyOf(wanted: unknown): ValueTest {
  if (!Array.isArray(wanted) || wanted.length < 2) {
    throw new Error("event pattern: $or takes an array of at least two patterns");
  }
  const alternatives = wanted.map((alternative) => compilePattern(objectOrThrow("$or", alternative)));
  return (event) => alternatives.some((matches) => matches(event));
}

function at(field: string, wanted: unknown): ValueTest {
  if (!Array.isArray(wanted)) {
    const nested = compilePattern(objectOrThrow(field, wanted));
    return (event) => nested(property(event, field) ?? {});
  }
  if (wanted.length === 0) {
    throw new Error(`event pattern: "${field}" has an empty array, which matches nothing`);
  }
  const tests = wanted.map((entry) => valueTest(field, entry));
  return (event) => {
    const found = property(event, field);
    return candidates(found).some((value) => tests.some((test) => test(value)));
  };
}

function valueTest(field: string, wanted: unknown): ValueTest {
  if (!isObject(wanted)) {
    return (value) => value === wanted;
  }
  const [[operator, operand] = ["", undefined], ...others] = Object.entries(wanted);
  if (others.length > 0) {
    throw new Error(`event pattern: "${field}" has an entry with several operators: ${Object.keys(wanted).join(", ")}`);
  }
  switch (operator) {
    case "exists":
      return (value) => (value !== undefined && !isObject(value)) === operand;
    case "anything-but":
      return anythingBut(field, operand);
    case "numeric":
      return numeric(field, operand);
    default:
      return stringTest(field, operator, operand);
  }
}

function stringTest(field: string, operator: string, operand: unknown): ValueTest {
  if (isObject(operand) && (operator === "prefix" || operator === "suffix")) {
    const text = stringOrThrow(field, operator, operand["equals-ignore-case"]).toLowerCase();
    const test = stringTest(field, operator, text);
    return (value) => typeof value === "string" && test(value.toLowerCase());
  }
  const text = stringOrThrow(field, operator, operand);
  switch (operator) {
    case "prefix":
      return (value) => typeof value === "string" && value.startsWith(text);
    case "suffix":
      return (value) => typeof value === "string" && value.endsWith(text);
    case "equals-ignore-case":
      return (value) => typeof value === "string" && value.toLowerCase() === text.toLowerCase();
    case "wildcard": {
      const expression = new RegExp(`^${text.split("*").map(escaped).join(".*")}$`, "s");
      return (value) => typeof value === "string" && expression.test(value);
    }
    default:
      throw new Error(`event pattern: "${field}" has the unknown operator "${operator}"`);
  }
}

/** Matches a present value that none of the operands matches. */
function anythingBut(field: string, operand: unknown): ValueTest {
  const excluded = (Array.isArray(operand) ? operand : [operand]).flatMap((entry) => spread(field, entry));
  return (value) => value !== undefined && !excluded.some((test) => test(value));
}

/** `{"prefix": ["a", "b"]}` within anything-but stands for one operator with either operand. */
function spread(field: string, entry: unknown): readonly ValueTest[] {
  if (!isObject(entry)) {
    return [valueTest(field, entry)];
  }
  return Object.entries(entry).flatMap(([operator, operand]) =>
    (Array.isArray(operand) ? operand : [operand]).map((one) => stringTest(field, operator, one)),
  );
}

function numeric(field: string, operand: unknown): ValueTest {
  const terms = Array.isArray(operand) ? operand : [];
  if (terms.length !== 2 && terms.length !== 4) {
    throw new Error(`event pattern: "${field}" has a numeric operator that is not one or two pairs of sign and number`);
  }
  const tests: ValueTest[] = [];
  for (let index = 0; index < terms.length; index += 2) {
    tests.push(comparison(field, terms[index], terms[index + 1]));
  }
  return (value) => tests.every((test) => test(value));
}

function comparison(field: string, sign: unknown, bound: unknown): ValueTest {
  if (typeof bound !== "number") {
    throw new Error(`event pattern: "${field}" compares with ${JSON.stringify(bound)}, expected a number`);
  }
  switch (sign) {
    case "=":
      return (value) => value === bound;
    case "<":
      return (value) => typeof value === "number" && value < bound;
    case "<=":
      return (value) => typeof value === "number" && value <= bound;
    case ">":
      return (value) => typeof value === "number" && value > bound;
    case ">=":
      return (value) => typeof value === "number" && value >= bound;
    default:
      throw new Error(`event pattern: "${field}" has the numeric sign ${JSON.stringify(sign)}, expected = < <= > >=`);
  }
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

/** A field that holds an array matches when any element does; an empty array is like an absent field. */
function candidates(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    return [value];
  }
  return value.length === 0 ? [undefined] : value;
}

function property(value: unknown, field: string): unknown {
  return isObject(value) ? value[field] : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOrThrow(field: string, value: unknown): JsonObject {
  if (!isObject(value)) {
    throw new Error(`event pattern: "${field}" is ${JSON.stringify(value)}, expected an array or an object`);
  }
  return value;
}

function stringOrThrow(field: string, operator: string, value: unknown): string {
  if (typeof value !== "string") {
    throw new Error(`event pattern: "${field}" has ${operator} ${JSON.stringify(value)}, expected a string`);
  }
  return value;
}
