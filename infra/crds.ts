import * as z from "zod";
import {
  type CustomResourceDefinition,
  customResourceDefinition,
  managedByLabel,
} from "../shared/api/crds/definition.ts";
import { definitions } from "../shared/api/crds/definitions.ts";

/** CustomResourceDefinitions of a cluster, as `kubectl get crds -o json` prints them. */
const installedDefinitions = z.object({
  items: z.array(
    z.object({
      kind: z.literal("CustomResourceDefinition"),
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).exactOptional() }),
    }),
  ),
});

export interface DefinitionsToApply {
  readonly toApply: readonly CustomResourceDefinition[];
  /** Names of those that are there and are not ours: Karpenter's, used as they are. */
  readonly kept: readonly string[];
}

/**
 * Our CustomResourceDefinitions, without those that the cluster has from somebody else. Ours carry a label; whoever installed Karpenter's,
 * by Helm, by kubectl or by a GitOps tool, keeps them.
 * @throws Error when the text is not the output of `kubectl get crds -o json`.
 */
export function definitionsToApply(installed: string): DefinitionsToApply {
  const others = new Set(
    readInstalled(installed)
      .filter(({ labels }) => !isOurs(labels))
      .map(({ name }) => name),
  );
  const ours = definitions.map(customResourceDefinition);
  return {
    toApply: ours.filter(({ metadata }) => !others.has(metadata.name)),
    kept: ours.map(({ metadata }) => metadata.name).filter((name) => others.has(name)),
  };
}

function readInstalled(text: string) {
  const expected = "expected what `kubectl get crds -o json` prints";
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`The list of installed CustomResourceDefinitions is no JSON: ${expected}`);
  }
  const parsed = installedDefinitions.safeParse(json);
  if (parsed.success) return parsed.data.items.map(({ metadata }) => metadata);
  const [issue] = parsed.error.issues;
  throw new Error(
    `The list of installed CustomResourceDefinitions: ${issue?.path.join(".")}: ${issue?.message}; ${expected}`,
  );
}

function isOurs(labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(managedByLabel).every(([key, value]) => labels[key] === value);
}
