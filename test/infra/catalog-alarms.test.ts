import { describe, expect, it } from "vitest";
import { metric } from "../../shared/metrics.ts";
import { exampleCluster, synthesize } from "../support/stack.ts";

function ageAlarms(config: object = exampleCluster) {
  const alarms = synthesize(config).resources("AWS::CloudWatch::Alarm");
  const ofAge = alarms.filter(([, { MetricName }]) => MetricName === metric.catalogAgeSeconds);
  return new Map(
    ofAge.map(([, alarm]): [string, typeof alarm] => {
      const { part, ...others } = Object.fromEntries(
        alarm.Dimensions.map(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]),
      );
      expect(others).toEqual({ service: "catalog", cluster: "shop" });
      return [part, alarm];
    }),
  );
}

describe("the age of the catalog", () => {
  it("rings an alarm for each part, after an hour for spot prices and after a day for the others", () => {
    const hours = Object.fromEntries([...ageAlarms()].map(([part, { Threshold }]) => [part, Threshold / 3_600]));
    expect(hours).toEqual({ zones: 24, types: 24, zonesByType: 24, onDemandPrices: 24, spotPrices: 1 });
  });

  it("rings it as well where no age is told", () => {
    for (const [part, alarm] of ageAlarms()) {
      expect(alarm, part).toMatchObject({
        TreatMissingData: "breaching",
        ComparisonOperator: "GreaterThanThreshold",
        Statistic: "Maximum",
      });
    }
  });

  it.each([
    ["isolated VPC", { ...exampleCluster, isolatedVpc: true }],
    ["GovCloud", { ...exampleCluster, region: "us-gov-west-1" }],
  ])("of on-demand prices rings none where there is no price list: %s", (_, config) => {
    expect([...ageAlarms(config).keys()]).toEqual(["zones", "types", "zonesByType", "spotPrices"]);
  });
});
