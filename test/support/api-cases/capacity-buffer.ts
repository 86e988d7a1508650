import type { RawObject } from "../../../shared/api/raw-objects.ts";
import { type ApiRows, accepted, rejected } from "./api-case.ts";

const buffer = (spec: object): RawObject => ({
  apiVersion: "autoscaling.x-k8s.io/v1beta1",
  kind: "CapacityBuffer",
  metadata: { name: "spare", namespace: "default" },
  spec,
});

const podTemplateRef = { name: "spare" };
const scalableRef = { apiGroup: "apps", kind: "Deployment", name: "web" };
const strategy = [["spec", "provisioningStrategy"], "buffer.x-k8s.io/active-capacity"] as const;

export const capacityBufferRows: ApiRows = {
  "cb.crd | valid podTemplateRef+replicas, +limits, scalableRef, empty apiGroup, zero values, both sizes, scalableRef alone (x8) | accepted":
    [
      { podTemplateRef, replicas: 3 },
      { podTemplateRef, limits: { cpu: "4" } },
      { scalableRef, replicas: 2 },
      { scalableRef: { ...scalableRef, apiGroup: "" }, percentage: 10 },
      { podTemplateRef, replicas: 0 },
      { scalableRef, percentage: 0 },
      { scalableRef, replicas: 1, percentage: 20 },
      { scalableRef },
    ].map((spec) => accepted(buffer(spec), [strategy])),
  "cb.crd | both refs; podTemplateRef without size; negatives; empty names/kinds (x7) | rejected; default strategy filled":
    [
      rejected("spec.scalableRef", buffer({ podTemplateRef, scalableRef, replicas: 1 })),
      rejected("spec.replicas", buffer({ podTemplateRef })),
      rejected("spec.replicas", buffer({ podTemplateRef, replicas: -1 })),
      rejected("spec.percentage", buffer({ scalableRef, percentage: -1 })),
      rejected("spec.podTemplateRef.name", buffer({ podTemplateRef: { name: "" }, replicas: 1 })),
      rejected("spec.scalableRef.name", buffer({ scalableRef: { ...scalableRef, name: "" } })),
      rejected("spec.scalableRef.kind", buffer({ scalableRef: { ...scalableRef, kind: "" } })),
      accepted(buffer({ podTemplateRef, replicas: 1 }), [strategy]),
    ],
};
