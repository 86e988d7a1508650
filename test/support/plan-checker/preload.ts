import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { checkedPlans } from "./checked-planning.ts";
import { instrumented, isPlanner } from "./instrumentation.ts";

/**
 * For processes that a test starts: `node --import` this file, and the process checks each plan as the tests themselves do. At its end
 * the process appends the number of checked plans to the file that the environment variable names.
 */
const reportVariable = "PLAN_CHECKER_REPORT";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!isPlanner(url)) return loaded;
    if (loaded.source === undefined) throw new Error(`${url}: the loader gave no source to check plans in`);
    const source =
      typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: instrumented(source, new URL("checked-planning.ts", import.meta.url).href) };
  },
});

process.on("exit", () => {
  const file = process.env[reportVariable];
  if (file !== undefined) appendFileSync(file, `${checkedPlans.count}\n`);
});
