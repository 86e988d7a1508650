import { queryAnswer } from "../ec2-query-api.ts";
import { httpLoopback, type LoopbackServer, type Outcome, type ReceivedRequest } from "../loopback.ts";
import type { WireCloud } from "./cloud.ts";
import { iamAnswer } from "./iam-api.ts";
import { pricingAnswer, ssmAnswer } from "./json-apis.ts";

export interface AwsServer extends LoopbackServer {
  /** What a client needs to come here: no more than the environment would tell it. */
  readonly clientOptions: {
    readonly region: string;
    readonly endpoint: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly maxAttempts: number;
  };
  /** Environment that sends every client of the SDK here. */
  readonly environment: Readonly<Record<string, string>>;
  /** Actions asked for, in order: `RunInstances`, `GetParameter`. */
  actions(): readonly string[];
}

const services = ["EC2", "SSM", "PRICING", "IAM", "EKS", "SQS"] as const;

/**
 * EC2, SSM, the price list, IAM and EKS of one simulated account on a loopback port. `settle` waits for answers of the simulated EC2 in
 * whatever time it lives in.
 */
export async function awsServer(
  cloud: WireCloud,
  settle: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<AwsServer> {
  const server = await httpLoopback((request) => answer(cloud, request, settle));
  const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
  const { region } = cloud.account;
  return {
    ...server,
    clientOptions: { region, endpoint: server.url, credentials, maxAttempts: 1 },
    environment: {
      ...Object.fromEntries(services.map((service) => [`AWS_ENDPOINT_URL_${service}`, server.url])),
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: region,
    },
    actions: () => server.requests.map(actionOf),
  };
}

function answer(
  cloud: WireCloud,
  request: ReceivedRequest,
  settle: <T>(work: () => Promise<T>) => Promise<T>,
): Outcome | Promise<Outcome> {
  const service = serviceOf(request);
  switch (service) {
    case "ec2":
      return settle(() => queryAnswer(cloud, request.body));
    case "ssm":
      return ssmAnswer(cloud, request);
    case "pricing":
      return pricingAnswer(cloud, request);
    case "iam":
      return iamAnswer(cloud, request.body);
    case "eks":
      return eksAnswer(cloud, request);
    default:
      return { status: 404, body: `no service ${service}` };
  }
}

/** `GET /clusters/NAME`. */
function eksAnswer({ clusters }: WireCloud, { method, url }: ReceivedRequest): Outcome {
  const name = /^\/clusters\/([^/]+)$/.exec(url.pathname)?.[1];
  const cluster = method === "GET" && name !== undefined ? clusters?.get(decodeURIComponent(name)) : undefined;
  if (cluster !== undefined) return { body: { cluster } };
  const headers = { "x-amzn-errortype": "ResourceNotFoundException" };
  return { status: 404, headers, body: { message: `No cluster found for name: ${name}.` } };
}

/** Of the scope that the request is signed for. */
function serviceOf({ headers }: ReceivedRequest): string | undefined {
  return /Credential=[^/]+\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(headers.authorization ?? "")?.[1];
}

function actionOf({ headers, body, method, url }: ReceivedRequest): string {
  const target = headers["x-amz-target"];
  if (typeof target === "string") return target.split(".").at(-1) ?? "";
  return new URLSearchParams(body).get("Action") ?? `${method} ${url.pathname}`;
}
