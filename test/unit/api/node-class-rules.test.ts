import { describe, it } from "vitest";
import { nodeClassRows } from "../../support/api-cases/node-class.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";

describe("our validation holds to the rules of", () => {
  for (const row of Object.keys(nodeClassRows)) it(row, ownVerdicts(nodeClassRows));
});
