import type { NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { ec2NodeClassHash, hashVersion } from "../api/hashes.ts";
import { annotation, awsGroup, nodeClassFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { formatPlacementGroup } from "../cloud/placement-group.ts";
import { isTrue } from "../state/conditions.ts";
import { nodeClassStatusPatch, withFindings, withValidation } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import { readCatalog } from "./catalog-store.ts";
import { DeferredErrors } from "./deferred-errors.ts";
import { withLease } from "./lease.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { lookAtClass } from "./node-class-findings.ts";
import {
  type ClassMemory,
  formatMemory,
  noMemory,
  readClassMemories,
  writeClassMemories,
} from "./node-class-memory.ts";
import { collectProfiles, removeNodeClass } from "./node-class-removal.ts";
import { validate } from "./node-class-validation.ts";
import { update } from "./optimistic-update.ts";

const classesAtOnce = 4;

/**
 * Looks up what every EC2NodeClass selects, tries whether a node of it could be launched, and says so in its status, with Karpenter's
 * conditions (karpenter-aws §1). One class that fails holds up no other, and one part of a class no other part.
 */
export async function reconcileNodeClasses(ports: NodeClassPorts, settings: Settings): Promise<void> {
  // One pass at a time: two would make and take away one another's instance profiles.
  const lease = { name: "journeyman-node-classes", namespace: settings.namespace, durationSeconds: 70 };
  await withLease(ports, lease, () => reconcileEach(ports, settings));
}

async function reconcileEach(ports: NodeClassPorts, settings: Settings): Promise<void> {
  const nodeClasses = await ports.kubernetes.list("EC2NodeClass");
  const [nodePools, nodeClaims, memories, catalog] = await Promise.all([
    ports.kubernetes.list("NodePool"),
    ports.kubernetes.list("NodeClaim"),
    readClassMemories(ports, settings),
    readCatalog(ports, settings),
  ]);
  const errors = new DeferredErrors();
  const world: ClassWorld = { nodePools, nodeClaims, catalog, errors, inTurn: turns() };
  const changes = new Map<string, ClassMemory | null>();
  await limitedParallel(nodeClasses, classesAtOnce, async (nodeClass) => {
    const { name } = nodeClass.metadata;
    const memory = memories.get(name) ?? noMemory;
    const after = await errors.during(() => reconcile(ports, settings, nodeClass, memory, world));
    if (after !== undefined && formatMemory(after) !== formatMemory(memory)) changes.set(name, after);
  });
  const names = new Set(nodeClasses.map(({ metadata }) => metadata.name));
  for (const name of memories.keys()) if (!names.has(name)) changes.set(name, null);
  await errors.during(() => writeClassMemories(ports, settings, changes));
  await errors.during(() => collectProfiles(ports, settings));
  errors.throwFirst();
}

interface ClassWorld {
  readonly nodePools: readonly NodePool[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly catalog: Catalog;
  readonly errors: DeferredErrors;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Runs one piece of work after another, whatever became of those before. */
function turns(): ClassWorld["inTurn"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/** What is to be remembered of the class. */
async function reconcile(
  ports: NodeClassPorts,
  settings: Settings,
  listed: EC2NodeClass,
  memory: ClassMemory,
  { nodePools, nodeClaims, catalog, errors, inTurn }: ClassWorld,
): Promise<ClassMemory> {
  const ofClass = nodeClaims.filter(({ spec }) => isOfClass(spec.nodeClassRef, listed));
  if (listed.metadata.deletionTimestamp !== undefined) {
    await removeNodeClass(ports, settings, listed, ofClass);
    return memory;
  }
  const look = await lookAtClass(ports, settings, listed, memory, errors);
  const group = look.placementGroup === undefined ? null : formatPlacementGroup(look.placementGroup);
  const isLookedUp = look.findings.placementGroup.kind !== "unread";
  const nodeClass = await withOwnMetadata(ports, listed, isLookedUp ? { [annotation.placementGroup]: group } : {});
  // Changed since it was listed: what was looked up is what it selected before. Its next pass is not far.
  if (nodeClass === undefined || !isSameSpec(nodeClass, listed)) return memory;
  await errors.during(() => stampClaims(ports, nodeClass, ofClass));
  const found = withFindings(nodeClass, look.findings, ports.clock.now());
  const validated = await errors.during(() =>
    validate(ports, settings, { nodeClass: found, nodePools, catalog, known: memory.validation, inTurn }),
  );
  const wanted = withValidation(found, validated?.condition, ports.clock.now());
  await writeStatus(ports, nodeClass, wanted);
  const { instanceProfile: _, ...withoutProfile } = look.memory;
  return {
    ...(validated?.isProfileUnknown === true ? withoutProfile : look.memory),
    ...(validated?.memory && { validation: validated.memory }),
  };
}

function isOfClass({ group, kind, name }: NodeClaim["spec"]["nodeClassRef"], { metadata }: EC2NodeClass): boolean {
  return group === awsGroup && kind === "EC2NodeClass" && name === metadata.name;
}

const [hashKey, hashVersionKey] = [`${awsGroup}/ec2nodeclass-hash`, `${awsGroup}/ec2nodeclass-hash-version`] as const;

/** The class with our finalizer and annotations on it; undefined when it is gone. */
async function withOwnMetadata(
  ports: NodeClassPorts,
  listed: EC2NodeClass,
  annotations: Readonly<Record<string, string | null>>,
): Promise<EC2NodeClass | undefined> {
  return await update(
    ports,
    "EC2NodeClass",
    { name: listed.metadata.name },
    (current) => {
      const { metadata } = current;
      const wanted = { ...annotations, [hashKey]: ec2NodeClassHash(current), [hashVersionKey]: hashVersion };
      const finalizers = metadata.finalizers ?? [];
      const isFinalized = finalizers.includes(nodeClassFinalizer);
      const changed = Object.entries(wanted).filter(([key, value]) => (metadata.annotations?.[key] ?? null) !== value);
      if (isFinalized && changed.length === 0) return undefined;
      return {
        metadata: {
          ...(!isFinalized && { finalizers: [...finalizers, nodeClassFinalizer] }),
          ...(changed.length > 0 && { annotations: Object.fromEntries(changed) }),
        },
      };
    },
    { current: listed },
  );
}

/**
 * NodeClaims whose hash is of another version, such as Karpenter's, get ours: what cannot be compared is no drift. One that has drifted
 * already keeps its hash, so that it is still replaced (karpenter-aws §1.6).
 */
async function stampClaims(
  ports: NodeClassPorts,
  nodeClass: EC2NodeClass,
  claims: readonly NodeClaim[],
): Promise<void> {
  const hash = ec2NodeClassHash(nodeClass);
  const others = claims.filter(({ metadata }) => metadata.annotations?.[hashVersionKey] !== hashVersion);
  await limitedParallel(others, classesAtOnce, (claim) =>
    update(
      ports,
      "NodeClaim",
      { name: claim.metadata.name },
      (current) =>
        current.metadata.annotations?.[hashVersionKey] === hashVersion
          ? undefined
          : {
              metadata: {
                annotations: {
                  [hashVersionKey]: hashVersion,
                  ...(!isTrue(current, "Drifted") && { [hashKey]: hash }),
                },
              },
            },
      { current: claim },
    ),
  );
}

/** One write, if anything is new; a class that was changed meanwhile is looked at again in the next pass. */
async function writeStatus(ports: NodeClassPorts, before: EC2NodeClass, wanted: EC2NodeClass): Promise<void> {
  await update(
    ports,
    "EC2NodeClass",
    { name: before.metadata.name },
    (current) => (isSameSpec(current, before) ? nodeClassStatusPatch(current, wanted) : undefined),
    { subresource: "status", current: before },
  );
}

function isSameSpec({ metadata: a }: EC2NodeClass, { metadata: b }: EC2NodeClass): boolean {
  return a.uid === b.uid && a.generation === b.generation;
}
