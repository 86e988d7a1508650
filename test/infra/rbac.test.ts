import { describe, expect, it } from "vitest";
import { type Grant, readGrants, writeGrants } from "../../infra/access-rules.ts";
import { rbacObjects, webhookRbacObjects } from "../../infra/rbac.ts";
import { permissionsPage } from "../support/permissions-page.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

const isRole = (object: object): object is Role => "rules" in object;
const rolesWith = (options: Partial<Parameters<typeof rbacObjects>[1]> = {}) =>
  rbacObjects("journeyman", { hasDefaultSpread: false, observe: false, ...options }).filter(isRole);
const webhookRoles = webhookRbacObjects("journeyman", "journeyman-webhook", "journeyman-webhook").filter(isRole);
const rulesOf = (roles: readonly Role[]) =>
  roles.flatMap(({ kind, metadata, rules }) => rules.map((rule) => ({ ...rule, kind, role: metadata.name })));
const rules = rulesOf(rolesWith());

const allowed = (resource: string, verb: string) =>
  rules.filter(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb)).map(({ role }) => role);

describe("access rules", () => {
  it("name groups, resources and verbs without wildcards, and Secrets only for the webhook in our own namespace", () => {
    for (const { apiGroups, resources, verbs } of [...rules, ...rulesOf(webhookRoles)]) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain("*");
    }
    expect(JSON.stringify(rules)).not.toContain("secrets");
    expect(webhookRoles.filter((role) => JSON.stringify(role).includes("secrets")).map(({ kind }) => kind)).toEqual([
      "Role",
    ]);
  });

  it("say why for each verb", () => {
    const grants: readonly Grant[] = [...Object.values(readGrants), ...Object.values(writeGrants)].flat();
    for (const { resources, reasons } of grants) {
      expect(Object.keys(reasons).length, resources.join()).toBeGreaterThan(0);
      for (const reason of Object.values(reasons)) expect(reason.length, resources.join()).toBeGreaterThan(10);
    }
  });

  it("are those that docs/permissions.md shows", async () => {
    await expect(permissionsPage()).toMatchFileSnapshot("../../docs/permissions.md");
  });

  it("let provisioning create NodeClaims, and termination evict pods, and nobody else", () => {
    expect(allowed("nodeclaims", "create")).toEqual(["journeyman-provisioning"]);
    expect(allowed("pods/eviction", "create")).toEqual(["journeyman-termination"]);
  });

  it("let lifecycle alone write a pod's status", () => {
    expect(rules.filter(({ resources }) => resources.includes("pods/status"))).toMatchObject([
      { role: "journeyman-lifecycle", verbs: ["patch"] },
    ]);
  });

  it("let ConfigMaps be read, and Leases be written, in our own namespace alone", () => {
    const wide = rules.filter(({ kind }) => kind === "ClusterRole");
    expect(JSON.stringify(wide)).not.toContain("configmaps");
    expect(wide.filter(({ resources }) => resources.includes("leases"))).toMatchObject([
      { verbs: ["list"], resourceNames: ["karpenter-leader-election"] },
    ]);
  });

  it("let Services and ReplicaSets be listed only where there is a default topology spread", () => {
    const listed = (hasDefaultSpread: boolean) =>
      rulesOf(rolesWith({ hasDefaultSpread })).flatMap(({ verbs, resources }) =>
        verbs.includes("list") ? resources : [],
      );
    const sources = ["services", "replicationcontrollers", "replicasets", "statefulsets"];
    for (const resource of sources) expect(listed(false)).not.toContain(resource);
    expect(listed(true)).toEqual(expect.arrayContaining(sources));
  });

  it("let nothing be changed in observe mode but Leases and ConfigMaps of our own namespace", () => {
    const changing = rulesOf(rolesWith({ observe: true })).filter(({ verbs }) =>
      verbs.some((verb) => !["get", "list", "watch"].includes(verb)),
    );
    expect(changing.map(({ kind, resources }) => `${kind} ${resources.join()}`)).toEqual([
      "ClusterRole events",
      "Role leases",
      "Role configmaps",
    ]);
  });
});
