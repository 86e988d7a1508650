import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../../shared/api/documents.ts";
import { checkReferences } from "../../../shared/api/references.ts";
import { goldenDataFolder, hasGoldenData } from "../../support/golden-data.ts";

const folder = `${goldenDataFolder}/manifests`;
const files = hasGoldenData
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"))
  : [];

describe.skipIf(!hasGoldenData)(`public manifests (golden data in ${goldenDataFolder})`, () => {
  it("are there", () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it.each(files)("%s is read without a problem", (name) => {
    const { objects, problems } = readDocuments([{ name, text: readFileSync(`${folder}/${name}`, "utf8") }]);
    expect(problems).toEqual([]);
    expect(objects.length).toBeGreaterThan(0);
    expect(checkReferences(objects)).toEqual({ notes: [], problems: [] });
  });
});
