import type { PodConstraints } from "../state/pod-record.ts";
import { getOrMake } from "./get-or-make.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { traitsOf } from "./topology-traits.ts";

/**
 * Finds the groups that count a pod without asking each: most groups ask for a label, and most pods have few of the labels that groups ask
 * for. Each group is listed under the rarest of what it asks for.
 */
export class TopologyIndex {
  readonly #byTrait = new Map<string, TopologyGroup[]>();
  /** They may count any pod. */
  readonly #others: readonly TopologyGroup[];
  readonly #numbers: ReadonlyMap<TopologyGroup, number>;

  constructor(groups: readonly TopologyGroup[]) {
    const uses = new Map<string, number>();
    for (const trait of groups.flatMap(({ required }) => required)) uses.set(trait, (uses.get(trait) ?? 0) + 1);
    const usesOf = (trait: string) => uses.get(trait) ?? 0;
    for (const group of groups) {
      const [first, ...rest] = group.required;
      if (first === undefined) continue;
      const rarest = rest.reduce((best, trait) => (usesOf(trait) < usesOf(best) ? trait : best), first);
      getOrMake(this.#byTrait, rarest, () => []).push(group);
    }
    this.#others = groups.filter(({ required }) => required.length === 0);
    this.#numbers = new Map(groups.map((group, index) => [group, index]));
  }

  /** Its place among all groups. */
  numberOf(group: TopologyGroup): number | undefined {
    return this.#numbers.get(group);
  }

  /** The groups that count pods of these constraints, in the order of all groups. */
  matching(constraints: PodConstraints): readonly TopologyGroup[] {
    const listed = traitsOf(constraints).flatMap((trait) => this.#byTrait.get(trait) ?? []);
    return [...this.#others, ...listed]
      .filter((group) => group.matches(constraints))
      .sort((a, b) => (this.#numbers.get(a) ?? 0) - (this.#numbers.get(b) ?? 0));
  }
}
