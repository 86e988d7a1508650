import { readdirSync, readFileSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readDocuments } from "../../../../shared/api/documents.ts";
import type { EC2NodeClass } from "../../../../shared/api/ec2-node-class.ts";
import { resolveAmiFamily } from "../../../../shared/cloud/ami-family.ts";
import { goldenDataFolder, hasGoldenData } from "../../../support/golden-data.ts";
import { type MimeText, mimeText } from "../../../support/mime-text.ts";
import { nodeBootstrap, userDataText } from "../../../support/node-bootstraps.ts";

const folder = `${goldenDataFolder}/manifests/karpenter-examples`;
const files = hasGoldenData ? readdirSync(folder) : [];

function classOf(file: string): EC2NodeClass {
  const { objects } = readDocuments([{ name: file, text: readFileSync(`${folder}/${file}`, "utf8") }]);
  const found = objects.map(({ object }) => object).find((object) => object.kind === "EC2NodeClass");
  if (found === undefined) throw new Error(`${file} has no EC2NodeClass`);
  return found;
}

function textOf(file: string): string {
  const { spec, ...nodeClass } = classOf(file);
  const { kubelet, instanceStorePolicy, userData } = spec;
  const bootstrap = nodeBootstrap({ ...(kubelet && { kubelet }), ...(instanceStorePolicy && { instanceStorePolicy }) });
  return userDataText(resolveAmiFamily({ spec, ...nodeClass }), bootstrap, userData);
}

const partsOf = (file: string): MimeText["parts"] => mimeText(textOf(file)).parts;
const typesOf = (file: string) => partsOf(file).map(({ contentType }) => contentType.split(";")[0]);

describe.skipIf(!hasGoldenData)("the user data of Karpenter's examples", () => {
  it.each(files)("of %s can be read by the image that gets it", (file) => {
    const text = textOf(file);
    switch (resolveAmiFamily(classOf(file))) {
      case "AL2023":
        expect(parse(partsOf(file).at(-1)?.content ?? "")).toMatchObject({ kind: "NodeConfig" });
        return;
      case "AL2":
        expect(partsOf(file).at(-1)?.content).toMatch(/^#!\/bin\/bash -xe\n.*\n\/etc\/eks\/bootstrap\.sh 'shop'/);
        return;
      case "Bottlerocket":
        expect(parseToml(text)).toMatchObject({ settings: { kubernetes: { "cluster-name": "shop" } } });
        return;
      case "Custom":
        expect(text).toBe(classOf(file).spec.userData);
        return;
      default:
        expect(text).toMatch(/^<powershell>\n[^<]*-EKSClusterName 'shop'[^<]*<\/powershell>\n$/);
    }
  });

  it("keeps the example's NodeConfig and script before ours", () => {
    const nodeConfig = "application/node.eks.aws";
    expect(typesOf("al2023-custom-userdata.yaml")).toEqual([nodeConfig, "text/x-shellscript", nodeConfig]);
    const [own, script] = partsOf("al2023-custom-userdata.yaml");
    expect(parse(own?.content ?? "")).toMatchObject({ spec: { instance: { localStorage: { strategy: "Mount" } } } });
    expect(script?.content).toContain('echo "Hello, AL2023!"');
  });

  it.each([
    ["al2-custom-ami.yaml", "text/x-shellscript", 'echo "Running a custom user data script"'],
    ["al2-custom-userdata.yaml", "application/node.eks.aws", 'echo "Running a custom user data script"'],
    ["al2-kubelet-log-query.yaml", "application/node.eks.aws", 'Environment="KUBELET_EXTRA_ARGS=--feature-gates='],
  ])("keeps the script of %s", (file, ours, line) => {
    expect(typesOf(file)).toEqual(["text/x-shellscript", ours]);
    expect(partsOf(file)[0]?.content).toContain(line);
  });
});
