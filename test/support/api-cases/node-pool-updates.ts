import { nodePoolManifest as pool } from "../api-manifests.ts";
import { type ApiRows, accepted, rejected, updated } from "./api-case.ts";

const reference = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
const classRef = (fields: object) => ({ template: { spec: { nodeClassRef: fields } } });
const place = "spec.template.spec.nodeClassRef";
const withSpec = (spec: object) =>
  pool(...Object.entries(spec).map(([field, value]) => [`spec.${field}`, value] as const));
const fixed = (spec: object) => withSpec({ replicas: 3, ...spec });
const taint = { key: "team", value: "a", effect: "NoSchedule" };
const staticPool = withSpec({ replicas: 1, limits: { nodes: "5" } });
const neither = "spec.replicas: expected neither to appear nor to go";

export const nodePoolUpdatesRows: ApiRows = {
  "np.ref | mutate group / kind; unset group / kind / name (x5) | rejected": [
    updated(
      pool(),
      classRef({ group: "karpenter.test.sh" }),
      `${place}.group: expected karpenter.k8s.aws, as it is immutable`,
    ),
    updated(pool(), classRef({ kind: "OtherNodeClass" }), `${place}.kind: expected EC2NodeClass, as it is immutable`),
    updated(pool(), classRef({ name: "other" })),
    ...["group", "kind", "name"].flatMap((field) => [
      updated(pool(), classRef({ [field]: null }), `${place}.${field}`),
      rejected(`${place}.${field}: found ""`, pool([place, { ...reference, [field]: "" }])),
    ]),
    rejected(`${place}.group`, pool([place, { ...reference, group: "karpenter.k8s.aws/v1" }])),
  ],
  "np.replicas | positive; 0; very large (x3) | accepted": [1, 5, 0, 2_147_483_647].map((replicas) =>
    accepted(withSpec({ replicas })),
  ),
  "np.replicas | negative | rejected": [
    rejected("spec.replicas: found -1, expected at least 0", withSpec({ replicas: -1 })),
    rejected("spec.replicas: found 2147483648, expected at most", withSpec({ replicas: 2_147_483_648 })),
  ],
  "np.replicas | with limits.cpu/memory/pods/ephemeral-storage or weight (x5) | rejected": [
    ...Object.entries({ cpu: "10", memory: "1Gi", pods: "10", "ephemeral-storage": "1Gi" }).map(([resource, amount]) =>
      rejected(`spec.limits.${resource}: found`, fixed({ limits: { [resource]: amount } })),
    ),
    rejected("spec.weight: found 10", fixed({ weight: 10 })),
  ],
  "np.replicas | with limits.nodes, budgets, labels, annotations, taints, startup taints, requirements, expireAfter, TGP (x9) | accepted":
    [
      { limits: { nodes: "10" } },
      { disruption: { consolidateAfter: "0s", budgets: [{ nodes: "20%" }] } },
      { "template.metadata": { labels: { team: "a" } } },
      { "template.metadata": { annotations: { note: "a" } } },
      { "template.spec.taints": [taint] },
      { "template.spec.startupTaints": [taint] },
      { "template.spec.requirements": [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] },
      { "template.spec.expireAfter": "24h" },
      { "template.spec.terminationGracePeriod": "1h" },
    ].map((spec) => accepted(fixed(spec))),
  "np.replicas | raise replicas; change limits.nodes (x2) | accepted": [
    updated(staticPool, { replicas: 3 }),
    updated(staticPool, { limits: { nodes: "10" } }),
    updated(staticPool, { replicas: null }, neither),
    updated(pool(), { replicas: 1 }, neither),
  ],
};
