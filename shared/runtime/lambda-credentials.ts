import type { AwsCredentials } from "../adapters/kubernetes/token.ts";

/**
 * The function's role as Lambda hands it to each sandbox, for its whole life. The bundles have this in place of the SDK's chain of
 * providers (infra/bundling.ts), whose name it bears: profiles, SSO and web identity are not known in a Lambda and weigh 100 kB.
 */
export function defaultProvider(): () => Promise<AwsCredentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
    const sessionToken = process.env.AWS_SESSION_TOKEN;
    if (!accessKeyId || !secretAccessKey) {
      throw new Error(
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: not set; Lambda sets both from the function's role",
      );
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  };
}
