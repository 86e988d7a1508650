import { controllersGroup } from "../shared/runtime/config.ts";
import {
  type Caller,
  commonGrants,
  type Grant,
  ownNamespaceGrants,
  planners,
  readGrants,
  spreadGrants,
  webhookGrants,
  webhookNamespaceGrants,
  writeGrants,
} from "./access-rules.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";

interface AccessOptions {
  readonly hasDefaultSpread: boolean;
  /** Observe mode: nothing may be written but in our own namespace. */
  readonly observe: boolean;
}

/** Roles and bindings for the groups that the access entries put our functions in. */
export function rbacObjects(namespace: string, options: AccessOptions): object[] {
  const subjects = [group(controllersGroup)];
  return [
    ...clusterWide("journeyman", subjects, commonGrants),
    ...inNamespace("journeyman", namespace, subjects, ownNamespaceGrants),
    ...callers.flatMap((name) =>
      clusterWide(`journeyman-${name}`, [group(`journeyman:${name}`)], grantsOf(name, options)),
    ),
  ];
}

/** What the webhook's own process may do, as a ServiceAccount of the namespace. */
export function webhookRbacObjects(namespace: string, name: string, serviceAccount: string): object[] {
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  return [
    ...inNamespace(name, namespace, subjects, webhookNamespaceGrants(name)),
    ...clusterWide(name, subjects, webhookGrants),
  ];
}

const callers: readonly Caller[] = [
  "provisioning",
  "lifecycle",
  "termination",
  "interruption",
  "disruption",
  "garbage-collection",
  "catalog",
];

function grantsOf(name: Caller, { hasDefaultSpread, observe }: AccessOptions): readonly Grant[] {
  return [
    ...readGrants[name],
    ...(hasDefaultSpread && planners.includes(name) ? spreadGrants : []),
    ...(observe ? [] : writeGrants[name]),
  ];
}

function clusterWide(name: string, subjects: readonly object[], grants: readonly Grant[]): object[] {
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name }, rules: grants.map(rule) },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects,
    },
  ];
}

function inNamespace(name: string, namespace: string, subjects: readonly object[], grants: readonly Grant[]): object[] {
  const metadata = { name, namespace };
  return [
    { apiVersion, kind: "Role", metadata, rules: grants.map(rule) },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects,
    },
  ];
}

function rule({ apiGroup, resources, reasons, names }: Grant): object {
  return {
    apiGroups: [apiGroup],
    resources,
    verbs: Object.keys(reasons),
    ...(names !== undefined && { resourceNames: names }),
  };
}

function group(name: string): object {
  return { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name };
}
