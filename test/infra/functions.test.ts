import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { App, Duration, Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { parseClusterConfig } from "../../infra/cluster-config.ts";
import { NodeFunction } from "../../infra/constructs/node-function.ts";
import { readFunctionConfig } from "../../shared/runtime/config.ts";
import { exampleCluster, referenced, synthesize } from "../support/stack.ts";

const defaultConstraints = [{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" }];
const costs = { spotSpreadShare: 0.5, spotMinOfferings: 3, nodeChargeUsdPerHour: 0.02, volumePriceFactor: 1.19 };
const nominations = { nominatePods: false, packingSlackPercent: 5 };
const { resources, resource } = synthesize({
  ...exampleCluster,
  limits: { maxNodes: 7 },
  scheduling: { podTopologySpread: { defaultConstraints }, ...costs, ...nominations },
  servedPodAnnotation: "team=shop",
  logRetentionDays: 14,
  isolatedVpc: true,
  observe: true,
  placementScoresPerDay: 5,
  dryRunNodeClasses: false,
});

describe("every function", () => {
  const functions = resources("AWS::Lambda::Function");

  it("runs on Node 24 and arm64, with logs that are kept as long as configured", () => {
    expect(functions).toHaveLength(8);
    for (const [id, properties] of functions) {
      expect(properties, id).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
      const logs = resource("AWS::Logs::LogGroup", referenced(properties.LoggingConfig.LogGroup));
      expect(logs.RetentionInDays, id).toBe(14);
    }
  });

  it("finds in its environment what it reads from there", () => {
    for (const [id, { Environment }] of functions) {
      const variables = Object.entries(Environment.Variables).map(([name, value]) => [
        name,
        typeof value === "string" ? value : "https://queue",
      ]);
      const config = readFunctionConfig({ AWS_REGION: "eu-west-1", ...Object.fromEntries(variables) });
      expect(config.settings, id).toMatchObject({ clusterName: "shop", maxNodes: 7, servedPodAnnotation: "team=shop" });
      expect(config.settings, id).toMatchObject({ ...costs, ...nominations });
      expect(config.settings, id).toMatchObject({
        isolatedVpc: true,
        observe: true,
        placementScoresPerDay: 5,
        dryRunNodeClasses: false,
      });
      expect(config.settings.defaultTopologySpread, id).toEqual(defaultConstraints);
    }
  });

  it("is watched for crashes and for failed passes", () => {
    const alarms = resources("AWS::CloudWatch::Alarm").map(([, { MetricName }]) => MetricName);
    expect(alarms.filter((name) => name === "Errors")).toHaveLength(8);
    expect(alarms.filter((name) => name === "journeyman_pass_failures_total")).toHaveLength(8);
  });
});

describe("alarms", () => {
  it("ring when launching stops at a limit, or because the launches of a NodePool fail", () => {
    const alarms = resources("AWS::CloudWatch::Alarm").map(([, { MetricName }]) => MetricName);
    expect(alarms.filter((name) => name === "journeyman_limit_reached_total")).toHaveLength(3);
    expect(alarms.filter((name) => name === "journeyman_launch_breakers_opened_total")).toHaveLength(3);
  });

  it("all ring the topic, if there is one", () => {
    const alarmTopicArn = "arn:aws:sns:eu-west-1:111122223333:alarms";
    for (const [id, { AlarmActions }] of synthesize({ ...exampleCluster, alarmTopicArn }).resources(
      "AWS::CloudWatch::Alarm",
    )) {
      expect(AlarmActions, id).toEqual([alarmTopicArn]);
    }
  });
});

describe("the cluster's configuration", () => {
  it("names every problem at once, with its path", () => {
    const parse = () =>
      parseClusterConfig({ ...exampleCluster, account: "1", limits: { maxNodes: -1 }, colour: "red" });
    expect(parse).toThrow(/3 problem.*journeyman.account.*journeyman.limits.maxNodes.*colour/s);
    expect(() => parseClusterConfig(undefined)).toThrow(/4 problem/);
  });
});

describe("a bundled function", () => {
  it("can be loaded as Lambda loads it", () => {
    const app = new App();
    new NodeFunction(new Stack(app, "stack"), "function", {
      name: "later",
      timeout: Duration.seconds(15),
      memoryMib: 256,
      logRetention: 30,
      environment: {
        JOURNEYMAN_FUNCTION: "later",
        JOURNEYMAN_CLUSTER_NAME: "shop",
        JOURNEYMAN_ACCOUNT_ID: "111122223333",
        JOURNEYMAN_KUBERNETES_VERSION: "1.34",
        JOURNEYMAN_PROVISIONING_QUEUE_URL: "https://queue",
        JOURNEYMAN_LATER_QUEUE_URL: "https://queue",
        JOURNEYMAN_LIFECYCLE_QUEUE_URL: "https://queue",
        JOURNEYMAN_TERMINATION_QUEUE_URL: "https://queue",
      },
    });
    const { directory } = app.synth();
    const asset = readdirSync(directory).find((name) => name.startsWith("asset."));
    const script = `console.log(typeof require(${JSON.stringify(join(directory, asset ?? "", "index.js"))}).handler)`;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })).toBe("function\n");
  });
});
