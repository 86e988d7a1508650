import { Template } from "aws-cdk-lib/assertions";
import { createApp } from "../../infra/app.ts";

/** A cluster configuration as in cdk.json. */
export const exampleCluster = {
  clusterName: "shop",
  account: "111122223333",
  region: "eu-west-1",
  kubernetesVersion: "1.34",
} as const;

interface Resource {
  readonly Type: string;
  /** CloudFormation has no types here: what JSON gives. */
  readonly Properties: Readonly<Record<string, ReturnType<typeof JSON.parse>>>;
}

export interface SynthesizedStack {
  readonly app: ReturnType<typeof createApp>["app"];
  readonly stack: ReturnType<typeof createApp>["stack"];
  readonly template: Template;
  /** Resources of one CloudFormation type, by logical id. */
  resources(type: string): [id: string, properties: Resource["Properties"]][];
  /** The resource whose logical id starts so. */
  resource(type: string, idPrefix: string): Resource["Properties"];
}

/** The stack without bundled code: that takes seconds, and one test of it is enough. */
export function synthesize(config: object = exampleCluster): SynthesizedStack {
  const { app, stack } = createApp({ context: { journeyman: config, "aws:cdk:bundling-stacks": [] } });
  const template = Template.fromStack(stack);
  const resources: SynthesizedStack["resources"] = (type) =>
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, (resource as Resource).Properties]);
  return {
    app,
    stack,
    template,
    resources,
    resource(type, idPrefix) {
      const found = resources(type).find(([id]) => id.startsWith(idPrefix));
      if (found === undefined) throw new Error(`no ${type} whose id starts with ${idPrefix}`);
      return found[1];
    },
  };
}

/** The logical id that `{ "Fn::GetAtt": [id, ...] }` or `{ Ref: id }` names. */
export function referenced(value: { readonly "Fn::GetAtt"?: readonly string[]; readonly Ref?: string }): string {
  return value["Fn::GetAtt"]?.[0] ?? value.Ref ?? "";
}
