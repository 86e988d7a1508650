import { EC2Client } from "@aws-sdk/client-ec2";
import { IAMClient } from "@aws-sdk/client-iam";
import { PricingClient } from "@aws-sdk/client-pricing";
import { SSMClient } from "@aws-sdk/client-ssm";
import type { AccountPorts } from "../account-ports.ts";
import { catalogPort } from "../adapters/aws/catalog.ts";
import { nodeClassPort } from "../adapters/aws/node-class.ts";
import { priceListRegion } from "../adapters/aws/price-list.ts";
import { compose } from "./compose.ts";
import { readFunctionConfig } from "./config.ts";
import type { Runtime } from "./lambda.ts";

let warm: Runtime<AccountPorts> | undefined;

/** The runtime of the catalog function: what the others have, and the clients that it alone needs. */
export function liveAccountRuntime(): Runtime<AccountPorts> {
  warm ??= withAccount(compose(readFunctionConfig()));
  return warm;
}

function withAccount(runtime: Runtime): Runtime<AccountPorts> {
  const { region, isolatedVpc } = runtime.settings;
  const client = new EC2Client({ region, maxAttempts: 3 });
  const pricingRegion = isolatedVpc ? undefined : priceListRegion(region);
  const catalog = catalogPort({
    client,
    ...(pricingRegion !== undefined && { pricing: new PricingClient({ region: pricingRegion, maxAttempts: 3 }) }),
    region,
    telemetry: runtime.telemetry,
    now: Date.now,
  });
  const nodeClass = nodeClassPort({
    client,
    launchClient: new EC2Client({ region, maxAttempts: 1 }),
    ssm: new SSMClient({ region, maxAttempts: 3 }),
    iam: new IAMClient({ region, maxAttempts: 3 }),
    now: Date.now,
  });
  return { ...runtime, ports: (invocation) => ({ ...runtime.ports(invocation), catalog, nodeClass }) };
}
