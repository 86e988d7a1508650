import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";
import { resolveAmiFamily } from "./ami-family.ts";

const unsupported = [
  "networkInterfaces",
  "placementGroupSelector",
  "ipPrefixCount",
  "connectionTracking",
  "cpuOptions",
] as const;

/** What keeps a class's nodes from being launched by this version, such as `amiFamily Bottlerocket`; they are planned all the same. */
export function launchObstacles(nodeClass: EC2NodeClass): readonly string[] {
  const family = resolveAmiFamily(nodeClass);
  return [...(isBootstrapped(family) ? [] : [`amiFamily ${family}`]), ...unsupportedFields(nodeClass)];
}

/** Fields that change what EC2 launches and that the request cannot carry: ignoring them would launch the wrong node. */
export function unsupportedFields({ spec }: EC2NodeClass): readonly (typeof unsupported)[number][] {
  return unsupported.filter((field) => spec[field] !== undefined);
}

/** Whether there is user data for the family. */
export function isBootstrapped(family: AmiFamily): family is "AL2023" | "Custom" {
  return family === "AL2023" || family === "Custom";
}
