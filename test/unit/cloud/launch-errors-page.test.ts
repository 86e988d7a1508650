import { expect, it } from "vitest";
import { launchErrorsPage } from "../../support/launch-errors-page.ts";

it("docs/launch-errors.md says what the tables of errors say", async () => {
  await expect(launchErrorsPage()).toMatchFileSnapshot("../../../docs/launch-errors.md");
});
