import type { AccountPorts } from "../account-ports.ts";
import type { Settings } from "../state/settings.ts";
import { refreshCatalog } from "./catalog.ts";
import { DeferredErrors } from "./deferred-errors.ts";
import { reconcileNodeClasses } from "./node-class.ts";

/** Everything that is read from the account for the others: what EC2 sells, and what classes select. A part that fails does not stop the next. */
export async function refreshAccount(ports: AccountPorts, settings: Settings): Promise<void> {
  const errors = new DeferredErrors();
  await errors.during(() => refreshCatalog(ports, settings));
  await errors.during(() => reconcileNodeClasses(ports, settings));
  errors.throwFirst();
}
