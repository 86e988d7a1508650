import { tag } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Ports } from "../ports.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import type { Settings } from "../state/settings.ts";
import { taggedAnnotation } from "./call-pacing.ts";
import { execute } from "./execute.ts";
import { update } from "./optimistic-update.ts";

/**
 * Names a registered instance after its Node and its NodeClaim: several claims share one RunInstances call, which gives all its
 * instances the same tags. What fails is tried again at the next sweep.
 */
export async function tagInstance(ports: Ports, settings: Settings, claim: NodeClaim, nodeName: string): Promise<void> {
  const { name, annotations } = claim.metadata;
  const instanceId = instanceIdOf(claim.status?.providerID);
  if (instanceId === undefined || annotations?.[taggedAnnotation] === "true") return;
  const tags = { [tag.name]: nodeName, [tag.nodeClaim]: name, [tag.clusterName]: settings.clusterName };
  const why = "an instance is found by the names of its node and claim";
  const [outcome] = await execute(ports, [{ kind: "create-tags", instanceIds: [instanceId], tags, why }]);
  if (outcome?.result !== "done") return;
  const mark = { metadata: { annotations: { [taggedAnnotation]: "true" } } };
  await update(ports, "NodeClaim", { name }, () => mark);
}
