import type * as z from "zod";
import { type NodeOverlay, nodeOverlay as schema } from "../../shared/api/node-overlay.ts";

type Spec = Partial<z.input<typeof schema>["spec"]>;

/** A NodeOverlay for every instance type, unless `spec` asks for some. */
export function nodeOverlay(name: string, spec: Spec = {}, status?: NodeOverlay["status"]): NodeOverlay {
  return schema.parse({
    apiVersion: "karpenter.sh/v1alpha1",
    kind: "NodeOverlay",
    metadata: { name, uid: `nodeoverlay-${name}` },
    spec: { requirements: [], ...spec },
    ...(status && { status }),
  });
}
