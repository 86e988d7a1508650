import { EC2Client } from "@aws-sdk/client-ec2";
import { PricingClient } from "@aws-sdk/client-pricing";
import { describe, expect, it, onTestFinished } from "vitest";
import { catalogPort } from "../../../shared/adapters/aws/catalog.ts";
import { onDemandPrices, priceListRegion } from "../../../shared/adapters/aws/price-list.ts";
import { httpLoopback, type Outcome, type ReceivedRequest } from "../../support/loopback.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };

async function serverThat(answers: (request: ReceivedRequest) => Outcome) {
  const server = await httpLoopback(answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const options = { region: "us-east-1", endpoint: server.url, credentials, maxAttempts: 1 };
  return { server, options };
}

async function portThat(answers: (form: URLSearchParams) => string | Outcome) {
  const { server, options } = await serverThat(({ body }) => {
    const answer = answers(new URLSearchParams(body));
    return typeof answer === "string" ? { headers: { "content-type": "text/xml" }, body: answer } : answer;
  });
  const logged: unknown[] = [];
  const telemetry = { log: (_level: string, _message: string, fields: unknown) => void logged.push(fields) };
  const client = new EC2Client(options);
  return { server, logged, port: catalogPort({ client, region: "us-east-1", telemetry, now: () => 1_000 }) };
}

function error(code: string): Outcome {
  const body = `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors></Response>`;
  return { status: 400, headers: { "content-type": "text/xml" }, body };
}

const usable = (name: string, more = "") =>
  `<item><instanceType>${name}</instanceType><vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo>` +
  "<processorInfo><supportedArchitectures><item>x86_64</item></supportedArchitectures></processorInfo>" +
  `<memoryInfo><sizeInMiB>4096</sizeInMiB></memoryInfo>${more}</item>`;

function typesPage(items: string, nextToken = ""): string {
  const token = nextToken === "" ? "" : `<nextToken>${nextToken}</nextToken>`;
  return `<DescribeInstanceTypesResponse><instanceTypeSet>${items}</instanceTypeSet>${token}</DescribeInstanceTypesResponse>`;
}

describe("the catalog adapter", () => {
  it("asks for HVM types of our architectures, page after page", async () => {
    const { port, server } = await portThat((form) =>
      form.get("NextToken") === null ? typesPage(usable("m5.large"), "more") : typesPage(usable("m5.xlarge")),
    );
    expect((await port.instanceTypes()).map(({ name }) => name)).toEqual(["m5.large", "m5.xlarge"]);
    const [first] = server.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(first).toMatchObject({
      "Filter.1.Name": "supported-virtualization-type",
      "Filter.1.Value.1": "hvm",
      "Filter.2.Name": "processor-info.supported-architecture",
      "Filter.2.Value.2": "arm64",
      MaxResults: "100",
    });
  });

  it("fails when pages have no end, and does not ask for ever", async () => {
    const { port, server } = await portThat(() => typesPage(usable("m5.large"), "again"));
    await expect(port.instanceTypes()).rejects.toMatchObject({ name: "ProviderError", code: "TooManyPages" });
    expect(server.requests.length).toBeLessThan(510);
  });

  it("leaves out spot prices that are none", async () => {
    const item = (type: string, price: string) =>
      `<item><instanceType>${type}</instanceType><availabilityZone>us-east-1a</availabilityZone>${price}</item>`;
    const prices = ["NaN", "-0.1", "0", "Infinity", "1e999", "", "free"].map((text, index) =>
      item(`m${index}.large`, `<spotPrice>${text}</spotPrice>`),
    );
    const items = [...prices, item("c5.large", ""), item("m5.large", "<spotPrice>0.04</spotPrice>")].join("");
    const { port } = await portThat(
      () =>
        `<DescribeSpotPriceHistoryResponse><spotPriceHistorySet>${items}</spotPriceHistorySet></DescribeSpotPriceHistoryResponse>`,
    );
    expect(await port.spotPrices()).toEqual(new Map([["m5.large", new Map([["us-east-1a", 0.04]])]]));
  });

  it("fails when a later page fails: half a catalog is none", async () => {
    const { port } = await portThat((form) =>
      form.get("NextToken") === null ? typesPage(usable("m5.large"), "more") : error("RequestLimitExceeded"),
    );
    await expect(port.instanceTypes()).rejects.toMatchObject({ kind: "Throttled", code: "RequestLimitExceeded" });
  });

  it("leaves out a type without what every node needs, and says which", async () => {
    const { port, logged } = await portThat(() =>
      typesPage(`${usable("m5.large")}<item><instanceType>odd.large</instanceType></item>`),
    );
    expect((await port.instanceTypes()).map(({ name }) => name)).toEqual(["m5.large"]);
    expect(logged).toEqual([{ unreadable: ["odd.large"] }]);
  });

  it("knows the devices of other makers, and takes from its tables what EC2 does not tell", async () => {
    const gaudi =
      "<gpuInfo><gpus><item><name>Gaudi HL-205</name><manufacturer>Habana</manufacturer><count>8</count>" +
      "<memoryInfo><sizeInMiB>32768</sizeInMiB></memoryInfo></item></gpus></gpuInfo>";
    const { port } = await portThat(() => typesPage(usable("dl1.24xlarge", gaudi) + usable("m5.large")));
    const [accelerated, plain] = await port.instanceTypes();
    expect(accelerated?.devices).toEqual({ "habana.ai/gaudi": 8 });
    expect(accelerated?.gpu).toEqual({ name: "gaudi-hl-205", manufacturer: "habana", count: 8, memoryMib: 32_768 });
    expect(plain).toMatchObject({ branchInterfaces: 9, networkBandwidthMbps: 750 });
  });

  it("takes both names of an exceeded quota for no signal, and only those", async () => {
    let code = "MaxConfigLimitExceeded";
    const { port } = await portThat(() => error(code));
    const ask = () => port.placementScores({ instanceTypes: ["a", "b", "c"], targetCapacity: 1 });
    for (code of [
      "MaxConfigLimitExceeded",
      "MaxConfigLimitExceededException",
      "TargetCapacityLimitExceededException",
    ]) {
      expect(await ask()).toEqual({ kind: "no-signal", code, message: expect.any(String) });
    }
    code = "UnauthorizedOperation";
    await expect(ask()).rejects.toMatchObject({ kind: "Denied" });
  });

  it("says where prices come from when there is no price list to ask", async () => {
    const { port } = await portThat(() => error("None"));
    await expect(port.onDemandPrices()).rejects.toMatchObject({
      code: "NoPriceList",
      message: expect.stringMatching(/us-east-1/),
    });
  });
});

describe("the price list", () => {
  const product = (instanceType: string, pricePerUnit: Readonly<Record<string, string>>) =>
    JSON.stringify({
      product: { attributes: { instanceType } },
      terms: { OnDemand: { T: { priceDimensions: { D: { pricePerUnit } } } } },
    });
  const answering = async (shared: readonly string[], metal: readonly string[]) => {
    const { options } = await serverThat(({ body }) => ({
      body: { PriceList: body.includes("bare metal") ? metal : shared },
    }));
    return new PricingClient(options);
  };

  it("has its endpoints in some regions, for others near them", () => {
    expect(["us-west-2", "sa-east-1", "eu-west-1", "ap-southeast-2", "cn-north-1"].map(priceListRegion)).toEqual([
      "us-east-1",
      "us-east-1",
      "eu-central-1",
      "ap-south-1",
      "cn-northwest-1",
    ]);
    expect(priceListRegion("us-gov-west-1")).toBeUndefined();
  });

  it("joins shared tenancy and bare metal, without what is free, or no price", async () => {
    const shared = [product("m5.large", { USD: "0.096" }), product("free.large", { USD: "0" }), "not JSON"];
    const prices = await onDemandPrices(await answering(shared, [product("m5.metal", { USD: "4.608" })]), "us-east-1");
    expect(Object.fromEntries(prices)).toEqual({ "m5.large": 0.096, "m5.metal": 4.608 });
  });

  it("fails when one of the two lists is empty", async () => {
    const client = await answering([product("m5.large", { USD: "0.096" })], []);
    await expect(onDemandPrices(client, "us-east-1")).rejects.toMatchObject({
      code: "NoPrices",
      message: expect.stringMatching(/bare metal.*us-east-1/),
    });
  });

  it("is in the region's own currency in China", async () => {
    const client = await answering([product("m5.large", { CNY: "0.7" })], [product("m5.metal", { CNY: "30" })]);
    expect((await onDemandPrices(client, "cn-north-1")).get("m5.large")).toBe(0.7);
  });
});
