import { expect, type TestContext } from "vitest";
import { schemas } from "../../../shared/api/kinds.ts";
import { valueIn } from "../../../shared/api/raw-objects.ts";
import { problemsOf } from "../api-manifests.ts";
import { controllerWorld } from "../controller-world.ts";
import type { ApiCase, ApiRows } from "./api-case.ts";

/** The body of a row's test: our own validation says of each of the row's cases what it should. */
export function ownVerdicts(rows: ApiRows): (context: Pick<TestContext, "task">) => void {
  return ({ task }) => {
    const cases = rows[task.name] ?? [];
    expect(cases.length, "cases of the row").toBeGreaterThan(0);
    for (const one of cases) expectVerdict(one);
  };
}

function expectVerdict(one: ApiCase): void {
  const title = `${JSON.stringify(one.manifest).slice(0, 400)} ${JSON.stringify(one.update) ?? ""}`;
  const { manifest, update, verdict, at = "no place" } = one;
  if (update !== undefined) {
    const said = serverSays(one);
    if (verdict === "accepted") expect(said, title).toBeUndefined();
    else expect(said, title).toContain(at);
    return;
  }
  const problems = problemsOf(manifest);
  if (verdict === "accepted" || verdict === "server") expect(problems, title).toEqual([]);
  else expect(problems.length, title).toBeGreaterThan(0);
  for (const problem of problems) expect(problem, title).toContain(at);
  if (verdict === "server") expect(serverSays(one), title).toContain(at);
  for (const [path, value] of one.stored ?? []) expect(valueIn(decoded(manifest), path), title).toEqual(value);
}

function decoded(manifest: ApiCase["manifest"]): unknown {
  return schemas[kindOf(manifest)].parse(manifest);
}

/** What the simulator's API server says against it, or nothing. */
function serverSays({ manifest, update }: ApiCase): string | undefined {
  const { server } = controllerWorld();
  const kind = kindOf(manifest);
  const name = String(valueIn(manifest, ["metadata", "name"]));
  try {
    if (update === undefined) decoded(manifest);
    else {
      server.create(kind, schemas[kind].parse(manifest) as never);
      server.patch(kind, { name }, { spec: update });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function kindOf({
  kind,
}: ApiCase["manifest"]): "NodePool" | "NodeClaim" | "NodeOverlay" | "EC2NodeClass" | "CapacityBuffer" {
  switch (kind) {
    case "NodePool":
    case "NodeClaim":
    case "NodeOverlay":
    case "EC2NodeClass":
    case "CapacityBuffer":
      return kind;
    default:
      throw new Error(`${String(kind)} has no CustomResourceDefinition of ours`);
  }
}
