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

  it("reads what a plan keeps low, and refuses what is no share", () => {
    const settingsWith = (share: string) =>
      readFunctionConfig({
        ...complete,
        JOURNEYMAN_SPOT_SPREAD_SHARE: share,
        JOURNEYMAN_SPOT_MIN_OFFERINGS: "0",
        JOURNEYMAN_NODE_CHARGE_USD_PER_HOUR: "0.02",
        JOURNEYMAN_VOLUME_PRICE_FACTOR: "1.19",
      }).settings;
    expect(settingsWith("1")).toMatchObject({
      spotSpreadShare: 1,
      spotMinOfferings: 0,
      nodeChargeUsdPerHour: 0.02,
      volumePriceFactor: 1.19,
    });
    expect(() => settingsWith("0")).toThrow("JOURNEYMAN_SPOT_SPREAD_SHARE: expected a share above 0");
    expect(() => settingsWith("1.5")).toThrow("JOURNEYMAN_SPOT_SPREAD_SHARE: expected a share up to 1");
  });

  it("reads whether pods are nominated and how much slack is left otherwise, and refuses what is neither", () => {
    const settingsWith = (nominate: string, percent: string) =>
      readFunctionConfig({
        ...complete,
        JOURNEYMAN_NOMINATE_PODS: nominate,
        JOURNEYMAN_PACKING_SLACK_PERCENT: percent,
      }).settings;
    expect(readFunctionConfig(complete).settings).toMatchObject({ nominatePods: true, packingSlackPercent: 3 });
    expect(settingsWith("false", "4.5")).toMatchObject({ nominatePods: false, packingSlackPercent: 4.5 });
    expect(settingsWith("true", "0")).toMatchObject({ nominatePods: true, packingSlackPercent: 0 });
    expect(() => settingsWith("no", "3")).toThrow("JOURNEYMAN_NOMINATE_PODS");
    expect(() => settingsWith("false", "51")).toThrow(
      "JOURNEYMAN_PACKING_SLACK_PERCENT: expected a percentage from 0 to 50",
    );
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
  const least = {
    AWS_REGION: "eu-west-1",
    JOURNEYMAN_EVENT_BUS: "journeyman-shop",
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
  };

  it("needs the bus, the region and what the kubelet sets, and no more", () => {
    expect(readWebhookConfig(least)).toEqual({
      region: "eu-west-1",
      eventBusName: "journeyman-shop",
      namespace: "journeyman",
      serviceName: "journeyman-webhook",
      dnsNames: ["journeyman-webhook.journeyman.svc"],
      port: 9443,
      drainMilliseconds: 5_000,
      apiServerUrl: "https://10.0.0.1:443",
      serviceAccountDirectory: "/var/run/secrets/kubernetes.io/serviceaccount",
    });
    expect(() => readWebhookConfig({})).toThrow(/3 problem/);
  });

  it("reads further names, and the address of an API server in a cluster of IPv6", () => {
    const { dnsNames, apiServerUrl } = readWebhookConfig({
      ...least,
      JOURNEYMAN_WEBHOOK_NAMES: "localhost,hook.example",
      KUBERNETES_SERVICE_HOST: "fd00::1",
    });
    expect(dnsNames).toEqual(["journeyman-webhook.journeyman.svc", "localhost", "hook.example"]);
    expect(apiServerUrl).toBe("https://[fd00::1]:443");
  });
});
