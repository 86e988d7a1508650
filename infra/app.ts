import { App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { parseClusterConfig } from "./cluster-config.ts";
import { ProvisionerStack } from "./provisioner-stack.ts";

/** The CDK app: one stack for one cluster, checked by the AwsSolutions rules. */
export function createApp(props?: AppProps): { readonly app: App; readonly stack: ProvisionerStack } {
  const app = new App(props);
  const config = parseClusterConfig(app.node.tryGetContext("journeyman"));
  const stack = new ProvisionerStack(app, `journeyman-${config.clusterName.replaceAll("_", "-")}`, {
    config,
    env: { account: config.account, region: config.region },
    description: `Journeyman: nodes for the EKS cluster ${config.clusterName}`,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

if (import.meta.main) createApp().app.synth();
