import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import type { AmiFamily } from "../../shared/api/ec2-node-class.ts";
import type { Taint } from "../../shared/api/schema.ts";
import { registrationLabels, registrationTaints } from "../../shared/cloud/user-data/node-registration.ts";
import type { CapacityType } from "../../shared/ports.ts";
import { userDataText } from "../support/node-bootstraps.ts";
import { nodeClaim } from "../support/node-claims.ts";
import { structureDifferences, structureOf } from "../support/user-data-structure.ts";
import { karpenterGoldenFiles } from "./karpenter-golden-files.ts";

const hasGo = spawnSync("go", ["version"]).status === 0;
const minutes = 60_000;

interface Golden {
  readonly family: AmiFamily;
  /** What the person wrote. */
  readonly input?: string;
  readonly expected: string;
}

/** Every file is in it, or the first test says so. */
const goldens: readonly Golden[] = [
  { family: "AL2023", expected: "al2023_userdata_unmerged" },
  { family: "AL2023", input: "al2023_mime_userdata_input", expected: "al2023_mime_userdata_merged" },
  { family: "AL2023", input: "al2023_shell_userdata_input", expected: "al2023_shell_userdata_merged" },
  { family: "AL2023", input: "al2023_yaml_userdata_input", expected: "al2023_yaml_userdata_merged" },
  { family: "AL2", expected: "al2_userdata_unmerged" },
  { family: "AL2", input: "al2_userdata_input", expected: "al2_userdata_merged" },
  { family: "AL2", input: "al2_userdata_content_type_first_input", expected: "al2_userdata_merged" },
  { family: "AL2", input: "al2_no_mime_userdata_input", expected: "al2_userdata_merged" },
  { family: "Bottlerocket", expected: "br_userdata_unmerged" },
  { family: "Bottlerocket", input: "br_userdata_input", expected: "br_userdata_merged" },
  { family: "Windows2022", expected: "windows_userdata_unmerged" },
  { family: "Windows2022", input: "windows_userdata_input", expected: "windows_userdata_merged" },
];

/** Where ours may differ from Karpenter's, and why. */
const explained: readonly { readonly family: AmiFamily; readonly path: RegExp; readonly why: string }[] = [
  {
    family: "AL2",
    path: /^part \/ \d+ \/ 1 \/ line \/ 1: "exec > >\(tee /,
    why: "The same pipe to the log, with spaces around its signs.",
  },
];

/** The files are Go format strings: the EC2NodeClass's name, then the NodePool's label and name. Nothing else in them is a node's own. */
function filled(text: string): string {
  const names = ["a-class", "karpenter.sh/nodepool", "a-pool"];
  const fills = text.includes("should-be-overridden") ? names.slice(1) : names;
  const next = Array.from({ length: 10 }, () => fills).flat();
  return text.replace(/%s/g, () => next.shift() ?? "").replaceAll("%%", "%");
}

/** What Karpenter's tests make their nodes of, as far as it shows in the files. */
const cluster = {
  name: "test-cluster",
  endpoint: "https://test-cluster",
  certificateAuthority: "Y2EtYnVuZGxlCg==",
  serviceCidr: "10.100.0.0/16",
  dnsAddress: "10.0.100.10",
};
const bottlerocketTaints: readonly Taint[] = [
  { key: "foo", value: "bar", effect: "NoExecute" },
  { key: "baz", value: "bin", effect: "NoExecute" },
];

function ourUserData(family: AmiFamily, custom: string | undefined): string {
  const labels = {
    "karpenter.k8s.aws/ec2nodeclass": "a-class",
    "karpenter.sh/nodepool": "a-pool",
    "testing/cluster": "unspecified",
  };
  const taints = family === "Bottlerocket" ? [...bottlerocketTaints] : [];
  const claim = nodeClaim("a", { labels, taints });
  const capacityType: CapacityType = family.startsWith("Windows") ? "spot" : "on-demand";
  const bootstrap = {
    cluster,
    labels: registrationLabels(claim, capacityType),
    taints: registrationTaints(claim),
    maxPods: 110,
  };
  return userDataText(family, bootstrap, custom);
}

/** Skipped without Go, whose module proxy has the files. */
describe.skipIf(!hasGo)("Karpenter's golden user data", () => {
  let files: ReadonlyMap<string, string>;
  const read = (name: string) => filled(files.get(name) ?? "");
  const differencesOf = ({ family, input, expected }: Golden) =>
    structureDifferences(
      structureOf(read(expected)),
      structureOf(ourUserData(family, input === undefined ? undefined : read(input))),
    );

  beforeAll(() => {
    files = karpenterGoldenFiles();
  }, 10 * minutes);

  it("is compared with whole", () => {
    const compared = new Set(
      goldens.flatMap(({ input, expected }) => [expected, ...(input === undefined ? [] : [input])]),
    );
    expect([...compared].sort()).toEqual([...files.keys()].sort());
  });

  it.each(goldens.map((golden) => [golden.expected, golden.input ?? "no user data", golden] as const))(
    "%s, from %s, says what ours does, but for what is explained",
    (_expected, _input, golden) => {
      const unexplained = differencesOf(golden).filter(
        (difference) => !explained.some(({ family, path }) => family === golden.family && path.test(difference)),
      );
      expect(unexplained).toEqual([]);
    },
  );

  it("differs from ours in each way that is explained", () => {
    for (const { family, path, why } of explained) {
      const differences = goldens.filter((one) => one.family === family).flatMap(differencesOf);
      expect(
        differences.filter((difference) => path.test(difference)),
        why,
      ).not.toEqual([]);
    }
  });

  it("says something of each kind that is compared", () => {
    const size = (name: string) => structureOf(read(name)).size;
    expect(size("al2023_userdata_unmerged")).toBeGreaterThan(15);
    expect(size("al2_userdata_unmerged")).toBeGreaterThan(12);
    expect(size("br_userdata_unmerged")).toBeGreaterThan(12);
    expect(size("windows_userdata_unmerged")).toBeGreaterThan(12);
  });
});
