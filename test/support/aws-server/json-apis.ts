import type { ReceivedRequest, ScriptedAnswer } from "../loopback.ts";
import type { WireCloud } from "./cloud.ts";
import { cut } from "./paging.ts";
import { type PriceListing, priceList } from "./price-list.ts";

/** `AmazonSSM.GetParameter`. */
export function ssmAnswer({ account }: WireCloud, { headers, body }: ReceivedRequest): ScriptedAnswer {
  if (headers["x-amz-target"] !== "AmazonSSM.GetParameter") return jsonError("UnknownOperationException");
  const { Name: name } = JSON.parse(body) as { readonly Name: string };
  const value = account.parameters.get(name);
  if (value === undefined) return jsonError("ParameterNotFound", `Parameter ${name} not found.`);
  return { body: { Parameter: { Name: name, Type: "String", Value: value, Version: 1, DataType: "aws:ec2:image" } } };
}

interface GetProductsRequest {
  readonly ServiceCode: string;
  readonly Filters?: readonly { readonly Type: string; readonly Field: string; readonly Value: string }[];
  readonly MaxResults?: number;
  readonly NextToken?: string;
}

/** `AWSPriceListService.GetProducts`: products are JSON texts inside JSON. */
export function pricingAnswer(cloud: WireCloud, { headers, body }: ReceivedRequest): ScriptedAnswer {
  if (headers["x-amz-target"] !== "AWSPriceListService.GetProducts") return jsonError("UnknownOperationException");
  const request = JSON.parse(body) as GetProductsRequest;
  if (request.ServiceCode !== "AmazonEC2") return jsonError("InvalidParameterException", request.ServiceCode);
  const matching = priceList(cloud).filter((listing) => matchesTerms(listing, request.Filters ?? []));
  const size = Math.min(request.MaxResults ?? 100, 100, cloud.pageLimit ?? 100);
  const { items, nextToken } = cut(matching, request.NextToken, size);
  return {
    body: { FormatVersion: "aws_v1", PriceList: items.map((item) => JSON.stringify(item)), NextToken: nextToken },
  };
}

/** Every term names an attribute, in whatever case, and its value. An attribute that the product lacks matches nothing. */
function matchesTerms(
  { product, serviceCode }: PriceListing,
  filters: NonNullable<GetProductsRequest["Filters"]>,
): boolean {
  const attributes = { ...product.attributes, productFamily: product.productFamily, serviceCode };
  const values = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]));
  return filters.every(
    ({ Type, Field, Value }) => Type === "TERM_MATCH" && values.get(Field.toLowerCase()) === Value.toLowerCase(),
  );
}

function jsonError(code: string, message = ""): ScriptedAnswer {
  return { status: 400, body: { __type: code, message } };
}
