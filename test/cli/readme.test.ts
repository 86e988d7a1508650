import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { explain } from "../../cli/explain.ts";
import { plan } from "../../cli/plan.ts";
import { simulate } from "../../cli/simulate.ts";
import { stdinOf } from "../support/command-line.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const examples = fileURLToPath(new URL("../../examples", import.meta.url));

/** What stands between a line of the README and the end of its code block. */
function shownAfter(line: string): string {
  const after = readme.split(`${line}\n`)[1] ?? "";
  return (
    after
      .replace(/^\s*```\n/, "")
      .split("```")[0]
      ?.trim() ?? ""
  );
}

async function planOfExamples(output: "table" | "json"): Promise<string> {
  const options = { filename: [examples], region: "us-east-1", kubernetesVersion: "1.34", output };
  return (await plan(options, stdinOf(""))).output;
}

describe("what the README shows is what comes out:", () => {
  it("the demo, but for what is left out at three dots", async () => {
    const { output } = await simulate("shop", { seed: 1, output: "table" });
    const passages = shownAfter("<!-- demo output: `npm run demo`, shortened -->").split(/^\.\.\.$/m);
    expect(passages.length).toBeGreaterThan(2);
    for (const passage of passages) expect(output).toContain(passage.trim());
  });

  it("the explanation of a pod without a place", async () => {
    const filename = [examples, fileURLToPath(new URL("../../docs/trainer.yaml", import.meta.url))];
    const options = { filename, region: "us-east-1", kubernetesVersion: "1.34", output: "table" } as const;
    const { output } = await explain("pod", "shop/trainer", options, stdinOf(""));
    expect(output.trim()).toBe(
      shownAfter("$ npx journeyman explain pod shop/trainer -f examples -f docs/trainer.yaml"),
    );
  });

  it("the plan of the examples, and the reason of one node", async () => {
    expect((await planOfExamples("table")).trim()).toBe(shownAfter("$ npx journeyman plan -f examples"));
    const reason = shownAfter("`-o json` gives the reason and the runners-up for each node, too:\n");
    expect(reason).toMatch(/^"reason": "/);
    expect(await planOfExamples("json")).toContain(reason);
  });
});
