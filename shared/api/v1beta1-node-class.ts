import { parseAmiAlias } from "./ami-alias.ts";
import type { Conversion, Step } from "./conversion.ts";
import { changed } from "./conversion.ts";
import { textIn, valueIn, withValue } from "./raw-objects.ts";

/** karpenter.k8s.aws/v1beta1 EC2NodeClass to v1, after its version. */
export const nodeClassSteps: readonly Step[] = [amiStep, hopLimitStep];

/** v1beta1 chose the latest image of `amiFamily`, AL2 unless stated; v1 asks for an alias, or for a family beside other terms. */
function amiStep(conversion: Conversion): Conversion {
  const { object } = conversion;
  const family = textIn(object, ["spec", "amiFamily"]);
  if (valueIn(object, ["spec", "amiSelectorTerms"]) !== undefined) {
    if (family !== undefined) return conversion;
    return changed(conversion, withValue(object, ["spec", "amiFamily"], "AL2"), "amiFamily is AL2, its default then");
  }
  const alias = `${(family ?? "AL2").toLowerCase()}@latest`;
  if (parseAmiAlias(alias) === undefined) return conversion;
  const aliased = withValue(object, ["spec", "amiSelectorTerms"], [{ alias }]);
  return changed(conversion, aliased, `amiFamily ${family ?? "AL2"} is read as the alias ${alias}`);
}

/** The default was 2 and became 1 in v1. */
function hopLimitStep(conversion: Conversion): Conversion {
  const path = ["spec", "metadataOptions", "httpPutResponseHopLimit"];
  if (valueIn(conversion.object, path) !== undefined) return conversion;
  return changed(conversion, withValue(conversion.object, path, 2), `${path.join(".")} is 2, its default then`);
}
