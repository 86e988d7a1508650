import type { NodeClaimReport, PlanReport, UnschedulableReport } from "./plan-json.ts";
import { type Column, formatTable, wrapText } from "./table.ts";

const width = 100;
const namesListed = 6;

const nodeColumns: readonly Column[] = [
  { title: "NODE", keep: "end" },
  { title: "POOL", keep: "start" },
  { title: "TYPE" },
  { title: "ZONE" },
  { title: "CAPACITY" },
  { title: "USD/H", align: "right" },
  { title: "PODS", align: "right" },
  { title: "CPU", align: "right" },
  { title: "MEM", align: "right" },
];

/** A plan for a person to read: at most 100 columns, as long as names allow. */
export function planTable(report: PlanReport): string {
  const sections = [
    newNodes(report.nodeClaims),
    existingNodes(report.existingNodes),
    unschedulable(report.unschedulable),
    totals(report),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function newNodes(claims: readonly NodeClaimReport[]): readonly string[] {
  if (claims.length === 0) return [];
  return formatTable(
    nodeColumns,
    claims.map((claim) => [
      claim.name,
      claim.nodePool,
      claim.instanceType,
      claim.zone,
      claim.capacityType,
      usd(claim.priceUsdPerHour),
      String(claim.pods.length),
      percent(claim.utilization.cpu),
      percent(claim.utilization.memory),
    ]),
    width,
  );
}

function existingNodes(nodes: PlanReport["existingNodes"]): readonly string[] {
  if (nodes.length === 0) return [];
  const columns: readonly Column[] = [
    { title: "EXISTING NODE", keep: "end" },
    { title: "PODS", align: "right" },
    { title: "WHICH", keep: "start" },
  ];
  return formatTable(
    columns,
    nodes.map(({ name, pods }) => [name, String(pods.length), names(pods)]),
    width,
  );
}

/** Pods with the same reasons are told of once. */
function unschedulable(pods: readonly UnschedulableReport[]): readonly string[] {
  if (pods.length === 0) return [];
  const groups = Map.groupBy(pods, ({ reasons }) => JSON.stringify(reasons));
  const lines = [...groups.values()].flatMap((group) => [
    ...wrapText(`  ${group.length} of them: ${names(group.map(({ pod }) => pod))}`, width, "    "),
    ...(group[0]?.reasons ?? []).flatMap(({ nodePool, reason }) =>
      wrapText(`    ${nodePool === "" ? "" : `${nodePool}: `}${reason}`, width, "      "),
    ),
  ]);
  return [`NO PLACE FOR ${counted(pods.length, "pod")}`, ...lines];
}

function totals({ totals: sum, existingNodes: existing }: PlanReport): readonly string[] {
  const onExisting = existing.reduce((pods, node) => pods + node.pods.length, 0);
  const scheduled = `${sum.scheduled} of ${counted(sum.pods, "pod")} placed`;
  const where = onExisting === 0 ? "" : `, ${onExisting} of them on nodes that exist`;
  const bound = sum.lowerBoundUsdPerHour;
  const above = bound > 0 ? Math.max(0, sum.priceUsdPerHour / bound - 1) * 100 : 0;
  return [
    `${scheduled}${where}; ${counted(sum.nodes, "new node")} for ${usd(sum.priceUsdPerHour)} USD/h`,
    ...(sum.nodes === 0 ? [] : [`lower bound ${usd(bound)} USD/h: the plan is ${above.toFixed(1)} % above the bound`]),
  ];
}

function names(pods: readonly string[]): string {
  const listed = pods.slice(0, namesListed).join(", ");
  return pods.length > namesListed ? `${listed} and ${pods.length - namesListed} more` : listed;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function usd(price: number): string {
  return price.toFixed(4);
}

function percent(share = 0): string {
  return `${Math.round(share * 100)} %`;
}
