import { nodePoolDisruptionRows } from "../../support/api-cases/node-pool-disruption.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";

conforms(
  "np.disruption | expireAfter / consolidateAfter: Never, single unit, several units (x8) | accepted",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.disruption | negative, bad unit, trailing junk for each (x6) | rejected",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.disruption | consolidateAfter with WhenEmpty / WhenEmptyOrUnderutilized, value or Never (x4) | accepted",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.disruption | consolidateAfter omitted (dynamic; static) (x2) | defaults 0s",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.policy | WhenEmpty, WhenEmptyOrUnderutilized, Balanced (CEL and runtime, x6) | accepted",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.policy | old WhenUnderutilized, lower case, numbers, quoted numbers, empty, arbitrary (x11) | rejected",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.budget | bad cron; <5 fields; negative duration; seconds; negative int; negative %; >3-digit %; cron w/o duration; duration w/o cron; one bad among two; one half-set among several (x11) | rejected",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.budget | cron+duration; hours+minutes; neither; @macros (x4) | accepted",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms(
  "np.budget.reason | Drifted, Underutilized, Empty, several (x4) | accepted",
  ownVerdicts(nodePoolDisruptionRows),
);
conforms("np.budget.reason | unknown, Expired, empty string (x3) | rejected", ownVerdicts(nodePoolDisruptionRows));
conforms("np.default | disruption omitted | filled with defaults", ownVerdicts(nodePoolDisruptionRows));
