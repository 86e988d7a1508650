import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AmiFamily } from "../../shared/api/ec2-node-class.ts";
import type { NodeBootstrap } from "../../shared/cloud/user-data/node-bootstrap.ts";
import { userData } from "../../shared/cloud/user-data/user-data.ts";
import { bootstrapSettings } from "../../shared/simulator/bootstrap-settings.ts";
import { mimeText } from "../support/mime-text.ts";
import { nodeBootstrap, userDataText } from "../support/node-bootstraps.ts";

const managed: readonly AmiFamily[] = ["AL2023", "AL2", "Bottlerocket", "Windows2022"];
const families = fc.constantFrom(...managed);
const name = fc.stringMatching(/^[a-z]([a-z0-9.-]{0,8}[a-z0-9])?$/);
const key = fc.oneof(
  name,
  fc.tuple(name, name).map(([domain, last]) => `${domain}.io/${last}`),
);
const value = fc.oneof(fc.constant(""), fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?$/));
const amount = fc.constantFrom("100m", "1", "256Mi", "5%");
const percent = fc.integer({ min: 0, max: 100 });

const kubelet = fc.record(
  {
    clusterDNS: fc.tuple(fc.constantFrom("10.0.0.1", "fd00::a")),
    systemReserved: fc.dictionary(fc.constantFrom("cpu", "memory", "pid"), amount),
    kubeReserved: fc.dictionary(fc.constantFrom("cpu", "memory", "pid"), amount),
    evictionHard: fc.dictionary(fc.constantFrom("memory.available", "nodefs.available"), amount),
    evictionMaxPodGracePeriod: fc.integer({ min: 0, max: 600 }),
    imageGCHighThresholdPercent: percent,
    cpuCFSQuota: fc.boolean(),
  },
  { requiredKeys: [] },
);

const taint = fc
  .record({ key, value, effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule") })
  .map((one) => (one.value === "" ? { key: one.key, effect: one.effect } : one));

const bootstraps: fc.Arbitrary<NodeBootstrap> = fc
  .record({
    labels: fc.dictionary(key, value),
    taints: fc.uniqueArray(taint, { selector: (one) => `${one.key}/${one.effect}`, maxLength: 4 }),
    maxPods: fc.integer({ min: 0, max: 737 }),
    kubelet,
    instanceStorePolicy: fc.constantFrom("RAID0", undefined),
  })
  .map(({ instanceStorePolicy, ...rest }) =>
    nodeBootstrap({ ...rest, ...(instanceStorePolicy && { instanceStorePolicy }) }),
  );

/** The same with the keys of every object the other way round. */
function turned<T>(given: T): T {
  if (Array.isArray(given)) return given.map(turned) as T;
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given)
      .toReversed()
      .map(([k, v]) => [k, turned(v)]),
  ) as T;
}

const pieces = fc.constantFrom(
  "--//",
  "--B",
  "--B--",
  "#!/bin/bash",
  "Content-Type: multipart/mixed; boundary=B",
  "Content-Type: application/node.eks.aws",
  "",
  "apiVersion: node.eks.aws/v1alpha1",
  "kind: NodeConfig",
  "spec: [",
  "[settings.kubernetes]",
  "max-pods = 3",
  "a = 1979-05-27T07:32:00Z",
  "[[x.y]]",
  "share = 1.0",
  "--////",
  "<powershell>",
  "\r",
  "  a: 1",
);
const customs = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 8 }).map((lines) => lines.join("\n")),
);

describe("user data of any NodeBootstrap", () => {
  it("is the same to the byte whatever the order of keys", () => {
    fc.assert(
      fc.property(families, bootstraps, (family, bootstrap) => {
        expect(userDataText(family, turned(bootstrap))).toBe(userDataText(family, bootstrap));
      }),
    );
  });

  it("tells the kubelet the labels, taints and number of pods that it was made for", () => {
    const inOrder = (taints: NodeBootstrap["taints"]) =>
      taints.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
    fc.assert(
      fc.property(families, bootstraps, (family, bootstrap) => {
        const found = bootstrapSettings(userDataText(family, bootstrap));
        expect({ ...found, taints: inOrder(found.taints) }).toEqual({
          labels: bootstrap.labels,
          taints: inOrder(bootstrap.taints),
          maxPods: bootstrap.maxPods,
        });
      }),
    );
  });
});

describe("user data on top of anything a person wrote", () => {
  /** Fails where the family's image could not read it: no parts, no NodeConfig, no TOML, a block that ends early. */
  function expectReadable(family: AmiFamily, text: string): void {
    if (family === "Bottlerocket")
      expect(parseToml(text)).toMatchObject({ settings: { kubernetes: { "max-pods": 29 } } });
    else if (family === "Windows2022") expect(text).toMatch(/^<powershell>\n.*<\/powershell>\n$/s);
    else {
      const last = mimeText(text).parts.at(-1);
      if (family === "AL2") expect(last?.content).toContain("/etc/eks/bootstrap.sh 'shop'");
      else expect(parse(last?.content ?? "")).toMatchObject({ spec: { kubelet: { config: { maxPods: 29 } } } });
    }
  }

  it("can be read, or is refused with what is wrong in it", () => {
    fc.assert(
      fc.property(families, customs, (family, custom) => {
        const made = userData(family, nodeBootstrap(), custom);
        if (made.kind === "user-data") expectReadable(family, made.text);
        else
          expect(made).toMatchObject({
            reason: "InvalidUserData",
            message: expect.stringMatching(/^spec\.userData: .*(found|expected)/s),
          });
      }),
      { numRuns: 1_000 },
    );
  });

  it("is made of the same settings again when Bottlerocket's are fed back", () => {
    fc.assert(
      fc.property(bootstraps, (bootstrap) => {
        const text = userDataText("Bottlerocket", bootstrap);
        expect(userDataText("Bottlerocket", bootstrap, text)).toBe(text);
      }),
    );
  });
});
