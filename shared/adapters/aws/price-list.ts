import { type Filter, type PricingClient, paginateGetProducts } from "@aws-sdk/client-pricing";
import * as z from "zod";
import { storedJson } from "../../cloud/stored-facts.ts";
import { ProviderError } from "../../ports.ts";
import { awsError } from "./aws-error.ts";
import { endingPages, isPrice } from "./pages.ts";

/** The region whose endpoint tells the prices of a region; undefined where there is none to ask (karpenter-aws §3). */
export function priceListRegion(region: string): string | undefined {
  if (region.startsWith("us-gov-") || region.includes("-iso")) return undefined;
  if (region.startsWith("ap-")) return "ap-south-1";
  if (region.startsWith("eu-")) return "eu-central-1";
  return region.startsWith("cn-") ? "cn-northwest-1" : "us-east-1";
}

/**
 * On-demand prices of Linux nodes per hour by type, in the region's currency, which only in China is not USD: shared tenancy, and bare
 * metal by its own listing.
 * @throws ProviderError when either listing fails or is empty.
 */
export async function onDemandPrices(client: PricingClient, region: string): Promise<ReadonlyMap<string, number>> {
  const [shared, metal] = await Promise.all([
    listing(client, region, { tenancy: "Shared", productFamily: "Compute Instance" }),
    listing(client, region, { tenancy: "Dedicated", productFamily: "Compute Instance (bare metal)" }),
  ]);
  return new Map([...shared, ...metal]);
}

const linuxOnDemand = {
  operatingSystem: "Linux",
  preInstalledSw: "NA",
  capacitystatus: "Used",
  marketoption: "OnDemand",
};

async function listing(
  client: PricingClient,
  region: string,
  { productFamily, tenancy }: { readonly productFamily: string; readonly tenancy: string },
): Promise<ReadonlyMap<string, number>> {
  const what = `GetProducts of ${productFamily} in ${region}`;
  const fields = { regionCode: region, serviceCode: "AmazonEC2", ...linuxOnDemand, productFamily, tenancy };
  const Filters = Object.entries(fields).map(([Field, Value]): Filter => ({ Type: "TERM_MATCH", Field, Value }));
  const prices = new Map<string, number>();
  const currency = region.startsWith("cn-") ? "CNY" : "USD";
  try {
    const pages = paginateGetProducts({ client, pageSize: 100 }, { ServiceCode: "AmazonEC2", Filters });
    for await (const { PriceList } of endingPages(pages, what)) {
      for (const text of PriceList ?? []) {
        const product = priceListing.safeParse(String(text));
        if (!product.success) continue;
        const { instanceType } = product.data.product.attributes;
        const price = priceOf(product.data, currency);
        if (isPrice(price)) prices.set(instanceType, price);
      }
    }
  } catch (error) {
    throw awsError(what, error);
  }
  if (prices.size === 0) throw new ProviderError("Unknown", "NoPrices", `${what}: not one price`);
  return prices;
}

const priceListing = storedJson(
  z.object({
    product: z.object({ attributes: z.object({ instanceType: z.string() }) }),
    terms: z.object({
      OnDemand: z.record(
        z.string(),
        z.object({
          priceDimensions: z.record(z.string(), z.object({ pricePerUnit: z.record(z.string(), z.string()) })),
        }),
      ),
    }),
  }),
);

/** 0 where there is none. */
function priceOf({ terms }: z.infer<typeof priceListing>, currency: string): number {
  for (const { priceDimensions } of Object.values(terms.OnDemand)) {
    for (const { pricePerUnit } of Object.values(priceDimensions)) {
      const price = Number(pricePerUnit[currency]);
      if (isPrice(price)) return price;
    }
  }
  return 0;
}
