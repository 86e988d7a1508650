import { Ec2ApiError } from "../../shared/simulator/ec2-api-error.ts";
import type { Ec2Action, WireCloud } from "./aws-server/cloud.ts";
import { accountActions } from "./aws-server/ec2-account.ts";
import { catalogActions } from "./aws-server/ec2-catalog.ts";
import { instanceActions } from "./aws-server/ec2-instances.ts";
import { QueryForm } from "./aws-server/query-form.ts";
import { xml } from "./aws-server/xml.ts";
import type { Outcome } from "./loopback.ts";

const actions: Readonly<Record<string, Ec2Action>> = { ...instanceActions, ...accountActions, ...catalogActions };

/** The simulated EC2 in the shape of the EC2 query API: form fields in, XML out, for the real SDK to talk to. */
export async function queryAnswer(cloud: WireCloud, body: string): Promise<Outcome> {
  const form = new QueryForm(new URLSearchParams(body));
  const name = form.text("Action") ?? "";
  try {
    const action = actions[name];
    if (action === undefined) throw new Ec2ApiError("InvalidAction", `The action ${name} is not valid`);
    return { body: `<${name}Response>${xml(await action(cloud, form))}</${name}Response>` };
  } catch (error) {
    if (!(error instanceof Ec2ApiError)) throw error;
    if (error.code === "TimeoutError") return "cut";
    const { code: Code, message: Message } = error;
    return { status: statusOf(Code), body: `<Response>${xml({ Errors: { Error: { Code, Message } } })}</Response>` };
  }
}

/** EC2 lists a lack of room with its server errors (serverless-aws §2, "Error codes to classify"). */
function statusOf(code: string): number {
  if (code === "RequestLimitExceeded") return 503;
  if (code === "DryRunOperation") return 412;
  return /^(Insufficient|Internal|Unavailable|ServiceUnavailable)/.test(code) ? 500 : 400;
}
