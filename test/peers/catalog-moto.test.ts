import { DescribeInstanceTypesCommand, EC2Client, type InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { catalogPort } from "../../shared/adapters/aws/catalog.ts";
import { instanceTypeFacts } from "../../shared/adapters/aws/instance-type-facts.ts";
import type { Catalog, InstanceTypeFacts } from "../../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { instanceTypesFor } from "../../shared/cloud/instance-types.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { goldenRecords, hasGoldenData } from "../support/golden-data.ts";
import { nodeClass } from "../support/node-classes.ts";

const options = () => ({
  region: "us-east-1",
  endpoint: inject("motoUrl"),
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});

/** moto answers with the types of EC2 as they were described to somebody. It knows no Mac from a Linux machine's filters. */
describe("the catalog adapter on moto", () => {
  const client = new EC2Client(options());
  let described: readonly InstanceTypeInfo[] = [];
  let facts: readonly InstanceTypeFacts[] = [];

  beforeAll(async () => {
    const found: InstanceTypeInfo[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(new DescribeInstanceTypesCommand(NextToken === undefined ? {} : { NextToken }));
      found.push(...(page.InstanceTypes ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    described = found;
    const port = catalogPort({ client, region: "us-east-1", telemetry: { log: () => {} }, now: Date.now });
    facts = await port.instanceTypes();
  });

  it("converts every type that a node can be", () => {
    const possible = described.filter(({ ProcessorInfo }) =>
      (ProcessorInfo?.SupportedArchitectures ?? []).some((arch) => arch === "x86_64" || arch === "arm64"),
    );
    const unread = possible.filter((info) => instanceTypeFacts(info) === undefined);
    expect(unread.map(({ InstanceType }) => InstanceType)).toEqual([]);
    expect(possible.length).toBeGreaterThan(1_000);
    expect(facts.length).toBeGreaterThan(1_000);
    console.log(`types of moto: ${described.length} described, ${possible.length} for nodes, ${facts.length} listed`);
  });

  it.skipIf(!hasGoldenData)("comes to the published allocatable of every type that both know", () => {
    const catalog: Catalog = { ...embeddedCatalog("us-east-1"), types: facts };
    const { vmMemoryOverheadPercent, reservedEnis } = defaultSettings;
    const settings = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now: 0 };
    const types = new Map(instanceTypesFor(catalog, nodeClass(), settings).map((type) => [type.name, type]));
    const differences: string[] = [];
    let compared = 0;
    for (const row of goldenRecords("instance-types.tsv")) {
      const type = types.get(row.get("instanceType") ?? "");
      if (type === undefined) continue;
      compared++;
      const published = {
        cpu: millis(row.get("alloc:cpu")),
        memoryMi: Number.parseInt(row.get("alloc:memory") ?? "", 10),
        pods: Number(row.get("alloc:pods")),
      };
      const { cpu = 0, memory = 0, pods = 0 } = type.allocatable;
      const ours = { cpu, memoryMi: Math.floor(memory / 2 ** 20), pods };
      if (JSON.stringify(ours) !== JSON.stringify(published)) {
        differences.push(`${type.name}: ${JSON.stringify(ours)}, published ${JSON.stringify(published)}`);
      }
    }
    expect(differences.filter((line) => !known.some((one) => line.startsWith(`${one}:`)))).toEqual([]);
    expect(compared).toBeGreaterThan(1_000);
    console.log(`allocatable of moto's types: ${compared} compared, ${differences.length} differ, all known`);
  });
});

/**
 * EC2 describes two network cards of these and gives the default one half of the interfaces; the published table counts those of both, which
 * a node cannot use for pods.
 */
const known: readonly string[] = ["i7ie.48xlarge", "i7ie.metal-48xl", "i8ge.48xlarge", "i8ge.metal-48xl"];

function millis(text = ""): number {
  return text.endsWith("m") ? Number.parseInt(text, 10) : 1_000 * Number(text);
}
