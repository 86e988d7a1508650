import { ProviderError } from "../../ports.ts";

/** Several times as many as the largest region has of anything. */
const mostPages = 500;

/** The pages, and an error instead of those beyond the five-hundredth: an answer that goes round in circles would hold the function for good. */
export async function* endingPages<Page>(pages: AsyncIterable<Page>, what: string): AsyncGenerator<Page> {
  let count = 0;
  for await (const page of pages) {
    count++;
    if (count > mostPages) throw new ProviderError("Unknown", "TooManyPages", `${what}: more than ${mostPages} pages`);
    yield page;
  }
}

/** More than nothing, and a number that JSON can hold. */
export function isPrice(price: number): boolean {
  return price > 0 && Number.isFinite(price);
}
