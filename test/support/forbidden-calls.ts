import { rbacObjects } from "../../infra/rbac.ts";
import { type Kind, kinds } from "../../shared/api/kinds.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";

interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** What functions asked of a simulated Kubernetes API, and our access rules would not let them do. */
export function forbiddenCalls(world: SimulatedWorld): readonly string[] {
  const roles = rbacObjects("journeyman", { hasDefaultSpread: false, observe: false }).filter(isRole);
  const mayCall = (name: string, api: string) => {
    const { group, resource, verb } = requestOf(api);
    const own = roles.filter(({ metadata }) => ["journeyman", `journeyman-${name}`].includes(metadata.name));
    return own
      .flatMap(({ rules }) => rules)
      .some((rule) => rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb));
  };
  return world.kubernetesCalls().flatMap(({ name, api }) => (mayCall(name, api) ? [] : [`${name}: ${api}`]));
}

function isRole(object: object): object is Role {
  return "rules" in object;
}

/** `verb Kind`, as RBAC sees it. */
function requestOf(api: string): { readonly group: string; readonly resource: string; readonly verb: string } {
  const [verb = "", kind = ""] = api.split(" ");
  const { apiVersion, plural } = kinds[kind as Kind];
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  if (verb === "evict") return { group, resource: "pods/eviction", verb: "create" };
  if (verb === "patch-status") return { group, resource: `${plural}/status`, verb: "patch" };
  return { group, resource: plural, verb };
}
