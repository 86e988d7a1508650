import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Folder of published EC2 facts that tests compare with: `JOURNEYMAN_GOLDEN_DATA`, or `../shared/data` beside the checkout. Not part of the
 * project, so tests that need it are skipped, and say so, where it is absent.
 */
export const goldenDataFolder =
  process.env.JOURNEYMAN_GOLDEN_DATA || fileURLToPath(new URL("../../../shared/data", import.meta.url));

export const hasGoldenData = existsSync(goldenDataFolder);

/** Rows of a tab-separated file of the folder, each a list of its cells. */
export function goldenRows(file: string): readonly (readonly string[])[] {
  return readFileSync(`${goldenDataFolder}/${file}`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}

/** Rows of a file whose first line names its columns. */
export function goldenRecords(file: string): readonly ReadonlyMap<string, string>[] {
  const [header = [], ...rows] = goldenRows(file);
  return rows.map((row) => new Map(header.map((column, index) => [column, row[index] ?? ""])));
}
