import { type Kind, type KubernetesObject, kinds } from "../api/kinds.ts";
import { type ListOptions, ProviderError } from "../ports.ts";
import { isRecord } from "./merge-patch.ts";

/** A test for the objects that the options select; throws `Invalid` for what the API server would answer with 400. */
export function selectorFilter(kind: Kind, options: ListOptions): (object: KubernetesObject) => boolean {
  const { namespace } = options;
  const fields = parseSelector(options.fieldSelector);
  const labels = parseSelector(options.labelSelector);
  for (const { key } of fields) {
    if (!commonFields.includes(key) && !(selectableFields[kind] ?? []).includes(key)) {
      throw badRequest(`${kinds[kind].plural}: field label not supported: ${key}`);
    }
  }
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    fields.every((term) => (fieldValue(object, term.key) === term.value) === term.equal) &&
    labels.every((term) => (object.metadata.labels?.[term.key] === term.value) === term.equal);
}

const commonFields = ["metadata.name", "metadata.namespace"];

/** Fields that the API server can select by, beyond name and namespace. */
const selectableFields: { readonly [K in Kind]?: readonly string[] } = {
  Pod: ["spec.nodeName", "spec.schedulerName", "status.phase", "status.nominatedNodeName"],
  Node: ["spec.unschedulable"],
  Namespace: ["status.phase"],
  Event: [
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "reason",
    "type",
  ],
};

interface Term {
  readonly key: string;
  readonly equal: boolean;
  readonly value: string;
}

function parseSelector(selector: string | undefined): Term[] {
  if (selector === undefined || selector === "") return [];
  return selector.split(",").map((text) => {
    const [, key, operator, value] = /^\s*([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)\s*$/.exec(text) ?? [];
    if (key === undefined || value === undefined) {
      throw badRequest(`selector "${selector}": "${text}" is not KEY=VALUE or KEY!=VALUE`);
    }
    return { key, equal: operator !== "!=", value };
  });
}

/** An absent field selects as the empty string (an absent boolean as "false"). */
function fieldValue(object: KubernetesObject, path: string): string {
  let value: unknown = object;
  for (const key of path.split(".")) value = isRecord(value) ? value[key] : undefined;
  return value === undefined ? (path === "spec.unschedulable" ? "false" : "") : String(value);
}

function badRequest(message: string): ProviderError {
  return new ProviderError("Invalid", "BadRequest", message);
}
