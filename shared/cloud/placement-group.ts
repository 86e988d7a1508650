import * as z from "zod";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { annotation } from "../api/labels.ts";
import { storedJson } from "./stored-facts.ts";

const placementGroup = z.object({
  id: z.string(),
  name: z.string(),
  strategy: z.enum(["cluster", "partition", "spread"]),
  partitionCount: z.number().int().min(1).exactOptional(),
});

/** What an EC2NodeClass's `placementGroupSelector` found, as its annotation `journeyman.sh/placement-group` holds it. */
export type ResolvedPlacementGroup = z.infer<typeof placementGroup>;

/** The annotation's value. Equal groups, equal bytes. */
export function formatPlacementGroup({ id, name, strategy, partitionCount }: ResolvedPlacementGroup): string {
  return JSON.stringify({ id, name, strategy, ...(partitionCount !== undefined && { partitionCount }) });
}

export type PlacementGroupOf =
  /** The class selects none. */
  | { readonly kind: "none" }
  | { readonly kind: "group"; readonly group: ResolvedPlacementGroup }
  /** The class selects one that is not known yet. */
  | { readonly kind: "unresolved"; readonly selector: string };

/**
 * The placement group of a class's nodes. A class without status, of a plan that knows no account, gets the group it names, of a strategy that
 * any type has. An annotation that is of another selector, or cannot be read, counts for nothing.
 */
export function placementGroupOf({ metadata, spec, status }: EC2NodeClass): PlacementGroupOf {
  const selector = spec.placementGroupSelector;
  if (selector === undefined) return { kind: "none" };
  const group = parsePlacementGroup(metadata.annotations?.[annotation.placementGroup]);
  const isMeant = group !== undefined && (group.id === selector.id || group.name === selector.name);
  if (isMeant) return { kind: "group", group };
  const { id, name = id ?? "" } = selector;
  if (status === undefined) return { kind: "group", group: { id: id ?? `pg-${name}`, name, strategy: "spread" } };
  return { kind: "unresolved", selector: id === undefined ? `name ${name}` : `id ${id}` };
}

function parsePlacementGroup(text: string | undefined): ResolvedPlacementGroup | undefined {
  return storedJson(placementGroup).safeParse(text).data;
}
