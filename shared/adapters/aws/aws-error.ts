import { ProviderError, type ProviderErrorKind } from "../../ports.ts";

/** What an AWS SDK error says: the service's code, or the network's when the service never answered. */
export function awsErrorFacts(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "UnknownError", message: String(error) };
  const networkCode = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { code: error.name === "Error" ? (networkCode ?? "UnknownError") : error.name, message: error.message };
}

/** The error of a call to SQS, EventBridge or EKS. `what` names the call and its object. */
export function awsError(what: string, error: unknown): ProviderError {
  const { code, message } = awsErrorFacts(error);
  return new ProviderError(kindOf(code), code, `${what}: ${code}: ${message}`, { cause: error });
}

function kindOf(code: string): ProviderErrorKind {
  if (/Throttl|TooManyRequests|LimitExceeded/.test(code)) return "Throttled";
  if (/AccessDenied|Unauthorized|Forbidden|ExpiredToken|InvalidClientTokenId/.test(code)) return "Denied";
  if (/NotFound|NonExistent|DoesNotExist/.test(code)) return "NotFound";
  if (/Invalid|Validation|Malformed/.test(code)) return "Invalid";
  return "Unknown";
}
