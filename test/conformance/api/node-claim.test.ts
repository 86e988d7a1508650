import { nodeClaimRows } from "../../support/api-cases/node-claim.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";

conforms(
  "nc.* | taints, ref group, requirements (incl. >100 entries), TGP, expireAfter (x41) | same rules as NodePool; nodepool key allowed",
  ownVerdicts(nodeClaimRows),
);
