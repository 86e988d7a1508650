import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bundleBudgetsBytes, bundling } from "./bundling.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Bundle {
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly budgetBytes: number;
}

/** Bundles one function into `dist/NAME/index.js` and weighs it. */
async function bundle(name: string, budgetBytes: number): Promise<Bundle> {
  const entry = name === "webhook" ? "main.ts" : "handler.ts";
  const outfile = join(root, "dist", name, "index.js");
  const { outputFiles } = await build({
    entryPoints: [join(root, "functions", name, entry)],
    outfile,
    bundle: true,
    platform: "node",
    write: false,
    logLevel: "error",
    format: bundling.format,
    minify: bundling.minify,
    target: bundling.target,
    mainFields: [...bundling.mainFields],
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  await mkdir(dirname(outfile), { recursive: true });
  // The project's own package.json says "module"; the bundles are CommonJS.
  await writeFile(join(dirname(outfile), "package.json"), '{ "type": "commonjs" }\n');
  await writeFile(outfile, code);
  return { name, bytes: code.length, gzipBytes: gzipSync(code).length, budgetBytes };
}

function line(name: string, ...cells: readonly (string | number)[]): string {
  return name.padEnd(20) + cells.map((cell) => String(cell).padStart(12)).join("");
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

const bundles = await Promise.all(Object.entries(bundleBudgetsBytes).map(([name, budget]) => bundle(name, budget)));
console.log(line("bundle", "minified", "gzip", "budget"));
for (const { name, bytes, gzipBytes, budgetBytes } of bundles) {
  console.log(line(name, kilobytes(bytes), kilobytes(gzipBytes), kilobytes(budgetBytes)));
}
const tooLarge = bundles.filter(({ bytes, budgetBytes }) => bytes > budgetBytes);
if (tooLarge.length > 0) {
  console.error(`Over budget: ${tooLarge.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
}
