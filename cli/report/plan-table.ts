import { counted, someOf } from "../wording.ts";
import type { NodeClaimReport, PlanReport, UnschedulableReport, WaitingReport } from "./plan-json.ts";
import { type Column, formatTable, wrapText } from "./table.ts";

const width = 100;

const nameColumn: Column = { title: "NODE" };
const poolColumn: Column = { title: "POOL", mayBeCut: true };
const factColumns: readonly Column[] = [
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
    waiting(report.waiting),
    totals(report),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function newNodes(claims: readonly NodeClaimReport[]): readonly string[] {
  if (claims.length === 0) return [];
  const facts = claims.map((claim) => [
    claim.instanceType,
    claim.zone,
    claim.capacityType,
    usd(claim.priceUsdPerHour),
    String(claim.pods.length),
    percent(claim.utilization.cpu),
    percent(claim.utilization.memory),
  ]);
  const withPool = (room: number) =>
    formatTable(
      [nameColumn, poolColumn, ...factColumns],
      claims.map(({ name, nodePool }, index) => [name, nodePool, ...(facts[index] ?? [])]),
      room,
    );
  const isTooWide = withPool(Number.POSITIVE_INFINITY).some((line) => line.length > width);
  const namesTellPools = claims.every(({ name, nodePool }) => name.startsWith(`${nodePool}-`));
  if (!isTooWide || !namesTellPools) return withPool(width);
  return formatTable(
    [nameColumn, ...factColumns],
    claims.map(({ name }, index) => [name, ...(facts[index] ?? [])]),
    width,
  );
}

function existingNodes(nodes: PlanReport["existingNodes"]): readonly string[] {
  if (nodes.length === 0) return [];
  const columns: readonly Column[] = [
    { title: "EXISTING NODE" },
    { title: "PODS", align: "right" },
    { title: "WHICH", mayBeCut: true },
  ];
  return formatTable(
    columns,
    nodes.map(({ name, pods }) => [name, String(pods.length), someOf(pods)]),
    width,
  );
}

/** Pods with the same reasons are told of once. */
function unschedulable(pods: readonly UnschedulableReport[]): readonly string[] {
  if (pods.length === 0) return [];
  const groups = Map.groupBy(pods, ({ reasons }) => JSON.stringify(reasons));
  const lines = [...groups.values()].flatMap((group) => [
    ...wrapText(
      `  ${groups.size === 1 ? "" : `${group.length} of them: `}${someOf(group.map(({ pod }) => pod))}`,
      width,
      "    ",
    ),
    ...(group[0]?.reasons ?? []).flatMap(({ nodePool, reason }) =>
      wrapText(`    ${nodePool === "" ? "" : `${nodePool}: `}${reason}`, width, "      "),
    ),
  ]);
  return [`NO PLACE FOR ${counted(pods.length, "pod")}`, ...lines];
}

/** By reason, each told of once. */
function waiting(pods: readonly WaitingReport[]): readonly string[] {
  if (pods.length === 0) return [];
  const groups = Map.groupBy(pods, ({ reason }) => reason);
  const lines = [...groups].flatMap(([reason, group]) => [
    ...wrapText(
      `  ${groups.size === 1 ? "" : `${group.length} of them: `}${someOf(group.map(({ pod }) => pod))}`,
      width,
      "    ",
    ),
    ...wrapText(`    ${reason}`, width, "      "),
  ]);
  return [`NO NODE IS PLANNED FOR ${counted(pods.length, "pod")}`, ...lines];
}

function totals({ totals: sum, existingNodes: existing }: PlanReport): readonly string[] {
  const onExisting = existing.reduce((pods, node) => pods + node.pods.length, 0);
  const scheduled = `${sum.scheduled} of ${counted(sum.pods, "pod")} placed`;
  const where = onExisting === 0 ? "" : `, ${onExisting} of them on nodes that exist`;
  const { costLowerBoundUsdPerHour: bound, spotSpreadUsdPerHour: spread, spotFlexibilityUsdPerHour: offerings } = sum;
  const { costUsdPerHour: cost, preferenceCostUsdPerHour: preferences, packingSlackPercent: slack = 0 } = sum;
  const above = bound > 0 ? Math.max(0, cost / bound - 1) * 100 : 0;
  return [
    `${scheduled}${where}; ${counted(sum.nodes, "new node")} for ${usd(sum.priceUsdPerHour)} USD/h`,
    ...ownCost(sum),
    ...(offerings > 0 ? [`${usd(offerings)} USD/h of it lets other spot offerings stand in`] : []),
    ...(spread > 0 ? [`${usd(spread)} USD/h of it keeps spot nodes out of one basket`] : []),
    ...(preferences > 0 ? [`${usd(preferences)} USD/h of it keeps the pods' preferences`] : []),
    ...(slack > 0
      ? [`${slack} % of each new node's CPU and memory is left free: pods are not nominated to nodes`]
      : []),
    ...(sum.nodes === 0 ? [] : [`lower bound ${usd(bound)} USD/h: the plan is ${above.toFixed(1)} % above the bound`]),
  ];
}

/** What the nodes cost beside their instances, and how much of these DaemonSets take. */
function ownCost({ costUsdPerHour: cost, nodeCost }: PlanReport["totals"]): readonly string[] {
  const { volumesUsdPerHour: volumes, chargeUsdPerHour: charge, daemonSetsUsdPerHour: daemons } = nodeCost;
  const beside = [
    ...(volumes > 0 ? [`${usd(volumes)} for their volumes`] : []),
    ...(charge > 0 ? [`${usd(charge)} for the charge per node`] : []),
  ];
  return [
    ...(beside.length === 0 ? [] : [`with ${beside.join(" and ")}: ${usd(cost)} USD/h in all`]),
    ...(daemons > 0 ? [`${usd(daemons)} USD/h of it is for DaemonSets`] : []),
  ];
}

function usd(price: number): string {
  return price.toFixed(4);
}

function percent(share = 0): string {
  return `${Math.round(share * 100)} %`;
}
