import type { WireCloud } from "./cloud.ts";

export interface PriceListing {
  readonly serviceCode: string;
  readonly product: {
    readonly productFamily: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly sku: string;
  };
  readonly terms: object;
}

/**
 * The price list of the region: for each priced type the product that a Linux node is, and beside it those that it is not (Windows, with
 * a database, a reservation that nobody uses, dedicated hardware), each at another price; and one product at zero.
 */
export function priceList({ catalog, account }: WireCloud): readonly PriceListing[] {
  const metal = new Set(catalog.types.filter(({ bareMetal }) => bareMetal).map(({ name }) => name));
  return [...catalog.onDemandPrices].flatMap(([instanceType, price]) => {
    const isMetal = metal.has(instanceType);
    const listing = (factor: number, differs: Readonly<Record<string, string>>): PriceListing => {
      const sku = `${instanceType}-${Object.values(differs).join("-")}`;
      const attributes = {
        instanceType,
        regionCode: account.region,
        servicecode: "AmazonEC2",
        operatingSystem: "Linux",
        preInstalledSw: "NA",
        capacitystatus: "Used",
        marketoption: "OnDemand",
        tenancy: isMetal ? "Dedicated" : "Shared",
        ...differs,
      };
      const productFamily = isMetal ? "Compute Instance (bare metal)" : "Compute Instance";
      return {
        serviceCode: "AmazonEC2",
        product: { productFamily, attributes, sku },
        terms: onDemand(sku, price * factor),
      };
    };
    return [
      listing(1, {}),
      listing(1.8, { operatingSystem: "Windows" }),
      listing(3, { preInstalledSw: "SQL Std" }),
      listing(0, { capacitystatus: "AllocatedCapacityReservation" }),
      ...(isMetal ? [] : [listing(1.1, { tenancy: "Dedicated" })]),
      listing(1.3, { regionCode: "xx-elsewhere-1" }),
    ];
  });
}

function onDemand(sku: string, priceUsdPerHour: number): object {
  const dimension = {
    unit: "Hrs",
    pricePerUnit: { USD: priceUsdPerHour.toFixed(10) },
    description: "per On Demand hour",
  };
  return { OnDemand: { [`${sku}.T`]: { sku, priceDimensions: { [`${sku}.T.D`]: dimension }, termAttributes: {} } } };
}
