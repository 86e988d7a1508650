import { label } from "../api/labels.ts";
import { stableJson } from "../api/stable-json.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { TopologyGroup, TopologyGroups } from "./topology-group.ts";
import { TopologyIndex } from "./topology-index.ts";

/** The groups that concern one class. Classes that are in the same groups have one object of it. */
export interface ClassTopology {
  readonly owned: readonly TopologyGroup[];
  /** The required anti-affinity among them: it binds others too. A preference keeps nobody else away. */
  readonly blocking: readonly TopologyGroup[];
  /** Groups of others (or its own) that count this class. */
  readonly matched: readonly TopologyGroup[];
  /** Keys other than hostname whose domain must be decided when a pod of this class is planned onto a new node; zones stand for their ids. */
  readonly keysToPin: readonly string[];
  /** All keys of its groups. */
  readonly keys: readonly string[];
  /** Whether a group counts this class. */
  readonly isCountedBy: (group: TopologyGroup) => boolean;
  readonly rulesOf: (key: string) => KeyRules;
}

/** What concerns one class in the domains of one topology key. */
interface KeyRules {
  readonly owned: readonly TopologyGroup[];
  /** Anti-affinity, of its own or of others, that counts this class: where an owner lies it may not. */
  readonly blocking: readonly TopologyGroup[];
  /** Spread rules that it owns or that count it. */
  readonly spread: readonly TopologyGroup[];
}

/** Finds which classes are in which groups. All groups are known by then. */
export class TopologyRoles {
  readonly #groups: TopologyGroups;
  readonly #matched = new Map<string, readonly TopologyGroup[]>();
  readonly #known = new Map<string, ClassTopology>();
  readonly #index: TopologyIndex;

  constructor(groups: TopologyGroups) {
    this.#groups = groups;
    this.#index = new TopologyIndex(groups.all());
  }

  of(constraints: PodConstraints, owned: readonly TopologyGroup[]): ClassTopology {
    const blocking = this.#groups.antiAffinityOf(constraints);
    const key = `${keyOf(constraints)} ${this.#numbersOf(owned)} ${this.#numbersOf(blocking)}`;
    const known = this.#known.get(key) ?? classTopology(owned, blocking, this.matchedBy(constraints));
    this.#known.set(key, known);
    return known;
  }

  /** The groups that count pods of these constraints. */
  matchedBy(constraints: PodConstraints): readonly TopologyGroup[] {
    const key = keyOf(constraints);
    const matched = this.#matched.get(key) ?? this.#index.matching(constraints);
    this.#matched.set(key, matched);
    return matched;
  }

  #numbersOf(groups: readonly TopologyGroup[]): string {
    return groups.map((group) => this.#index.numberOf(group)).join();
  }
}

/** All that groups look at. */
function keyOf(constraints: PodConstraints): string {
  const known = keys.get(constraints);
  if (known !== undefined) return known;
  const { namespace, labels, unboundClaims } = constraints;
  const key = stableJson([namespace, labels, unboundClaims]);
  keys.set(constraints, key);
  return key;
}

const keys = new WeakMap<PodConstraints, string>();

function classTopology(
  owned: readonly TopologyGroup[],
  blocking: readonly TopologyGroup[],
  matched: readonly TopologyGroup[],
): ClassTopology {
  const all = [...new Set([...owned, ...matched])];
  const keys = [...new Set(all.map(({ key }) => key))];
  const toPin = keys.filter((key) => key !== label.hostname).map((key) => (key === label.zoneId ? label.zone : key));
  const counting = new Set(matched);
  const rules = new Map(
    keys.map((key) => {
      const ofKey = (groups: readonly TopologyGroup[]) => groups.filter((group) => group.key === key);
      return [
        key,
        {
          owned: ofKey(owned),
          blocking: ofKey(matched).filter(({ kind }) => kind === "anti-affinity"),
          spread: ofKey(all).filter(({ kind }) => kind === "spread"),
        },
      ] as const;
    }),
  );
  return {
    owned,
    blocking,
    matched,
    keysToPin: [...new Set(toPin)].sort(),
    keys,
    isCountedBy: (group) => counting.has(group),
    rulesOf: (key) => rules.get(key) ?? noRules,
  };
}

const noRules: KeyRules = { owned: [], blocking: [], spread: [] };

export const noTopology: ClassTopology = classTopology([], [], []);
