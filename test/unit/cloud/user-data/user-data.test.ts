import { describe, expect, it } from "vitest";
import { userData } from "../../../../shared/cloud/user-data/user-data.ts";
import { nodeBootstrap, userDataText } from "../../../support/node-bootstraps.ts";

describe("the user data of a family", () => {
  it("is the person's own for Custom, to the byte", () => {
    const kubelet = { containerLogMaxFiles: 3, clusterDNS: ["10.0.0.1", "10.0.0.2"] };
    expect(userDataText("Custom", nodeBootstrap({ kubelet }), "anything\r\n")).toBe("anything\r\n");
  });

  it("may have 16,384 bytes and not one more (B3.18)", () => {
    expect(userDataText("Custom", nodeBootstrap(), "x".repeat(16_384))).toHaveLength(16_384);
    expect(userData("Custom", nodeBootstrap(), `${"x".repeat(16_383)}ä`)).toEqual({
      kind: "problem",
      scope: "class",
      reason: "UserDataSizeLimitExceeded",
      message: "the node's user data has 16385 bytes, EC2 accepts 16384: shorten spec.userData",
    });
  });
});

describe("a kubelet setting that a family's nodes cannot be given", () => {
  it.each(["AL2", "Bottlerocket", "Windows2019"] as const)("is one that %s has no argument for", (family) => {
    expect(userData(family, nodeBootstrap({ kubelet: { containerLogMaxFiles: 3 } }))).toMatchObject({
      reason: "UnsupportedKubeletConfiguration",
      message: expect.stringMatching(
        new RegExp(`^spec.kubelet.containerLogMaxFiles: ${family} cannot be given it, accepted are clusterDNS, `),
      ),
    });
  });

  it("is podsPerCore on Bottlerocket", () => {
    const bootstrap = nodeBootstrap({ kubelet: { podsPerCore: 4 } });
    expect(userData("Bottlerocket", bootstrap)).toMatchObject({
      message: "spec.kubelet.podsPerCore: Bottlerocket has no such setting; set maxPods",
    });
    expect(userDataText("AL2", bootstrap)).toContain("--pods-per-core=4");
  });

  it("is a second DNS server, but on AL2023", () => {
    const bootstrap = nodeBootstrap({ kubelet: { clusterDNS: ["10.0.0.1", "10.0.0.2"] } });
    expect(userData("AL2", bootstrap)).toMatchObject({
      message: "spec.kubelet.clusterDNS: found 2 addresses, AL2 takes one",
    });
    expect(userDataText("AL2023", bootstrap)).toContain("clusterDNS:\n      - 10.0.0.1\n      - 10.0.0.2\n");
  });
});

describe("user data that a node could not read", () => {
  const mime = (part: string) => `Content-Type: multipart/mixed; boundary="B"\n\n${part}\n--B--\n`;
  it.each([
    [
      "is not multipart",
      "MIME-Version: 1.0\n\nhello",
      'found "", expected Content-Type: multipart/... with a boundary',
    ],
    [
      "has no part",
      'Content-Type: multipart/mixed; boundary="B"\n\n--A\n\nhi',
      "found no line --B, with which each part",
    ],
    ["has a script in a header's place", mime("--B\necho hi\n\necho ho"), 'part 1: found "echo hi", expected a header'],
    [
      "has a NodeConfig that is no YAML",
      mime(
        "--B\nContent-Type: text/x-shellscript\n\n#!/bin/sh\n--B\nContent-Type: application/node.eks.aws\n\nspec: [a",
      ),
      "part 2: Flow sequence",
    ],
    ["is a NodeConfig that is no YAML", "apiVersion: node.eks.aws/v1alpha1\nspec: [a", "expected a NodeConfig in YAML"],
  ])("%s", (_, custom, message) => {
    expect(userData("AL2023", nodeBootstrap(), custom)).toMatchObject({
      reason: "InvalidUserData",
      message: expect.stringContaining(`spec.userData: `),
    });
    expect(userData("AL2023", nodeBootstrap(), custom)).toHaveProperty("message", expect.stringContaining(message));
  });

  it("is none that is encoded: only the node decodes it", () => {
    const part = "--B\nContent-Type: application/node.eks.aws\nContent-Transfer-Encoding: base64\n\n[nonsense";
    expect(userDataText("AL2023", nodeBootstrap(), mime(part))).toContain("Content-Transfer-Encoding: base64");
  });

  it("is none with no part at all, or with a line like the boundary", () => {
    expect(userDataText("AL2023", nodeBootstrap(), mime(""))).toBe(userDataText("AL2023", nodeBootstrap()));
    const text = userDataText("AL2023", nodeBootstrap(), "#!/bin/sh\n--//\n--///\n");
    expect(text).toContain('boundary="////"');
    expect(text.split("\n--////\n")).toHaveLength(3);
  });
});
