import { it, type TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why we do otherwise than the row says. */
    differs?: string;
  }
}

type Body = (context: TestContext) => void | Promise<void>;

/** A conformance row that holds: the test's title is the row's text. */
export function conforms(row: string, body: Body): void {
  it(row, body);
}

/** A conformance row where we do otherwise on purpose, and why; the test shows what we do. */
export function differs(row: string, why: string, body: Body): void {
  it(row, (context) => {
    context.task.meta.differs = why;
    return body(context);
  });
}
