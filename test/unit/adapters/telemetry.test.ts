import { describe, expect, it } from "vitest";
import { redact } from "../../../shared/adapters/telemetry.ts";
import { ProviderError } from "../../../shared/ports.ts";

describe("logged fields", () => {
  it("lose secrets at any depth", () => {
    const fields = { request: { userData: "#!/bin/bash", type: "m5.large", headers: [{ Authorization: "Bearer x" }] } };
    expect(redact(fields)).toEqual({
      request: { userData: "[redacted]", type: "m5.large", headers: [{ Authorization: "[redacted]" }] },
    });
  });

  it("keep of an error what it says, and not what hangs on it", () => {
    const cause = Object.assign(new Error("socket closed"), { $response: { headers: { authorization: "x" } } });
    const { error } = redact({ error: new ProviderError("Throttled", "SlowDown", "too fast", { cause }) });
    expect(error).toMatchObject({ kind: "Throttled", code: "SlowDown", message: "too fast" });
    expect(JSON.stringify(error)).not.toContain("authorization");
  });
});
