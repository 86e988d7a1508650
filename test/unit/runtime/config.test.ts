import { describe, expect, it } from "vitest";
import { readFunctionConfig, readWebhookConfig } from "../../../shared/runtime/config.ts";

const complete = {
  AWS_REGION: "eu-west-1",
  JOURNEYMAN_FUNCTION: "provisioning",
  JOURNEYMAN_CLUSTER_NAME: "shop",
  JOURNEYMAN_ACCOUNT_ID: "111122223333",
  JOURNEYMAN_KUBERNETES_VERSION: "1.34",
  JOURNEYMAN_PROVISIONING_QUEUE_URL: "https://queues/provisioning.fifo",
  JOURNEYMAN_LATER_QUEUE_URL: "https://queues/later",
  JOURNEYMAN_LIFECYCLE_QUEUE_URL: "https://queues/lifecycle",
  JOURNEYMAN_TERMINATION_QUEUE_URL: "https://queues/termination",
};

describe("the configuration of a function", () => {
  it("keeps the defaults of settings that are not set, or set to nothing", () => {
    const { settings } = readFunctionConfig({ ...complete, JOURNEYMAN_MAX_NODES: "" });
    expect(settings).toMatchObject({ clusterName: "shop", region: "eu-west-1", batchIdleMilliseconds: 500 });
    expect("maxNodes" in settings).toBe(false);
  });

  it("reads limits as numbers", () => {
    const { settings } = readFunctionConfig({
      ...complete,
      JOURNEYMAN_MAX_NODES: "10",
      JOURNEYMAN_MAX_PRICE_USD_PER_HOUR: "2.5",
    });
    expect(settings).toMatchObject({ maxNodes: 10, maxPriceUsdPerHour: 2.5 });
  });

  it("reads by which annotation pods are served, and refuses what is no annotation", () => {
    const settingsWith = (text: string) =>
      readFunctionConfig({ ...complete, JOURNEYMAN_SERVED_POD_ANNOTATION: text }).settings;
    expect(settingsWith("example.com/served=yes")).toMatchObject({ servedPodAnnotation: "example.com/served=yes" });
    expect("servedPodAnnotation" in settingsWith("")).toBe(false);
    expect(() => settingsWith("not an annotation")).toThrow("JOURNEYMAN_SERVED_POD_ANNOTATION");
  });

  it("reads the default topology spread from Karpenter's scheduler configuration", () => {
    const constraint = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" };
    const config = { podTopologySpread: { defaultConstraints: [constraint] } };
    const read = (text: string) => readFunctionConfig({ ...complete, JOURNEYMAN_SCHEDULER_CONFIG: text }).settings;
    expect(read(JSON.stringify(config)).defaultTopologySpread).toEqual([constraint]);
    expect(() => read("{")).toThrow(/JOURNEYMAN_SCHEDULER_CONFIG: expected JSON/);
    expect(() => read(JSON.stringify({ ...config, profiles: [] }))).toThrow(/JOURNEYMAN_SCHEDULER_CONFIG: .*profiles/);
  });

  it("names every problem at once, and no value", () => {
    const read = () =>
      readFunctionConfig({ ...complete, JOURNEYMAN_CLUSTER_NAME: undefined, JOURNEYMAN_MAX_NODES: "secret" });
    expect(read).toThrow(/2 problem\(s\).*JOURNEYMAN_CLUSTER_NAME.*JOURNEYMAN_MAX_NODES/s);
    expect(read).not.toThrow(/secret/);
  });

  it("knows the cluster only from all three: endpoint, CA and service network", () => {
    const two = { JOURNEYMAN_CLUSTER_ENDPOINT: "https://cluster", JOURNEYMAN_CLUSTER_CA: "Y2E=" };
    expect(readFunctionConfig({ ...complete, ...two }).cluster).toBeUndefined();
    const three = { ...complete, ...two, JOURNEYMAN_SERVICE_CIDR: "10.100.0.0/16" };
    expect(readFunctionConfig(three).cluster?.endpoint).toBe("https://cluster");
  });
});

describe("the configuration of the webhook", () => {
  it("needs the bus and the region, and no more", () => {
    expect(readWebhookConfig({ AWS_REGION: "eu-west-1", JOURNEYMAN_EVENT_BUS: "journeyman-shop" })).toEqual({
      region: "eu-west-1",
      eventBusName: "journeyman-shop",
      tlsDirectory: "/etc/journeyman/tls",
      port: 9443,
    });
    expect(() => readWebhookConfig({})).toThrow(/2 problem/);
  });
});
