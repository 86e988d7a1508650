import { type Kind, kinds } from "./kinds.ts";
import { awsGroup, group } from "./labels.ts";
import type { RawObject } from "./raw-objects.ts";

/** What a raw object says it is. */
export type Identity =
  | { readonly is: "known"; readonly kind: Kind }
  /** `items` to be unwrapped, if they are a list. */
  | { readonly is: "list"; readonly items: unknown; readonly itemDefaults: RawObject }
  /** A kind of Karpenter before v1beta1; `successor` is what replaced it. */
  | { readonly is: "superseded"; readonly kind: string; readonly successor: string }
  | { readonly is: "unknown"; readonly kind: string }
  | { readonly is: "unidentified"; readonly field: "apiVersion" | "kind"; readonly expected: string };

const superseded: Readonly<Record<string, string>> = {
  [`${group}/Provisioner`]: `a NodePool of ${group}/v1`,
  [`${group}/Machine`]: `a NodeClaim of ${group}/v1`,
  [`${awsGroup}/AWSNodeTemplate`]: `an EC2NodeClass of ${awsGroup}/v1`,
};

/** Reads `apiVersion` and `kind`. A known kind of another version of its group is still known: its schema says what is wrong. */
export function identify(object: RawObject): Identity {
  const { apiVersion, kind } = object;
  if (typeof kind !== "string" || kind === "")
    return { is: "unidentified", field: "kind", expected: "a kind such as NodePool" };
  if (typeof apiVersion !== "string" || apiVersion === "") {
    return { is: "unidentified", field: "apiVersion", expected: "an API version such as apps/v1" };
  }
  if (isList(object, kind)) return listIdentity(object, apiVersion, kind);
  const successor = Object.entries(superseded).find(([name]) => name === `${groupOf(apiVersion)}/${kind}`)?.[1];
  if (successor !== undefined) return { is: "superseded", kind, successor };
  const known = isKind(kind) && sameGroup(groupOf(kinds[kind].apiVersion), groupOf(apiVersion)) ? kind : undefined;
  return known === undefined ? { is: "unknown", kind } : { is: "known", kind: known };
}

/** An object of a kind that we do not know may be called a list and have other things in it. */
function isList({ items }: RawObject, kind: string): boolean {
  return kind === "List" || (kind.endsWith("List") && (Array.isArray(items) || isKind(kind.slice(0, -"List".length))));
}

/** The items of a typed list (`PodList`) may leave out what the list's own kind says. */
function listIdentity({ items = [] }: RawObject, apiVersion: string, kind: string): Identity {
  const itemKind = kind.slice(0, -"List".length);
  const itemDefaults = itemKind === "" ? {} : { apiVersion, kind: itemKind };
  return { is: "list", items, itemDefaults };
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** `extensions` was the first home of workloads. */
function sameGroup(ours: string, theirs: string): boolean {
  return ours === theirs || (ours === "apps" && theirs === "extensions");
}
