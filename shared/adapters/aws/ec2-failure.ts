import { providerErrorKindOf } from "../../cloud/ec2-errors.ts";
import { ProviderError } from "../../ports.ts";
import { awsErrorFacts } from "./aws-error.ts";

/** Turns what a call to EC2 threw into a `ProviderError`; `what` names the call and its object. */
export function ec2Failure(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ProviderError) throw error;
    const { code, message } = awsErrorFacts(error);
    throw new ProviderError(providerErrorKindOf(code, message), code, `${what}: ${code}: ${message}`, { cause: error });
  };
}
