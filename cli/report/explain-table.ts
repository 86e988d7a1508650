import { counted, someOf } from "../wording.ts";
import type { ExplanationReport, FixReport, NewNodeReport, VerifiedBy } from "./explain-json.ts";
import { wrapText } from "./table.ts";

const width = 100;

/** An explanation for a person to read: at most 100 columns, as long as names allow. */
export function explanationTable(report: ExplanationReport): string {
  const sections = [situation(report), refusals(report), fixes(report)];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function situation(report: ExplanationReport): readonly string[] {
  const { pod, node = "", newNode, reason = "" } = report;
  switch (report.situation) {
    case "running":
      return [...wrapped(`${pod} runs on node ${node}${reason === "" ? "" : `; ${reason}`}`), ...newNodeLines(newNode)];
    case "existing-node":
      return wrapped(`${pod} has room on ${node}, which exists: no new node is needed`);
    case "new-node":
      return [...wrapped(`${pod} would get a new node`), ...newNodeLines(newNode)];
    case "waiting":
      return wrapped(`${pod} waits: ${reason}`);
    case "ended":
      return wrapped(`${pod} has ended, and needs no node: ${reason}`);
    case "no-place":
      return wrapped(`NO PLACE FOR ${pod}${node === "" ? "" : `, whose node ${node} is leaving`}`);
  }
}

function newNodeLines(node: NewNodeReport | undefined): readonly string[] {
  if (node === undefined) return [];
  const { instanceType, capacityType, zone, nodePool, priceUsdPerHour, nodeCost, sharedWith } = node;
  const ownCost = nodeCost.volumesUsdPerHour + nodeCost.chargeUsdPerHour;
  return [
    `  ${node.name}: ${instanceType} ${capacityType} in ${zone} of NodePool ${nodePool}, ${priceUsdPerHour.toFixed(4)} USD/h`,
    ...(ownCost > 0
      ? [`  with its volumes and the charge per node ${(priceUsdPerHour + ownCost).toFixed(4)} USD/h`]
      : []),
    ...wrapped(`why: ${node.reason}`, "  "),
    ...(sharedWith.length === 0 ? [] : wrapped(`shared with ${someOf(sharedWith)}`, "  ")),
  ];
}

function refusals({ refusals: all = [] }: ExplanationReport): readonly string[] {
  return all.flatMap(({ nodePool, reason, key, found, accepted, nearestType }) => [
    ...wrapped(`${nodePool === "" ? "" : `${nodePool}: `}${reason}`, "  "),
    ...fact("key", key),
    ...fact("found", found),
    ...fact("accepted", accepted),
    ...fact("nearest type", nearestType),
  ]);
}

function fact(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : wrapped(`${name.padEnd(12)}  ${value}`, "    ", " ".repeat(14));
}

function fixes({ fixes: all, tried = 0, owner, situation: kind }: ExplanationReport): readonly string[] {
  if (kind !== "no-place" || all === undefined) return [];
  if (all.length === 0) {
    return [
      tried === 0
        ? "NO EDIT WAS FOUND TO TRY"
        : `NO SINGLE EDIT HELPS; ${counted(tried, "edit")} tried by planning again`,
    ];
  }
  return [
    "ANY ONE OF THESE EDITS HELPS, as planning again showed; the smallest first",
    ...all.flatMap((fix) => fixLines(fix, owner)),
  ];
}

function fixLines(fix: FixReport, owner: string | undefined): readonly string[] {
  const template = fix.object.startsWith("Pod ") && owner !== undefined ? ` (in the template of ${owner})` : "";
  return [
    ...wrapped(`${fix.object}${template}`, "  "),
    ...wrapped(`${fix.path}: ${changeText(fix)}`, "    "),
    ...wrapped(`then: ${placeText(fix.verifiedBy)}`, "    "),
  ];
}

function changeText({ from, to }: FixReport): string {
  if (to === null) return `take away ${valueText(from)}`;
  return from === null ? `add ${valueText(to)}` : `${valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function placeText(place: VerifiedBy): string {
  if ("node" in place) return `room on ${place.node}, which exists`;
  return `${place.instanceType} of NodePool ${place.nodePool} for ${place.priceUsdPerHour.toFixed(4)} USD/h`;
}

function wrapped(text: string, indent = "", further = "  "): readonly string[] {
  return wrapText(`${indent}${text}`, width, `${indent}${further}`);
}
