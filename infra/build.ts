import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Bundle, type BundleName, bundle, bundleBudgetsBytes } from "./bundling.ts";

/**
 * `node infra/build.ts` bundles every function into `dist/NAME/index.js` and holds each to its budget; `node infra/build.ts NAME
 * FOLDER` bundles one into a folder, as the stack does.
 */
const [onlyName, onlyFolder] = process.argv.slice(2);
if (onlyName === undefined || onlyFolder === undefined) await buildAll();
else await write(await bundle(bundleNamed(onlyName)), onlyFolder);

async function buildAll(): Promise<void> {
  const dist = fileURLToPath(new URL("../dist", import.meta.url));
  console.log(line("bundle", "minified", "gzip", "budget"));
  const tooLarge: string[] = [];
  for (const name of names()) {
    const built = await bundle(name);
    await write(built, join(dist, name));
    const [bytes, budget] = [built.code.length, bundleBudgetsBytes[name]];
    if (bytes > budget) tooLarge.push(name);
    console.log(line(name, kilobytes(bytes), kilobytes(gzipSync(built.code).length), kilobytes(budget)));
  }
  if (tooLarge.length === 0) return;
  console.error(`Over budget: ${tooLarge.join(", ")}`);
  process.exitCode = 1;
}

/** The project's own package.json says "module"; the bundles are CommonJS. */
async function write({ code }: Bundle, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  await writeFile(join(folder, "index.js"), code);
}

function names(): BundleName[] {
  return Object.keys(bundleBudgetsBytes).filter((name): name is BundleName => name in bundleBudgetsBytes);
}

function bundleNamed(text: string): BundleName {
  const name = names().find((each) => each === text);
  if (name === undefined) throw new Error(`no function is called ${text}; expected one of ${names().join(", ")}`);
  return name;
}

function line(name: string, ...cells: readonly string[]): string {
  return name.padEnd(20) + cells.map((cell) => cell.padStart(12)).join("");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
