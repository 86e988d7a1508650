import { describe, expect, it } from "vitest";
import { describeProblem } from "../../../shared/api/problems.ts";
import { maxDocumentBytes, yamlDocuments } from "../../../shared/api/yaml-documents.ts";

const values = (text: string) => yamlDocuments({ name: "f.yaml", text }).documents.map(({ value }) => value);
const problems = (text: string) => yamlDocuments({ name: "f.yaml", text }).problems.map(describeProblem);

describe("documents of a file", () => {
  it("are those that are not empty, numbered as a person counts them", () => {
    const { documents } = yamlDocuments({
      name: "f.yaml",
      text: "# licence\n\n---\na: 1\n---\n# nothing\n---\nb: 2\n",
    });
    expect(documents).toEqual([
      { document: 1, value: { a: 1 } },
      { document: 3, value: { b: 2 } },
    ]);
  });

  it("may be JSON, indented by tabs or not, and begin with directives or a byte order mark", () => {
    expect(values('{\n\t"a": [1]\n}')).toEqual([{ a: [1] }]);
    expect(values("%YAML 1.1\n---\na: 1")).toEqual([{ a: 1 }]);
    expect(values("\uFEFFa: 1")).toEqual([{ a: 1 }]);
  });

  it("are read as Kubernetes reads them: YAML 1.1 booleans, merge keys, times left as text", () => {
    expect(values("a: yes\nb: off\nc: 2026-01-31T12:00:00Z\nd: 12:30:00\nbase: &x {e: 1}\nf: {<<: *x}")).toEqual([
      { a: true, b: false, c: "2026-01-31T12:00:00Z", d: "12:30:00", base: { e: 1 }, f: { e: 1 } },
    ]);
  });

  it("lose what is null, but not the empty value of a label", () => {
    expect(values("metadata: {creationTimestamp: null, labels: {a: , b: x}}\nstatus:")).toEqual([
      { metadata: { labels: { a: "", b: "x" } } },
    ]);
  });

  it("do not cut a block text at dashes inside it", () => {
    expect(values("a: |\n  --x\n  ---\n  y\n")).toEqual([{ a: "--x\n---\ny\n" }]);
  });
});

describe("malformed input", () => {
  it.each([
    ["a: [1", "line 4, column 1"],
    ['a: "x', "line 4, column 1"],
    ["\ta: 1", "line 3, column 1"],
    ["a: 1\na: 2", "line 4, column 1"],
  ])("%j is a problem with its line and column, and hides no other document", (broken, position) => {
    const text = `first: 1\n---\n${broken}\n---\nlast: 1\n`;
    expect(values(text)).toEqual([{ first: 1 }, { last: 1 }]);
    expect(problems(text)).toHaveLength(1);
    expect(problems(text)[0]).toContain(`f.yaml, document 2, ${position}: found `);
  });

  it.each([
    ["a: 1\nb: 2\na: 3", "line 3, column 1", "a"],
    ["x: {a: 1, 'a': 2}", "line 1, column 11", "a"],
    ["1: x\n'1': y", "line 2, column 1", "1"],
    ["- <<: {a: 1}\n  <<: {b: 1}", "line 2, column 3", "<<"],
    ['{"a": {"b": 1},\n "a": 2}', "line 2, column 2", "a"],
    ['{"a": [{"x\\\\": ":", "\\u0062": 1, "b": 2}]}', "line 1, column 34", "b"],
  ])("is a key that an object has twice: %j", (text, position, key) => {
    expect(problems(text)).toEqual([
      `f.yaml, document 1, ${position}: found the key ${JSON.stringify(key)} again, expected each key of an object once`,
    ]);
  });

  it("is not the same key in two objects, nor a value that looks like a key", () => {
    expect(problems('{"a": [{"x": 1}, {"x": "a"}], "b": {"a": "a\\":"}, "c": "b"}')).toEqual([]);
    expect(problems("a: {x: 1}\nb: {x: a}\nc: &m {x: 1}\nd: {<<: *m, x: 2}")).toEqual([]);
  });

  it.each(["", "\n\n", "# only a comment\n", "---\n---\n"])("%j has nothing in it", (text) => {
    expect(problems(text)).toEqual(["f.yaml: found nothing in it, expected at least one Kubernetes object"]);
  });

  it("is binary content", () => {
    expect(problems("a: \0")).toEqual(["f.yaml: found binary content, expected YAML or JSON text"]);
  });

  it("is a file that is too large", () => {
    expect(problems("x".repeat(maxDocumentBytes + 1))[0]).toContain("found 33 MiB, expected at most 32 MiB");
  });

  it("is an anchor that multiplies without end, or one that is not there", () => {
    const level = (name: string, inner: string) => `${name}: &${name} [${Array(12).fill(inner).join(",")}]\n`;
    const bomb = level("a", "x") + level("b", "*a") + level("c", "*b") + level("d", "*c");
    expect(problems(bomb)[0]).toContain("Excessive alias count");
    expect(problems("a: *b")[0]).toContain("Unresolved alias");
  });

  it.each([
    ["YAML", "[".repeat(100_000)],
    ["JSON", `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
  ])("is %s nested without end", (_format, text) => {
    expect(problems(text)).toHaveLength(1);
  });

  it("never takes a document's key for an object's own machinery", () => {
    expect(values('{"__proto__": {"x": 1}, "a": 1}').map((value) => Reflect.get(Object(value), "x"))).toEqual([
      undefined,
    ]);
  });
});
