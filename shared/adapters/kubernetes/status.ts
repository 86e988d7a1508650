import * as z from "zod";
import { ProviderError, type ProviderErrorKind } from "../../ports.ts";

/** The slice of `metav1.Status`, the API server's answer to a refused request, that we read. */
const status = z.object({
  kind: z.literal("Status"),
  message: z.string().default(""),
  reason: z.string().default(""),
  details: z
    .object({
      causes: z.array(z.object({ reason: z.string().default(""), message: z.string().default("") })).default([]),
    })
    .default({ causes: [] }),
});

const kindsByStatus: Readonly<Record<number, ProviderErrorKind>> = {
  400: "Invalid",
  401: "Denied",
  403: "Denied",
  404: "NotFound",
  409: "Conflict",
  422: "Invalid",
  429: "Throttled",
};

/** An answer other than 2xx as an error; its code is the status reason, such as `AlreadyExists` or `Expired`. */
export function statusError(what: string, httpStatus: number, body: unknown): ProviderError {
  const parsed = status.safeParse(body);
  const reason = parsed.success && parsed.data.reason !== "" ? parsed.data.reason : `HTTP${httpStatus}`;
  const message = parsed.success ? parsed.data.message : String(body).slice(0, 300);
  return new ProviderError(kindsByStatus[httpStatus] ?? "Unknown", reason, `${what}: ${httpStatus} ${message}`, {
    cause: body,
  });
}

/** A list's continue token is too old (410): the list must be read again from the start. */
export function isExpired(error: unknown): boolean {
  return (
    error instanceof ProviderError && (error.code === "Expired" || error.code === "Gone" || error.code === "HTTP410")
  );
}

/**
 * Why the eviction API says "not now", if that is what the error means. A budget is named among the causes of a 429; a pod under two
 * budgets gets a 500 that says so (kubernetes pkg/registry/core/pod/storage/eviction.go). Other 429s are the server's own overload.
 */
export function evictionBlock(error: unknown): string | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  const parsed = status.safeParse(error.cause);
  if (!parsed.success) return undefined;
  const cause = parsed.data.details.causes.find(({ reason }) => reason === "DisruptionBudget");
  if (cause !== undefined) return cause.message || parsed.data.message;
  return parsed.data.message.includes("more than one PodDisruptionBudget") ? parsed.data.message : undefined;
}

/** The pod was there, but under another uid than the one that was meant (kubernetes pkg/storage Preconditions.Check). */
export function isUidMismatch(error: unknown): boolean {
  return error instanceof ProviderError && error.kind === "Conflict" && error.message.includes("UID in precondition");
}
