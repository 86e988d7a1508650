import { nodePoolUpdatesRows } from "../../support/api-cases/node-pool-updates.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";

conforms("np.ref | mutate group / kind; unset group / kind / name (x5) | rejected", ownVerdicts(nodePoolUpdatesRows));
conforms("np.replicas | positive; 0; very large (x3) | accepted", ownVerdicts(nodePoolUpdatesRows));
conforms("np.replicas | negative | rejected", ownVerdicts(nodePoolUpdatesRows));
conforms(
  "np.replicas | with limits.cpu/memory/pods/ephemeral-storage or weight (x5) | rejected",
  ownVerdicts(nodePoolUpdatesRows),
);
conforms(
  "np.replicas | with limits.nodes, budgets, labels, annotations, taints, startup taints, requirements, expireAfter, TGP (x9) | accepted",
  ownVerdicts(nodePoolUpdatesRows),
);
conforms("np.replicas | raise replicas; change limits.nodes (x2) | accepted", ownVerdicts(nodePoolUpdatesRows));
