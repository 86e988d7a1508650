import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Accepts wildcard findings of the AwsSolutions rules, for a reason that is written down. */
export function acknowledgeWildcards(scope: IConstruct, wildcards: readonly string[], reason: string): void {
  for (const wildcard of wildcards) Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[${wildcard}]`, reason });
}

export function acknowledgeManagedPolicies(scope: IConstruct, names: readonly string[], reason: string): void {
  for (const name of names) {
    const id = `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`;
    Validations.of(scope).acknowledge({ id, reason });
  }
}
