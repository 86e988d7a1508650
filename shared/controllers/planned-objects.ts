import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { ec2NodeClassHash, hashVersion, nodePoolHash } from "../api/hashes.ts";
import { annotation, awsGroup, terminationFinalizer, wellKnownLabels } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { offeringKey } from "../cloud/instance-type.ts";
import { type PlannedNodeClaim, type ProvisioningPlan, planCostUsdPerHour } from "../provisioning/plan.ts";
import { poolTypes } from "../provisioning/pool-types.ts";
import { type Requirements, requirementEntries } from "../scheduling/requirements.ts";
import { formatResources } from "../scheduling/resources.ts";
import { formatNominations, type Nomination } from "../state/nominations.ts";
import { type PodRecord, podName } from "../state/pod-record.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { cutText } from "./cut-text.ts";

/** What a claim was planned from and with. */
export interface Planning {
  readonly snapshot: Snapshot;
  readonly plan: Pick<ProvisioningPlan, "priceUsdPerHour" | "nodeCost" | "lowerBoundUsdPerHour">;
}

const mostReasonBytes = 1_024;

/** The NodeClaim to be written for a planned one: the durable intent, before EC2 is called (design §4.1, step 4). */
export function plannedObject(planned: PlannedNodeClaim, { snapshot, plan }: Planning): NodeClaim {
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === planned.nodePool);
  if (pool === undefined) throw new RangeError(`NodeClaim ${planned.name} is planned for an unknown NodePool`);
  const { template } = pool.spec;
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === template.spec.nodeClassRef.name);
  const { expireAfter, terminationGracePeriod = snapshot.settings.terminationGracePeriod } = template.spec;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: {
      name: planned.name,
      labels: { ...planned.labels, ...customLabels(planned.requirements) },
      annotations: {
        ...template.metadata?.annotations,
        [annotation.nodePoolHash]: nodePoolHash(pool),
        [annotation.nodePoolHashVersion]: hashVersion,
        ...(nodeClass && {
          [`${awsGroup}/ec2nodeclass-hash`]: ec2NodeClassHash(nodeClass),
          [`${awsGroup}/ec2nodeclass-hash-version`]: hashVersion,
        }),
        ...(nodeClass?.status?.instanceProfile !== undefined && {
          [`${awsGroup}/instance-profile-name`]: nodeClass.status.instanceProfile,
        }),
        ...(planned.minValuesRelaxed && { [annotation.minValuesRelaxed]: "true" }),
        ...overlayAnnotations(planned, nodeClass, snapshot),
        [annotation.nominatedPods]: formatNominations(planned.pods.map(nominationOf)),
        [annotation.reason]: reasonText(planned, plan),
      },
      finalizers: [terminationFinalizer],
      ownerReferences: [
        {
          apiVersion: pool.apiVersion,
          kind: pool.kind,
          name: pool.metadata.name,
          uid: pool.metadata.uid ?? "",
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeClassRef: template.spec.nodeClassRef,
      requirements: [...requirementEntries(planned.requirements)],
      resources: { requests: { ...formatResources(planned.requests) } },
      taints: [...planned.taints],
      startupTaints: [...planned.startupTaints],
      expireAfter,
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
    },
  };
}

/** Whether NodeOverlays have changed the price or the capacity of anything that the claim may become (karpenter-core §1.3). */
function overlayAnnotations(
  { nodePool, offerings }: PlannedNodeClaim,
  nodeClass: EC2NodeClass | undefined,
  snapshot: Snapshot,
): Readonly<Record<string, string>> {
  if (snapshot.nodeOverlays.length === 0 || nodeClass === undefined) return {};
  const known = poolTypes(nodePool, nodeClass, snapshot);
  const names = new Set(offerings.map(({ instanceType }) => instanceType));
  const types = "reason" in known ? [] : known.types.filter(({ name }) => names.has(name));
  const chosen = new Set(offerings.map((offering) => offeringKey(offering.instanceType, offering)));
  const isPriced = types.some(({ name, offerings: sold }) =>
    sold.some((offering) => offering.priceOverlaid && chosen.has(offeringKey(name, offering))),
  );
  return {
    ...(isPriced && { [annotation.priceOverlayApplied]: "true" }),
    ...(types.some(({ capacityOverlaid }) => capacityOverlaid) && { [annotation.capacityOverlayApplied]: "true" }),
  };
}

/** The choice, the plan's cost beside its bound, and as many of the pods' names as there is room for. */
function reasonText({ reason, pods }: PlannedNodeClaim, plan: Planning["plan"]): string {
  const usd = (price: number) => `${Number(price.toFixed(4))} USD per hour`;
  const cost = `${usd(planCostUsdPerHour(plan))} with volumes and charges`;
  const whole = `the whole plan: ${cost}, at least ${usd(plan.lowerBoundUsdPerHour)}`;
  const text = pods.length === 0 ? reason : `${reason}; ${whole}; pods: ${pods.map(podName).join(", ")}`;
  return cutText(text, mostReasonBytes);
}

/** What finds the pod, or its successor, again. */
export function nominationOf({ uid, owner, classKey, constraints }: PodRecord): Nomination {
  const requests = { ...formatResources(constraints.requests) };
  return { uid, owner: owner?.uid ?? "", class: classKey, ...(owner?.kind === "StatefulSet" && { requests }) };
}

/** Custom labels that the requirements settle; well-known ones follow from the instance (karpenter-core §3). */
function customLabels(requirements: Requirements): Readonly<Record<string, string>> {
  const settled = [...requirements.values()].flatMap(({ key, complement, values }) => {
    const [value, another] = values;
    const isSettled = !complement && value !== undefined && another === undefined;
    return isSettled && !wellKnownLabels.has(key) ? [[key, value] as const] : [];
  });
  return Object.fromEntries(settled);
}
