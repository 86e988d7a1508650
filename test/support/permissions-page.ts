import {
  commonGrants,
  type Grant,
  ownNamespaceGrants,
  planners,
  readGrants,
  spreadGrants,
  webhookGrants,
  webhookNamespaceGrants,
  writeGrants,
} from "../../infra/access-rules.ts";

/** docs/permissions.md, the same for the same rules. */
export function permissionsPage(): string {
  const functions = Object.entries(readGrants).flatMap(([name, reads]) => [
    `## ${name}`,
    "",
    ...table(reads),
    "",
    "Not in observe mode:",
    "",
    ...table(Object.entries(writeGrants).find(([writer]) => writer === name)?.[1] ?? []),
    "",
  ]);
  return [
    "# Permissions in the cluster",
    "",
    "Made from `infra/access-rules.ts` by `npx vitest run test/infra/rbac.test.ts --update`; do not edit. `npm run manifests` prints the",
    "roles. What the functions may do at AWS is in the stack's template.",
    "",
    "Each function's IAM role has an access entry with two groups: `journeyman:controllers`, and its own, such as `journeyman:provisioning`.",
    "The function `later` has none.",
    "",
    "## All functions",
    "",
    ...table(commonGrants),
    "",
    "In our own namespace, the only place where anything is written in observe mode:",
    "",
    ...table(ownNamespaceGrants),
    "",
    ...functions,
    "## With a default topology spread",
    "",
    `Where \`podTopologySpread\` is configured, ${planners.join(" and ")} also`,
    "",
    ...table(spreadGrants),
    "",
    "## The webhook",
    "",
    "A ServiceAccount, not one of the groups.",
    "",
    ...table(webhookGrants),
    "",
    "In our own namespace:",
    "",
    ...table(webhookNamespaceGrants("journeyman-webhook")),
    "",
  ].join("\n");
}

function table(grants: readonly Grant[]): readonly string[] {
  const rows = grants.flatMap(({ apiGroup, resources, reasons, names = [] }) =>
    Object.entries(reasons).map(([verb, reason]) => {
      const named = names.length === 0 ? "" : `, of ${names.map((name) => `\`${name}\``).join(", ")}`;
      const found = resources.map((resource) => `\`${apiGroup === "" ? resource : `${resource}.${apiGroup}`}\``);
      return `| ${found.join(", ")}${named} | ${verb} | ${reason} |`;
    }),
  );
  return ["| Resources | Verb | Why |", "| --- | --- | --- |", ...rows];
}
