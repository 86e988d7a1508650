import { parseArgs } from "node:util";
import { type LaunchFigures, launchAlike, launchSingly, markets } from "./launch-world.ts";
import { positiveNumbers } from "./options.ts";
import { writeResults } from "./results-file.ts";

/** Calls and virtual time for many equal nodes at once, beside one call per node. All of it follows from the seed. */
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    nodes: { type: "string", multiple: true, default: ["50", "200", "1000"] },
  },
});
const seed = Number(options.seed);
const sizes = options.smoke ? [20] : positiveNumbers("nodes", options.nodes);

const results: (LaunchFigures & { readonly how: string })[] = [];
console.log(line("how", ["nodes", "calls", "pools", "last, s"]));
for (const nodes of sizes) {
  for (const market of markets) show(`in groups, ${market}`, await launchAlike(nodes, market, seed));
  show("one call per node", await launchSingly(nodes, seed));
}
writeResults("launch", { seed, results });

function show(how: string, figures: LaunchFigures): void {
  const { nodes, calls, pools, seconds } = figures;
  results.push({ how, ...figures });
  console.log(line(how, [nodes, calls, pools, seconds.toFixed(1)]));
}

function line(how: string, cells: readonly (string | number)[]): string {
  return `${how.padEnd(24)}${cells.map((cell) => String(cell).padStart(8)).join("")}`;
}
