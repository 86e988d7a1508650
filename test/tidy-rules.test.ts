import { describe, expect, it } from "vitest";
import { importDirection } from "./support/tidy/layers.ts";
import { moduleGraph } from "./support/tidy/module-graph.ts";
import { purity } from "./support/tidy/purity.ts";
import { parseSource, type SourceFile, type Violation } from "./support/tidy/source-file.ts";
import { syntaxRules } from "./support/tidy/syntax-rules.ts";
import { machineTraces, medianLines, textRules } from "./support/tidy/text-rules.ts";

const filler = (lines: number) => Array.from({ length: lines }, (_, index) => `// ${index}`).join("\n");

describe("the rule about the direction of imports", () => {
  it.each([
    ["shared/api/pod.ts", "../scheduling/taints.ts"],
    ["shared/state/snapshot.ts", "../provisioning/plan.ts"],
    ["shared/disruption/drain.ts", "../controllers/execute.ts"],
    ["shared/metrics.ts", "./ports.ts"],
    ["shared/adapters/aws/ec2.ts", "../../simulator/ec2.ts"],
    ["shared/simulator/ec2.ts", "../adapters/aws/ec2.ts"],
    ["shared/controllers/execute.ts", "../runtime/config.ts"],
    ["functions/lifecycle/handler.ts", "../termination/handler.ts"],
    ["functions/lifecycle/handler.ts", "../../shared/adapters/aws/ec2.ts"],
    ["cli/plan.ts", "../shared/adapters/aws/ec2.ts"],
    ["infra/app.ts", "../shared/runtime/compose.ts"],
    ["shared/api/pod.ts", "../../test/support/pods.ts"],
  ])("refuses that %s imports %s", (path, specifier) => {
    expect(importDirection(sources({ [path]: `import { x } from "${specifier}";` }))).toHaveLength(1);
    expect(importDirection(sources({ [path]: `import type { x } from "${specifier}";` }))).toHaveLength(1);
    expect(importDirection(sources({ [path]: `type X = import("${specifier}").x;` }))).toHaveLength(1);
  });

  it.each([
    ["shared/api/pod.ts", "./labels.ts"],
    ["shared/cloud/ranking.ts", "../scheduling/requirements.ts"],
    ["shared/cloud/ranking.ts", "../ports.ts"],
    ["shared/controllers/execute.ts", "../actions.ts"],
    ["shared/simulator/lambda.ts", "../controllers/execute.ts"],
    ["shared/simulator/api-server.ts", "../../functions/webhook/admission.ts"],
    ["functions/lifecycle/handler.ts", "../../shared/controllers/lifecycle.ts"],
    ["infra/constructs/monitoring.ts", "../../shared/metrics.ts"],
    ["test/unit/api/pod.test.ts", "../../../shared/api/pod.ts"],
  ])("accepts that %s imports %s", (path, specifier) => {
    expect(importDirection(sources({ [path]: `import { x } from "${specifier}";` }))).toEqual([]);
  });

  it("finds a way of the simulator to the adapters", () => {
    const found = importDirection(
      sources({
        "shared/simulator/lambda.ts": 'import { a } from "../runtime/lambda.ts";',
        "shared/runtime/lambda.ts": 'import { b } from "../adapters/telemetry.ts"; export const a = b;',
        "shared/adapters/telemetry.ts": "export const b = 1;",
      }),
    );
    expectFound(found, [["shared/simulator/lambda.ts", 1, /a way to shared\/adapters\/telemetry\.ts/]]);
  });

  it("gives a function one controller", () => {
    const handler = `
      import { a } from "../../shared/controllers/a.ts";
      import { b } from "../../shared/controllers/b.ts";`;
    expect(importDirection(sources({ "functions/a/handler.ts": handler }))).toEqual([
      expect.objectContaining({ path: "functions/a/handler.ts", line: 3, accepted: "one" }),
    ]);
  });
});

describe("the rule about the graph of modules", () => {
  it("finds a cycle, through types as well", () => {
    const found = moduleGraph(
      sources({
        "cli/main.ts": 'import { a } from "./a.ts"; a();',
        "cli/a.ts": 'import { b } from "./b.ts"; export const a = b;',
        "cli/b.ts": 'import type { a } from "./a.ts"; export const b = (x: typeof a) => x;',
      }),
    );
    expectFound(found, [["cli/b.ts", 1, /cli\/a\.ts -> cli\/b\.ts -> cli\/a\.ts/]]);
  });

  it("finds files and exports that nobody uses", () => {
    const found = moduleGraph(
      sources({
        "cli/main.ts": 'import { used, type Part } from "./used.ts"; used();',
        "cli/used.ts":
          "export const used = 1;\nexport const unused = 2;\nexport type Part = 1;\nexport type Alone = 1;",
        "cli/dead.ts": 'import { used } from "./used.ts"; export const alsoDead = used;',
      }),
    );
    expectFound(found, [
      ["cli/used.ts", 2, /^unused is exported/],
      ["cli/used.ts", 4, /^Alone is exported/],
      ["cli/dead.ts", 1, /no entry reaches/],
    ]);
  });

  it("accepts a type that is part of another export, and what only tests use", () => {
    const found = moduleGraph(
      sources({
        "test/unit/a.test.ts": 'import { a } from "../../shared/api/a.ts"; a({});',
        "shared/api/a.ts": "export interface Options {}\nexport const a = (options: Options) => options;",
      }),
    );
    expect(found).toEqual([]);
  });

  it("finds barrels and imports that lead nowhere", () => {
    const found = moduleGraph(
      sources({
        "cli/main.ts": 'import { a } from "./index.ts"; import "./nowhere.ts"; a();',
        "cli/index.ts": 'export { a } from "./a.ts";',
        "cli/a.ts": "export const a = () => 1;",
      }),
    );
    expectFound(found, [
      ["cli/main.ts", 1, /cli\/nowhere\.ts, which does not exist/],
      ["cli/index.ts", 1, /an index file/],
      ["cli/index.ts", 1, /another module's name/],
    ]);
  });
});

describe("the rule about purity", () => {
  it.each([
    "export const f = async () => 1;",
    "export async function f() {}",
    "class C { async m() {} }",
    "await 1;",
    "export {}; for await (const x of y) {}",
    "Date.now();",
    "new Date();",
    "Date();",
    "Math.random();",
    "process.env.HOME;",
    "setTimeout(f, 1);",
    "fetch(url);",
    "console.log(1);",
    "f({ process });",
    'import { readFileSync } from "node:fs";',
    'import { randomUUID } from "node:crypto";',
    'import { EC2Client } from "@aws-sdk/client-ec2";',
    'const fs = import("node:fs");',
  ])("refuses %s where plans are made", (text) => {
    expect(purity(parseSource("shared/provisioning/x.ts", text)).length).toBeGreaterThan(0);
  });

  it.each([
    "new Date(1);",
    "Date.parse(text);",
    "f({ process: 1 }).process;",
    "interface X { console: string; fetch(): void }",
    'import { createHash } from "node:crypto";',
    'import * as z from "zod";',
    "// process and Date.now() in a comment",
  ])("accepts %s where plans are made", (text) => {
    expect(purity(parseSource("shared/provisioning/x.ts", text))).toEqual([]);
  });

  it("lets controllers and the simulator wait, but not read the clock or throw dice", () => {
    const waiting = "export async function f() { await g(); }";
    const clock = "Date.now(); Math.random(); setTimeout(f, 1);";
    for (const path of ["shared/controllers/x.ts", "shared/simulator/x.ts"]) {
      expect(purity(parseSource(path, waiting))).toEqual([]);
      expect(purity(parseSource(path, clock))).toHaveLength(3);
    }
  });
});

describe("the rule about syntax", () => {
  it.each([
    ["let x: any;", /^any$/],
    ["f(x!);", /!/],
    ["let x!: string;", /!:/],
    ["class C { x!: string; }", /!:/],
    ["f(x as string);", /as string/],
    ["f(x as unknown);", /as unknown/],
    ["f(<string>x);", /as string/],
    ["export default 1;", /default export/],
    ['import { z } from "zod";', /zod/],
  ])("refuses %s", (text, found) => {
    expectFound(syntaxRules(parseSource("shared/api/x.ts", text)), [["shared/api/x.ts", 1, found]]);
  });

  it.each(["f(x as const);", "f(x satisfies string);", "if (!x) f();", 'import { a as b } from "./a.ts";'])(
    "accepts %s",
    (text) => {
      expect(syntaxRules(parseSource("shared/api/x.ts", text))).toEqual([]);
    },
  );

  it("keeps functions short", () => {
    const path = "shared/api/x.ts";
    for (const start of ["export function f() {", "const f = () => {", "class C {\nm() {"]) {
      const end = start.startsWith("class") ? "}}" : "}";
      expect(syntaxRules(parseSource(path, `${start}\n${filler(58)}\n${end}`))).toEqual([]);
      const found = syntaxRules(parseSource(path, `${start}\n${filler(59)}\n${end}`));
      expectFound(found, [[path, start.split("\n").length, /a function of 61 lines/]]);
    }
  });

  it("lets tests assert a type and have long suites, but not mock modules or leave tests out", () => {
    const path = "test/unit/x.test.ts";
    expect(
      syntaxRules(parseSource(path, `f(x as string);\ndescribe("x", () => {\nit("y", f);\n${filler(90)}\n});`)),
    ).toEqual([]);
    expect(syntaxRules(parseSource(path, 'vi.mock("./x.ts");\nit.only("x", f);\nlet x: any;'))).toHaveLength(3);
  });

  it("lets a configuration file have the default export that its tool wants", () => {
    expect(syntaxRules(parseSource("vitest.config.ts", "export default {};"))).toEqual([]);
  });
});

describe("the rule about texts", () => {
  it("keeps files short", () => {
    expectFound(textRules(parseSource("cli/x.ts", filler(301))), [["cli/x.ts", 1, /301 lines/]]);
    expect(textRules(parseSource("test/x.test.ts", filler(400)))).toEqual([]);
    expect(textRules(parseSource("test/x.test.ts", filler(401)))).toHaveLength(1);
    const half = sources({ "cli/a.ts": filler(121), "cli/b.ts": filler(121), "cli/c.ts": "", "test/d.ts": "" });
    expectFound(medianLines(half), [[".", 1, /a median of 121 lines/]]);
  });

  it.each(["cli/readInputs.ts", "cli/read_inputs.ts", "Cli/main.ts"])("refuses the name %s", (path) => {
    expect(textRules(parseSource(path, ""))).toHaveLength(1);
  });

  it.each(["TODO", "FIXME", "XXX"])("refuses a leftover %s in a comment, not in a string", (word) => {
    expectFound(textRules(parseSource("cli/x.ts", `f();\n// ${word}: later`)), [["cli/x.ts", 2, new RegExp(word)]]);
    expect(textRules(parseSource("cli/x.ts", `f("${word}");`))).toEqual([]);
  });

  it("refuses paths of one machine and addresses of registries, in any file", () => {
    const path = ["", "work", "main"].join("/");
    const registry = ["https:", "", "registry.example.org"].join("/");
    expectFound(machineTraces("README.md", `a\nsee ${path}\n${registry}`), [
      ["README.md", 2, /path of one machine/],
      ["README.md", 3, /registry's address/],
    ]);
    expect(machineTraces("README.md", "the path work/x, ../shared/data and https://github.com")).toEqual([]);
  });
});

function sources(texts: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(texts).map(([path, text]) => parseSource(path, text));
}

function expectFound(
  violations: readonly Violation[],
  expected: readonly (readonly [path: string, line: number, found: RegExp])[],
): void {
  expect(violations).toEqual(
    expected.map(([path, line, found]) => expect.objectContaining({ path, line, found: expect.stringMatching(found) })),
  );
}
