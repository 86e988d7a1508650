import { CfnAccessEntry, CfnPodIdentityAssociation } from "aws-cdk-lib/aws-eks";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement, Role, ServicePrincipal, SessionTagsPrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { controllersGroup, webhookEventSource } from "../../shared/runtime/config.ts";
import type { ClusterConfig } from "../cluster-config.ts";

export interface ClusterAccessProps {
  readonly config: ClusterConfig;
  readonly bus: EventBus;
  /** Roles of the functions, by function name. */
  readonly controllers: Readonly<Record<string, Role>>;
}

/** Who may do what at the cluster's door: our functions as Kubernetes users, the webhook's pods as an AWS role. */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { config, bus, controllers }: ClusterAccessProps) {
    super(scope, id);
    for (const [name, role] of Object.entries(controllers)) {
      new CfnAccessEntry(this, `${name}-entry`, {
        clusterName: config.clusterName,
        principalArn: role.roleArn,
        type: "STANDARD",
        kubernetesGroups: [controllersGroup, `journeyman:${name}`],
      });
    }
    const webhookRole = new Role(this, "WebhookRole", {
      assumedBy: new SessionTagsPrincipal(
        new ServicePrincipal("pods.eks.amazonaws.com", {
          conditions: {
            StringEquals: {
              "aws:SourceAccount": config.account,
              "aws:RequestTag/eks-cluster-name": config.clusterName,
              "aws:RequestTag/kubernetes-namespace": config.namespace,
              "aws:RequestTag/kubernetes-service-account": config.webhookServiceAccount,
            },
          },
        }),
      ),
    });
    webhookRole.addToPolicy(
      new PolicyStatement({
        sid: "AllowHintsOnTheClustersBus",
        actions: ["events:PutEvents"],
        resources: [bus.eventBusArn],
        conditions: { StringEquals: { "events:source": webhookEventSource } },
      }),
    );
    new CfnPodIdentityAssociation(this, "WebhookIdentity", {
      clusterName: config.clusterName,
      namespace: config.namespace,
      serviceAccount: config.webhookServiceAccount,
      roleArn: webhookRole.roleArn,
    });
  }
}
