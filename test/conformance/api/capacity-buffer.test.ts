import { describe, expect } from "vitest";
import { capacityBuffer } from "../../../shared/api/capacity-buffer.ts";
import { conforms } from "../../support/conformance.ts";

function parse(spec: unknown) {
  const metadata = { name: "spare", namespace: "default" };
  return capacityBuffer.safeParse({
    apiVersion: "autoscaling.x-k8s.io/v1beta1",
    kind: "CapacityBuffer",
    metadata,
    spec,
  });
}

const podTemplateRef = { name: "spare" };
const scalableRef = { apiGroup: "apps", kind: "Deployment", name: "web" };

describe("a CapacityBuffer", () => {
  conforms(
    "cb.crd | valid podTemplateRef+replicas, +limits, scalableRef, empty apiGroup, zero values, both sizes, scalableRef alone (x8) | accepted",
    () => {
      const valid = [
        { podTemplateRef, replicas: 3 },
        { podTemplateRef, limits: { cpu: "4" } },
        { scalableRef, replicas: 2 },
        { scalableRef: { ...scalableRef, apiGroup: "" }, percentage: 10 },
        { podTemplateRef, replicas: 0 },
        { scalableRef, percentage: 0 },
        { scalableRef, replicas: 1, percentage: 20 },
        { scalableRef },
      ];
      expect(valid.map((spec) => parse(spec).success)).toEqual(valid.map(() => true));
    },
  );

  conforms(
    "cb.crd | both refs; podTemplateRef without size; negatives; empty names/kinds (x7) | rejected; default strategy filled",
    () => {
      const invalid = [
        { podTemplateRef, scalableRef, replicas: 1 },
        { podTemplateRef },
        { podTemplateRef, replicas: -1 },
        { scalableRef, percentage: -1 },
        { podTemplateRef: { name: "" }, replicas: 1 },
        { scalableRef: { ...scalableRef, name: "" } },
        { scalableRef: { ...scalableRef, kind: "" } },
      ];
      expect(invalid.map((spec) => parse(spec).success)).toEqual(invalid.map(() => false));
      expect(parse({ podTemplateRef, replicas: 1 }).data?.spec.provisioningStrategy).toBe(
        "buffer.x-k8s.io/active-capacity",
      );
    },
  );
});
