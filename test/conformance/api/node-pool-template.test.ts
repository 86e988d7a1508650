import { nodePoolTemplateRows } from "../../support/api-cases/node-pool-template.ts";
import { ownVerdicts } from "../../support/api-cases/verdicts.ts";
import { conforms } from "../../support/conformance.ts";

conforms(
  "np.taints | valid; bad key; too long (runtime); missing key; bad value; bad effect; same key different effect (x7) | only first and last accepted",
  ownVerdicts(nodePoolTemplateRows),
);
conforms(
  "np.req | valid keys; every operator; kubernetes.io domain and subdomain; well-known exceptions; set still non-empty after overlap; empty list (x7) | accepted",
  ownVerdicts(nodePoolTemplateRows),
);
conforms(
  "np.req | malformed key; too long (runtime); nodepool key; unknown operator; restricted domain; hostname (x6) | rejected",
  ownVerdicts(nodePoolTemplateRows),
);
conforms(
  "np.req | bad Gt/Lt/Gte/Lte values; minValues <0, 0, >50, > values for In (x6) | rejected; >50 values without minValues accepted",
  ownVerdicts(nodePoolTemplateRows),
);
conforms(
  "np.labels | unknown key; kOps keys; kubernetes.io domain, prefix, subdomain keys (x6) | accepted",
  ownVerdicts(nodePoolTemplateRows),
);
conforms(
  "np.labels | karpenter.sh/nodepool; malformed key; too long (runtime); malformed value; restricted domain (x5) | rejected",
  ownVerdicts(nodePoolTemplateRows),
);
