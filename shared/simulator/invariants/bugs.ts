import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";

/** No function throws what neither a provider nor the simulator's faults explain (design rule 10). */
export function noBugs(world: ObservedWorld): Invariant {
  return invariant("no function fails by a bug", world, (report) => ({
    check() {
      const [bug] = world.bugs;
      if (bug === undefined) return;
      const { name, error } = bug;
      const seen = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ objects: `function ${name}`, seen, allowed: "errors of providers alone" });
    },
  }));
}
