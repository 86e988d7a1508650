import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import { type CheckedNode, hasCondition } from "./checked-node.ts";
import { hasEnded } from "./demand.ts";

/** Pods that a live NodeClaim keeps a place for (design §4.1, step 2). */
export interface Holds {
  /** By the name of the claim's node. */
  readonly podsByNode: ReadonlyMap<string, readonly PodRecord[]>;
  /** Pods whose place nobody keeps. */
  readonly forgotten: readonly PodRecord[];
  /** Pods that the plan has answered although a claim keeps their place. */
  readonly answeredTwice: readonly PodRecord[];
}

interface Nomination {
  readonly uid: string;
  readonly owner: string;
  readonly class: string;
}

/** Explains each pod that the plan leaves unanswered by a nomination: its own, or that of a predecessor that is gone. */
export function explainHolds(
  unanswered: readonly PodRecord[],
  answered: ReadonlySet<string>,
  world: {
    readonly now: number;
    readonly pods: ReadonlyMap<string, PodRecord>;
    readonly nodes: ReadonlyMap<string, CheckedNode>;
  },
): Holds {
  // A pod that went elsewhere and is displaced from there may be on two claims: the younger one's place is meant.
  const places = [...world.nodes.values()]
    .filter(({ claim, leaving }) => claim !== undefined && !leaving)
    .sort((a, b) => (createdAt(a.claim) > createdAt(b.claim) ? -1 : 1))
    .flatMap(({ name, claim }) => {
      const expired = claim !== undefined && isPastGrace(claim, world.now);
      return nominationsOf(claim).map((nomination) => ({ node: name, expired, nomination, taken: false }));
    });
  const isPending = (pod: PodRecord) => pod.nodeName === undefined && pod.deletedAt === undefined && !hasEnded(pod);
  const podsByNode = new Map<string, PodRecord[]>();
  const forgotten: PodRecord[] = [];
  const placesOf = Map.groupBy(places, ({ nomination }) => nomination.uid);
  const own = (pod: PodRecord) => placesOf.get(pod.uid)?.find(({ expired }) => !(expired && isPending(pod)));
  const ofPredecessor = (pod: PodRecord) =>
    places.find(({ nomination: { uid, owner, class: classKey }, expired, taken }) => {
      const original = world.pods.get(uid);
      const isGone = original === undefined || !isPending(original);
      return !taken && !expired && isGone && owner === (pod.owner?.uid ?? "") && classKey === pod.classKey;
    });
  const [direct = [], others = []] = [true, false].map((is) =>
    unanswered.filter((pod) => (own(pod) !== undefined) === is),
  );
  for (const pod of [...direct, ...others]) {
    const place = own(pod) ?? (pod.nodeName === undefined ? ofPredecessor(pod) : undefined);
    if (place === undefined) forgotten.push(pod);
    else {
      place.taken = true;
      podsByNode.set(place.node, [...(podsByNode.get(place.node) ?? []), pod]);
    }
  }
  const answeredTwice = [...answered].flatMap((uid) => {
    const pod = world.pods.get(uid);
    return pod !== undefined && isPending(pod) && own(pod) !== undefined ? [pod] : [];
  });
  return { podsByNode, forgotten, answeredTwice };
}

function createdAt(claim: NodeClaim | undefined): string {
  return claim?.metadata.creationTimestamp ?? "";
}

function nominationsOf(claim: NodeClaim | undefined): readonly Nomination[] {
  try {
    const found: unknown = JSON.parse(claim?.metadata.annotations?.["journeyman.sh/nominated-pods"] ?? "[]");
    return Array.isArray(found) ? found.filter(isNomination) : [];
  } catch {
    return [];
  }
}

function isNomination(value: unknown): value is Nomination {
  if (typeof value !== "object" || value === null) return false;
  return ["uid", "owner", "class"].every((key) => typeof Reflect.get(value, key) === "string");
}

const graceMilliseconds = 60_000;

/** Pods that have not come to a node that is ready for so long count as pending again. */
function isPastGrace(claim: NodeClaim, now: number): boolean {
  const since = claim.status?.conditions?.find(({ type }) => type === "Initialized")?.lastTransitionTime;
  return hasCondition(claim, "Initialized") && since !== undefined && now - Date.parse(since) > graceMilliseconds;
}
