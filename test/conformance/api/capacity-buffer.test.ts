import { capacityBufferRows } from "../../support/api-cases/capacity-buffer.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";

conforms(
  "cb.crd | valid podTemplateRef+replicas, +limits, scalableRef, empty apiGroup, zero values, both sizes, scalableRef alone (x8) | accepted",
  ownVerdicts(capacityBufferRows),
);
conforms(
  "cb.crd | both refs; podTemplateRef without size; negatives; empty names/kinds (x7) | rejected; default strategy filled",
  ownVerdicts(capacityBufferRows),
);
