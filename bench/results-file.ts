import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

/** Writes bench/results/NAME.json, with the machine and runtime that the times in it belong to. */
export function writeResults(name: string, content: Readonly<Record<string, unknown>>): void {
  const machine = {
    node: process.version,
    arch: process.arch,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
  };
  const folder = fileURLToPath(new URL("results/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify({ machine, ...content }, undefined, 2)}\n`);
}
