import { admit } from "../../functions/webhook/admission.ts";
import { admissionReview, type AdmissionReview as WebhookReview } from "../../functions/webhook/admission-review.ts";
import { forwarder } from "../../functions/webhook/forwarder.ts";
import { selections } from "../../functions/webhook/match-conditions.ts";
import { type Kind, kinds } from "../api/kinds.ts";
import { controllersGroup, webhookEventSource } from "../runtime/config.ts";
import type { AdmissionReview } from "./admission.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventLoop } from "./event-loop.ts";

/** Users of our functions; the group is what the webhook's match conditions leave out. */
export const functionUserPrefix = "journeyman:";

const flushMilliseconds = 100;

/** Registers the in-cluster webhook's own admission code with the API server and forwards its events to the bus. */
export function startWebhook(loop: EventLoop, server: ApiServer, bus: EventBus): void {
  const events = forwarder({
    now: () => loop.now(),
    send: async (hints) => {
      const result = await bus.putEvents(
        hints.map((hint) => ({ Source: webhookEventSource, DetailType: hint.kind, Detail: JSON.stringify(hint) })),
      );
      return hints.map((_, index) => {
        const entry = result.Entries[index];
        return entry !== undefined && "EventId" in entry ? "accepted" : "retry";
      });
    },
  });
  let isDue = false;
  const flushSoon = () => {
    if (isDue) return;
    isDue = true;
    loop.schedule(flushMilliseconds, "webhook forwarder", async () => {
      isDue = false;
      await events.flush();
    });
  };
  for (const selection of selections) {
    for (const { operations, resources } of selection.rules) {
      for (const resource of resources) {
        const [plural, subresource] = resource.split("/");
        const kind = kindOf(plural ?? "");
        if (kind === undefined) continue;
        server.addWebhook({
          name: selection.name,
          kind,
          operations,
          ...(subresource === "status" ? { subResource: "status" } : {}),
          call: (review) => {
            events.offer(admit(asSent(review), loop.now()).events);
            flushSoon();
          },
        });
      }
    }
  }
}

function kindOf(plural: string): Kind | undefined {
  return Object.entries(kinds)
    .map(([kind, info]) => ({ kind, plural: info.plural }))
    .flatMap(({ kind, plural: name }) => (name === plural && isKindName(kind) ? [kind] : []))[0];
}

function isKindName(name: string): name is Kind {
  return name in kinds;
}

/** The review as the API server sends it, with the groups of the user, read by the webhook's own parser. */
function asSent(review: AdmissionReview): WebhookReview {
  const { username } = review.request.userInfo;
  const groups = username.startsWith(functionUserPrefix) ? [controllersGroup] : [];
  return admissionReview.parse({ ...review, request: { ...review.request, userInfo: { username, groups } } });
}
