import { controllersGroup } from "../shared/runtime/config.ts";

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const name = "journeyman";

/**
 * How the API server treats our functions' requests when it has too many (design §4.6): Leases go with those of Kubernetes' own leader
 * elections; the rest has a level of its own, which it shares out by function, so that a storm of one holds up neither the others nor the
 * workloads of the cluster, and theirs do not hold up ours. Without a storm, levels lend one another their seats.
 */
export function flowObjects(namespace: string): object[] {
  const subjects = [{ kind: "Group", group: { name: controllersGroup } }];
  return [
    {
      apiVersion,
      kind: "PriorityLevelConfiguration",
      metadata: { name },
      spec: {
        type: "Limited",
        limited: {
          // As workload-high has it: controllers that a cluster needs to run at all.
          nominalConcurrencyShares: 40,
          lendablePercent: 50,
          limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    {
      apiVersion,
      kind: "FlowSchema",
      metadata: { name: `${name}-leases` },
      spec: {
        priorityLevelConfiguration: { name: "leader-election" },
        matchingPrecedence: 700,
        distinguisherMethod: { type: "ByUser" },
        rules: [
          {
            subjects,
            resourceRules: [
              {
                verbs: ["get", "create", "patch"],
                apiGroups: ["coordination.k8s.io"],
                resources: ["leases"],
                namespaces: [namespace],
              },
            ],
          },
        ],
      },
    },
    {
      apiVersion,
      kind: "FlowSchema",
      metadata: { name },
      spec: {
        priorityLevelConfiguration: { name },
        matchingPrecedence: 800,
        distinguisherMethod: { type: "ByUser" },
        rules: [
          {
            subjects,
            resourceRules: [
              { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true },
            ],
          },
        ],
      },
    },
  ];
}
