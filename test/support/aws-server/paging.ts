import { Ec2ApiError } from "../../../shared/simulator/ec2-api-error.ts";
import type { WireCloud } from "./cloud.ts";
import type { QueryForm } from "./query-form.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextToken: string | undefined;
}

/** The page that a request asks for. The token is the place to go on from, in a form that no caller can take for a number. */
export function pageOf<T>(all: readonly T[], form: QueryForm, { pageLimit }: WireCloud, mostPerPage = 1000): Page<T> {
  const wanted = form.number("MaxResults");
  if (wanted !== undefined && (wanted < 1 || wanted > mostPerPage)) {
    throw new Ec2ApiError("InvalidParameterValue", `Value ( ${wanted} ) for parameter maxResults is invalid`);
  }
  return cut(all, form.text("NextToken"), Math.min(wanted ?? all.length, pageLimit ?? all.length));
}

export function cut<T>(all: readonly T[], token: string | undefined, size: number): Page<T> {
  const start = token === undefined ? 0 : Number(Buffer.from(token, "base64url").toString().slice("from ".length));
  if (!Number.isInteger(start)) throw new Ec2ApiError("InvalidNextToken", `The token '${token}' is invalid`);
  const end = start + size;
  const nextToken = end < all.length ? Buffer.from(`from ${end}`).toString("base64url") : undefined;
  return { items: all.slice(start, end), nextToken };
}
