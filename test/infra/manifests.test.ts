import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseClusterConfig } from "../../infra/cluster-config.ts";
import { manifests, readBundle } from "../../infra/manifests.ts";

/** Data of many shapes, as a reader of the JSON sees it. */
type Manifest = ReturnType<typeof JSON.parse>;

const cluster = { clusterName: "shop", account: "111122223333", region: "eu-west-1", kubernetesVersion: "1.34" };
const objects: Manifest[] = manifests({
  config: parseClusterConfig(cluster),
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
    expect(webhooks).toHaveLength(6);
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({
        failurePolicy: "Ignore",
        timeoutSeconds: 1,
        sideEffects: "NoneOnDryRun",
        matchPolicy: "Equivalent",
      });
    }
  });

  it("calls the Service, and leaves to the webhook whom to trust and to the breaker what to select", () => {
    for (const { clientConfig, objectSelector } of webhooks) {
      expect(clientConfig).toEqual({
        service: { name: only("Service").metadata.name, namespace: "journeyman", path: "/admit", port: 443 },
      });
      expect(objectSelector).toBeUndefined();
    }
  });

  it("never holds up pods of the webhook's own namespace or of kube-system, and no lease", () => {
    const pods = webhooks.find(({ name }: Manifest) => name === "pods.journeyman.sh");
    expect(pods.namespaceSelector.matchExpressions).toEqual([
      { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["journeyman"] },
    ]);
    expect(pods.matchConditions.map(({ expression }: Manifest) => expression)).toContain(
      "request.namespace != 'kube-system'",
    );
    const resources = webhooks.flatMap(({ rules: all }: Manifest) => all.flatMap((rule: Manifest) => rule.resources));
    expect(resources.sort()).toEqual([
      "configmaps",
      "ec2nodeclasses",
      "nodeclaims",
      "nodepools",
      "nodes",
      "nodes/status",
      "pods/status",
    ]);
  });

  it("asks for one ConfigMap of its own namespace alone, that is only tried to be made", () => {
    const probe = webhooks.find(({ name }: Manifest) => name === "probe.journeyman.sh");
    expect(probe.namespaceSelector.matchExpressions).toEqual([
      { key: "kubernetes.io/metadata.name", operator: "In", values: ["journeyman"] },
    ]);
    expect(probe.rules).toMatchObject([{ resources: ["configmaps"], operations: ["CREATE"] }]);
    expect(probe.matchConditions).toHaveLength(2);
  });

  it("carries CEL conditions and nothing of ours besides", () => {
    for (const { matchConditions } of webhooks) {
      for (const condition of matchConditions) expect(Object.keys(condition)).toEqual(["name", "expression"]);
    }
  });
});

describe("the webhook's deployment", () => {
  const { template, strategy, replicas } = only("Deployment").spec;
  const containers: Manifest[] = [...template.spec.initContainers, ...template.spec.containers];

  it("brings its code in a ConfigMap and needs no image of its own", () => {
    expect(gunzipSync(Buffer.from(only("ConfigMap").binaryData["index.js.gz"], "base64")).toString()).toContain(
      "webhook",
    );
    expect(template.spec.volumes).toMatchObject([
      { emptyDir: {} },
      { configMap: { name: only("ConfigMap").metadata.name } },
    ]);
    expect(new Set(containers.map(({ image }) => image))).toEqual(new Set(["node:24-slim"]));
  });

  it("comes without a certificate: the webhook makes its own, and applying again takes none away", () => {
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });

  it("runs without any privilege", () => {
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    for (const { securityContext } of containers) {
      expect(securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  it("keeps two replicas, apart as far as that costs no node, of which one may go at a time", () => {
    expect(replicas).toBe(2);
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(only("PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
    expect(template.spec.priorityClassName).toBe("system-cluster-critical");
    const spread = template.spec.topologySpreadConstraints;
    expect(spread.map(({ topologyKey }: Manifest) => topologyKey)).toEqual([
      "kubernetes.io/hostname",
      "topology.kubernetes.io/zone",
    ]);
    for (const { whenUnsatisfiable } of spread) expect(whenUnsatisfiable).toBe("ScheduleAnyway");
  });

  it("is ready by its certificate, alive without, and has time to drain", () => {
    const [{ readinessProbe, livenessProbe }] = template.spec.containers;
    expect(readinessProbe.httpGet.path).toBe("/readyz");
    expect(livenessProbe.httpGet.path).toBe("/healthz");
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });

  it("needs none of the cluster's DNS", () => {
    expect(template.spec.dnsPolicy).toBe("Default");
    expect(template.spec.hostNetwork).toBeUndefined();
  });

  it("works on its node's own network, at a port of the installer's choice, one replica to a node", () => {
    const config = parseClusterConfig({ ...cluster, webhookHostNetwork: true, webhookPort: 10_443 });
    const all: Manifest[] = manifests({ config, bundle: Buffer.from("") });
    const find = (kind: string) => all.find((object) => object.kind === kind);
    const { spec } = find("Deployment");
    expect(spec.template.spec).toMatchObject({ hostNetwork: true, dnsPolicy: "Default" });
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 1, maxSurge: 0 });
    expect(spec.template.spec.containers[0].ports).toEqual([{ name: "https", containerPort: 10_443 }]);
    expect(find("Service").spec.ports).toEqual([{ name: "https", port: 443, targetPort: 10_443 }]);
  });
});

describe("without a build", () => {
  it("the command that makes one is told", async () => {
    await expect(readBundle("/no/such/index.js")).rejects.toThrow(
      "found no /no/such/index.js, expected the built webhook: run `npm run build` first",
    );
  });
});
