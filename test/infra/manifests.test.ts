import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseClusterConfig } from "../../infra/cluster-config.ts";
import { manifests, readBundle } from "../../infra/manifests.ts";
import { loopbackCertificates } from "../support/loopback.ts";

/** Data of many shapes, as a reader of the JSON sees it. */
type Manifest = ReturnType<typeof JSON.parse>;

const certificates = loopbackCertificates();
const cluster = { clusterName: "shop", account: "111122223333", region: "eu-west-1", kubernetesVersion: "1.34" };
const objects: Manifest[] = manifests({
  config: parseClusterConfig(cluster),
  certificates,
  bundle: Buffer.from("console.log('webhook')"),
});

function only(kind: string): Manifest {
  const found = objects.filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
}

describe("the webhook's configuration", () => {
  const { webhooks } = only("ValidatingWebhookConfiguration");

  it("fails open and costs a second at the most", () => {
    expect(webhooks).toHaveLength(5);
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({ failurePolicy: "Ignore", timeoutSeconds: 1, sideEffects: "NoneOnDryRun" });
    }
  });

  it("trusts the certificate's authority at the Service's name", () => {
    const { caBundle, service } = webhooks[0].clientConfig;
    expect(Buffer.from(caBundle, "base64").toString()).toBe(certificates.certificateAuthority);
    expect(service).toMatchObject({ name: only("Service").metadata.name, namespace: "journeyman", path: "/admit" });
  });

  it("carries CEL conditions and nothing of ours besides", () => {
    for (const { matchConditions } of webhooks) {
      for (const condition of matchConditions) expect(Object.keys(condition)).toEqual(["name", "expression"]);
    }
  });
});

describe("the webhook's deployment", () => {
  const { template } = only("Deployment").spec;

  it("mounts the code and the certificate that come with it", () => {
    expect(gunzipSync(Buffer.from(only("ConfigMap").binaryData["index.js.gz"], "base64")).toString()).toContain(
      "webhook",
    );
    expect(template.spec.volumes).toMatchObject([
      { emptyDir: {} },
      { configMap: { name: only("ConfigMap").metadata.name } },
      { secret: { secretName: only("Secret").metadata.name } },
    ]);
  });

  it("runs two copies without any privilege or token", () => {
    expect(only("Deployment").spec.replicas).toBe(2);
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
    });
    for (const { securityContext } of [...template.spec.initContainers, ...template.spec.containers]) {
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    }
  });
});

describe("access rules", () => {
  const roles = objects.filter(({ kind }) => kind === "ClusterRole" || kind === "Role");
  const rules = roles.flatMap((role) => role.rules.map((rule: Manifest) => ({ ...rule, role: role.metadata.name })));

  it("name groups, resources and verbs without wildcards, and no Secret", () => {
    for (const { apiGroups, resources, verbs } of rules) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain("*");
      expect(resources).not.toContain("secrets");
    }
  });

  it("let Services and ReplicaSets be listed only where there is a default topology spread", () => {
    const listed = (podTopologySpread?: object) => {
      const scheduling = podTopologySpread === undefined ? {} : { podTopologySpread };
      const config = parseClusterConfig({ ...cluster, scheduling });
      const roles: Manifest[] = manifests({ config, certificates, bundle: Buffer.from("") });
      return roles
        .flatMap(({ kind, rules: own }) => (kind === "ClusterRole" ? own : []))
        .filter(({ verbs }: Manifest) => verbs.includes("list"))
        .flatMap(({ resources }: Manifest) => resources);
    };
    const sources = ["services", "replicationcontrollers", "replicasets", "statefulsets"];
    for (const resource of sources) expect(listed()).not.toContain(resource);
    expect(listed({ defaultConstraints: [] })).toEqual(expect.arrayContaining(sources));
  });

  it("let ConfigMaps be read in our own namespace alone", () => {
    const clusterWide = objects.filter(({ kind }) => kind === "ClusterRole");
    expect(JSON.stringify(clusterWide)).not.toContain("configmaps");
    expect(only("Role").metadata.namespace).toBe("journeyman");
  });

  it("let provisioning create NodeClaims, and termination evict pods, and nobody else", () => {
    const allowed = (resource: string, verb: string) =>
      rules
        .filter(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb))
        .map(({ role }) => role);
    expect(allowed("nodeclaims", "create")).toEqual(["journeyman-provisioning"]);
    expect(allowed("pods/eviction", "create")).toEqual(["journeyman-termination"]);
  });

  it("let lifecycle alone write a pod's status, for nominations, and read the pods", () => {
    const having = (resource: string) => rules.filter(({ resources }) => resources.includes(resource));
    expect(having("pods/status").map(({ role, verbs }) => [role, verbs])).toEqual([
      ["journeyman-lifecycle", ["patch"]],
    ]);
    expect(having("pods").find(({ role }) => role === "journeyman")?.verbs).toEqual(["get", "list", "watch"]);
  });
});

describe("without a build", () => {
  it("the command that makes one is told", async () => {
    await expect(readBundle("/no/such/index.js")).rejects.toThrow(
      "found no /no/such/index.js, expected the built webhook: run `npm run build` first",
    );
  });
});
