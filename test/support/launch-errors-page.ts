import {
  type Ec2ErrorRow,
  ec2ErrorTable,
  type LaunchEffect,
  stateReasonTable,
  type UnavailableScope,
  unknownError,
} from "../../shared/cloud/ec2-error-table.ts";

const effects: Readonly<Record<LaunchEffect, string>> = {
  "next-offering": "next offering",
  "back-off": "same request again, later",
  resolve: "looked up by tag, then the same token again",
  "new-attempt": "looked up by tag, then a new request",
  "stop-pool": "NodePool stopped",
};

const noMark = "nothing else: the pods may get the same offering again";

/** What learnFromEarlyDeath makes of each, beside the NodeClaim's end. */
const afterDeath: typeof effects = { ...effects, "back-off": noMark, resolve: noMark, "new-attempt": noMark };

const scopes: Readonly<Record<UnavailableScope, string>> = {
  offering: "type, zone and market",
  "type-in-zone": "type in the zone",
  type: "type in all zones, for the market",
  "capacity-type": "the market (spot) in all",
  subnet: "subnet",
  "placement-group-in-zone": "zone, for the placement group",
  none: "",
};

/** docs/launch-errors.md, the same for the same tables. */
export function launchErrorsPage(): string {
  return [
    "# Launch errors",
    "",
    "Made from `shared/cloud/ec2-error-table.ts` by `npx vitest run test/unit/cloud/launch-errors-page.test.ts -u`; do not edit.",
    "",
    "What Journeyman does about each error that EC2 answers a launch with. The reason is that of the NodeClaim's condition Launched and of",
    "the events on it; where the NodePool is stopped, also of the NodePool's condition LaunchHealthy and of an event on it.",
    "",
    "- **Next offering**: nothing was launched. What the column *unavailable* names is left alone for the time stated, twice as long each",
    "  time it is refused again, one hour at most, or the time stated, if longer; nobody asks for it meanwhile. A market comes back five",
    "  minutes later than that, also doubled, so that launches do not swing between spot and on-demand. Offerings are tried in the order",
    "  reserved, spot, on-demand, as far as prices follow it; when all are gone the NodeClaim is deleted and its pods are planned again.",
    "- **Same request again, later**: after 5 s at first, then after half the request's age, 300 s at most, and up to half as long again",
    "  by chance. Where the account's request bucket is empty, all launches wait.",
    "- **Looked up by tag**: the request may have been carried out. What it launched is found by its tag; else the same client token is",
    "  sent again, which never launches twice.",
    "- **NodePool stopped**: a person must mend something. Its circuit breaker opens for 60 s, then one launch is tried; each failure in a",
    "  row doubles the time, one hour at most. The NodePool is not Ready meanwhile, so that pods go to others; the first launch that EC2",
    "  accepts closes the breaker.",
    "- Codes in no row are taken for an outcome that is not known, and counted by `journeyman_unknown_ec2_errors_total`.",
    "",
    "A code that ends in `*` stands for all that begin so. Of several rows that fit, one with a message wins, then the longest code.",
    "",
    "## Answers to RunInstances",
    "",
    ...rows(ec2ErrorTable, effects),
    rowOf("any other", unknownError, effects),
    "",
    "## Instances that end before they are nodes",
    "",
    "The code of the instance's state reason. A Warning on the NodeClaim tells it; the NodeClaim is deleted and its pods are planned again.",
    "A breaker that one of these opened closes when an instance of the NodePool has become a node.",
    "",
    ...rows(stateReasonTable, afterDeath),
    "",
  ].join("\n");
}

function rows(table: readonly Ec2ErrorRow[], done: typeof effects): readonly string[] {
  const header = ["code", "message", "meaning", "what is done", "unavailable", "reason"];
  const body = table.map((row) => rowOf(row.codes.map((code) => `\`${code}\``).join(", "), row, done));
  return [lineOf(header), lineOf(header.map(() => "---")), ...body];
}

function rowOf(code: string, row: Omit<Ec2ErrorRow, "codes">, done: typeof effects): string {
  return lineOf([
    code,
    row.message === undefined ? "" : `\`${row.message.source.replaceAll("|", "\\|")}\``,
    row.meaning,
    done[row.effect],
    row.scope === "none" ? "" : `${scopes[row.scope]}, ${duration(row.ttlSeconds)}`,
    row.reason,
  ]);
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function duration(seconds: number): string {
  return seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds / 60} min`;
}
