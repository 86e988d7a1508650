import { readFile } from "node:fs/promises";
import type { TokenSource } from "./token.ts";

/** The kubelet renews the file at 80 % of the token's life, which is at least ten minutes. */
const keptMilliseconds = 60_000;

/** The token of the pod's ServiceAccount, as the kubelet keeps it in a file. `now` is in epoch milliseconds. */
export function serviceAccountTokens(file: string, now: () => number): TokenSource {
  let current: { readonly token: string; readonly untilAt: number } | undefined;
  return {
    async token() {
      if (current === undefined || now() >= current.untilAt) {
        current = { token: (await readFile(file, "utf8")).trim(), untilAt: now() + keptMilliseconds };
      }
      return current.token;
    },
    invalidate() {
      current = undefined;
    },
  };
}
