import type { Conversion, Path, Step } from "./conversion.ts";
import { changed } from "./conversion.ts";
import { annotation, awsGroup, group } from "./labels.ts";
import { isRawObject, type RawObject, valueIn, withoutValue, withValue } from "./raw-objects.ts";
import { nodeClassSteps } from "./v1beta1-node-class.ts";
import { nodeClaimSteps, nodePoolSteps } from "./v1beta1-node-pool.ts";

/**
 * Reads v1beta1 objects, and spellings of the Provisioner era that circulate in tutorials, as v1 (karpenter-core §1.7). What has a
 * meaning is kept under its present name with a note; what has none is a fault. Anything else comes back as it is. Kubelet settings
 * of a NodePool are handed back apart, for they belong to the class it names, which is another object.
 */
export function convertToV1(object: RawObject): Conversion {
  return stepsFor(object).reduce<Conversion>((conversion, step) => step(conversion), { object, notes: [], faults: [] });
}

function stepsFor({ apiVersion, kind }: RawObject): readonly Step[] {
  const [apiGroup, version] = String(apiVersion).split("/");
  const beta = version === "v1beta1";
  if (apiGroup === group && kind === "NodePool") {
    return [...(beta ? [versionStep] : []), ...nodePoolSteps, annotationsStep];
  }
  if (apiGroup === group && kind === "NodeClaim") {
    return [...(beta ? [versionStep] : []), ...nodeClaimSteps, annotationsStep];
  }
  if (apiGroup === awsGroup && kind === "EC2NodeClass") return beta ? [versionStep, ...nodeClassSteps] : [];
  return [annotationsStep];
}

function versionStep(conversion: Conversion): Conversion {
  const { apiVersion } = conversion.object;
  const v1 = String(apiVersion).replace("v1beta1", "v1");
  return changed(conversion, { ...conversion.object, apiVersion: v1 }, `${apiVersion} is read as ${v1}`);
}

const formerAnnotations = ["karpenter.sh/do-not-evict", "karpenter.sh/do-not-consolidate"];
const annotationPaths: readonly Path[] = [
  ["metadata", "annotations"],
  ["spec", "template", "metadata", "annotations"],
  ["spec", "jobTemplate", "spec", "template", "metadata", "annotations"],
];

/** On pods, templates and nodes alike. */
function annotationsStep(conversion: Conversion): Conversion {
  return annotationPaths.reduce(
    (outer, path) => formerAnnotations.reduce((inner, key) => renamedAnnotation(inner, path, key), outer),
    conversion,
  );
}

function renamedAnnotation(conversion: Conversion, path: Path, key: string): Conversion {
  const annotations = valueIn(conversion.object, path);
  if (!isRawObject(annotations) || !Object.hasOwn(annotations, key)) return conversion;
  const kept = { [annotation.doNotDisrupt]: annotations[key], ...withoutValue(annotations, [key]) };
  return changed(
    conversion,
    withValue(conversion.object, path, kept),
    `the annotation ${key} is read as ${annotation.doNotDisrupt}`,
  );
}
