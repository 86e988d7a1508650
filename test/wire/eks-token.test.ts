import { describe, expect, it } from "vitest";
import { eksTokens } from "../../shared/adapters/kubernetes/token.ts";

const minute = 60_000;

function tokensAt(clock: { now: number }, region = "eu-west-1") {
  return eksTokens({
    clusterName: "shop",
    region,
    credentials: async () => ({ accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "session" }),
    now: () => clock.now,
  });
}

function decoded(token: string): URL {
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());
}

describe("an EKS token", () => {
  it("is a presigned GetCallerIdentity with nothing that the verifier refuses", async () => {
    const url = decoded(await tokensAt({ now: Date.UTC(2026, 0, 1) }).token());
    expect(url.host).toBe("sts.eu-west-1.amazonaws.com");
    expect(url.pathname).toBe("/");
    expect([...url.searchParams.keys()].sort()).toEqual([
      "Action",
      "Version",
      "X-Amz-Algorithm",
      "X-Amz-Credential",
      "X-Amz-Date",
      "X-Amz-Expires",
      "X-Amz-Security-Token",
      "X-Amz-Signature",
      "X-Amz-SignedHeaders",
    ]);
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("host;x-k8s-aws-id");
    expect(url.searchParams.get("X-Amz-Date")).toBe("20260101T000000Z");
  });

  it("belongs to another host in China", async () => {
    expect(decoded(await tokensAt({ now: 0 }, "cn-north-1").token()).host).toBe("sts.cn-north-1.amazonaws.com.cn");
  });

  it("is kept for 14 minutes", async () => {
    const clock = { now: 0 };
    const tokens = tokensAt(clock);
    const first = await tokens.token();
    clock.now = 14 * minute - 1;
    expect(await tokens.token()).toBe(first);
    clock.now = 14 * minute;
    expect(await tokens.token()).not.toBe(first);
  });

  it("is made anew after a refusal, and after a failure to sign", async () => {
    const clock = { now: 0 };
    const tokens = tokensAt(clock);
    const first = await tokens.token();
    clock.now = minute;
    tokens.invalidate();
    expect(await tokens.token()).not.toBe(first);

    let attempts = 0;
    const failing = eksTokens({
      clusterName: "shop",
      region: "eu-west-1",
      now: () => 0,
      credentials: async () => {
        attempts += 1;
        throw new Error("no credentials");
      },
    });
    await expect(failing.token()).rejects.toThrow("no credentials");
    await expect(failing.token()).rejects.toThrow("no credentials");
    expect(attempts).toBe(2);
  });
});
