import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { resolveAmiFamily } from "./ami-family.ts";
import { bottlerocketUserData } from "./user-data/bottlerocket.ts";

/** Settings of a class that reach no node, each with the reason. */
export function ignoredSettings(nodeClass: EC2NodeClass): readonly string[] {
  const { context, userData } = nodeClass.spec;
  return [
    ...(context === undefined
      ? []
      : ["spec.context is ignored: RunInstances has no such field, CreateFleet alone has it"]),
    ...unknownBottlerocketKeys(nodeClass, userData).map(
      (key) => `spec.userData: settings.kubernetes.${key} is left out, Bottlerocket has no such setting`,
    ),
  ];
}

function unknownBottlerocketKeys(nodeClass: EC2NodeClass, custom = ""): readonly string[] {
  if (resolveAmiFamily(nodeClass) !== "Bottlerocket") return [];
  const cluster = { name: "", endpoint: "", certificateAuthority: "", serviceCidr: "" };
  const made = bottlerocketUserData({ cluster, labels: {}, taints: [], maxPods: 0 }, custom);
  return made.kind === "text" ? made.ignoredKeys : [];
}
