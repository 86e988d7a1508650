import { describe, expect, it } from "vitest";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import type { InstanceType } from "../../../shared/cloud/instance-type.ts";
import { instanceTypesFor } from "../../../shared/cloud/instance-types.ts";
import { formatMillis } from "../../../shared/scheduling/quantities.ts";
import { goldenDataFolder, goldenRecords, goldenRows, hasGoldenData } from "../../support/golden-data.ts";
import { nodeClass } from "../../support/node-classes.ts";

/** The published reference lists AL2023 with its default volume. */
const types = new Map(
  instanceTypesFor(embeddedCatalog(), nodeClass(), {
    vmMemoryOverheadPercent: 0.075,
    reservedEnis: 0,
    unavailable: [],
    now: 0,
  }).map((type) => [type.name, type]),
);

describe.skipIf(!hasGoldenData)(`the embedded catalog against ${goldenDataFolder} (skipped where it is absent)`, () => {
  it("has exactly the published instance types, with every published label and allocatable resource", () => {
    const records = goldenRecords("instance-types.tsv");
    let compared = 0;
    const differences = records.flatMap((record) => {
      const name = record.get("instanceType") ?? "";
      const type = types.get(name);
      if (type === undefined) return [`${name} is missing`];
      compared++;
      return [...record].flatMap(([column, published]) => {
        const found = cell(type, column);
        return found === published ? [] : [`${name} ${column}: found "${found}", published "${published}"`];
      });
    });
    console.log(`labels and allocatable: ${compared} of ${records.length} types compared`);
    expect(differences).toEqual([]);
    expect(compared).toBe(records.length);
    expect(types.size).toBe(records.length);
  });

  it("has the us-east-1 list price of every published type, and no other price", () => {
    const { onDemandPrices } = embeddedCatalog();
    const published = goldenRows("us-east-1-prices.tsv").filter(([name = ""]) => types.has(name));
    let compared = 0;
    const differences = published.flatMap(([name = "", text]) => {
      const price = onDemandPrices.get(name);
      if (price === undefined) return [`${name} has no price`];
      compared++;
      return price === Number(text) ? [] : [`${name}: found ${price}, published ${text}`];
    });
    console.log(`prices: ${compared} of ${published.length} compared, ${types.size - published.length} types unpriced`);
    expect(differences).toEqual([]);
    expect(compared).toBe(published.length);
    expect(onDemandPrices.size).toBe(published.length);
  });
});

/** What our model says in the words of a column of the published table. */
function cell(type: InstanceType, column: string): string {
  if (!column.startsWith("alloc:")) return [...(type.requirements.get(labelOf(column))?.values ?? [])].join();
  const resource = column.slice("alloc:".length);
  const amount = type.allocatable[resource];
  if (amount === undefined) return "";
  if (resource === "cpu") return formatMillis(amount);
  if (resource === "memory") return `${amount / 1024 ** 2}Mi`;
  return resource === "ephemeral-storage" ? `${amount / 1024 ** 3}Gi` : String(amount);
}

function labelOf(column: string): string {
  if (column === "instanceType") return "node.kubernetes.io/instance-type";
  if (column === "arch") return "kubernetes.io/arch";
  return column === "nitro-sandbox" ? "karpenter.k8s.aws/nitro-sandbox" : `karpenter.k8s.aws/instance-${column}`;
}
