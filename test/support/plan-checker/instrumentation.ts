/** The module whose plans are checked, from the repository's root. */
const plannerPath = "shared/provisioning/scheduler.ts";
const declaration = /^export function planProvisioning\(/gm;

/** Whether a module, given by URL or path, is the planner of this repository. */
export function isPlanner(id: string): boolean {
  const path = id.replace(/^file:\/\//, "").replace(/[?#].*$/, "");
  return path === plannerUrl.pathname || decodeURI(plannerUrl.pathname) === path;
}

const plannerUrl = new URL(`../../../${plannerPath}`, import.meta.url);
const checkedPlanningUrl = new URL("checked-planning.ts", import.meta.url);

/**
 * The planner's source with each plan checked before it is handed out: a measuring instrument, as coverage is, which changes no plan.
 * `checker` is how the added code imports the checker.
 * @throws Error when the source does not export `planProvisioning` the way that is understood: a plan must not pass unchecked.
 */
export function instrumented(source: string, checker: string): string {
  const found = source.match(declaration)?.length ?? 0;
  if (found !== 1) {
    throw new Error(`${plannerPath}: found ${found} times "export function planProvisioning(", expected once`);
  }
  return [
    source.replace(declaration, "function uncheckedPlanProvisioning("),
    `import { checkedPlan } from ${JSON.stringify(checker)};`,
    "export function planProvisioning(...input) { return checkedPlan(uncheckedPlanProvisioning(...input), input[0]); }",
  ].join("\n");
}

/** For Vite, and so for Vitest. */
export function planCheckerPlugin() {
  return {
    name: "plan-checker",
    enforce: "pre" as const,
    transform(source: string, id: string) {
      return isPlanner(id) ? { code: instrumented(source, checkedPlanningUrl.pathname), map: null } : undefined;
    },
  };
}
