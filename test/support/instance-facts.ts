import type { InstanceTypeFacts } from "../../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";

/** EC2's facts about a type of the embedded catalog, with changes. */
export function instanceFacts(name = "m5.large", changes: Partial<InstanceTypeFacts> = {}): InstanceTypeFacts {
  const facts = embeddedCatalog().types.find((type) => type.name === name);
  if (facts === undefined) throw new Error(`the embedded catalog has no type ${name}`);
  return { ...facts, ...changes };
}
