import { describe, expect, it } from "vitest";
import { formatUnavailable, unavailableKey } from "../../shared/cloud/unavailable-offerings.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { type LaunchStory, tellLaunchStory } from "../support/launch-story.ts";

/** JOURNEYMAN_LAUNCHES tells these stories, as `1-1000`, which take about twenty minutes; JOURNEYMAN_LAUNCH that one alone. */
const { JOURNEYMAN_LAUNCH, JOURNEYMAN_LAUNCHES = "1-20" } = process.env;
const [first = 1, last = first] = (JOURNEYMAN_LAUNCH ?? JOURNEYMAN_LAUNCHES).split("-").map(Number);
const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("a launch among crashes, errors, and doubled and disordered messages", { timeout: 3_600_000 }, () => {
  it("leaves one instance for each claim and none without, tries nothing that is unavailable, and overdraws no bucket", async () => {
    const stories: LaunchStory[] = [];
    const wrong: string[] = [];
    for (const seed of seeds) {
      const story = await tellLaunchStory(seed);
      stories.push(story);
      wrong.push(...story.wrong.map((line) => `JOURNEYMAN_LAUNCH=${seed}: ${line}`));
    }
    const sum = (of: (story: LaunchStory) => number) => stories.reduce((total, story) => total + of(story), 0);
    const moments = new Set(stories.flatMap(({ crashes }) => crashes));
    const codes = new Set(stories.flatMap(({ errors }) => errors));
    console.info(
      `${stories.length} launches of ${sum(({ claims }) => claims)} claims, ${sum(({ crashes }) => crashes.length)} crashes at ` +
        `${moments.size} kinds of moment, ${codes.size} codes; at rest after ` +
        `${Math.round(sum(({ secondsToRest }) => secondsToRest) / stories.length)} s on average`,
    );
    expect(wrong).toEqual([]);
    if (seeds.length >= 20) expect(moments).toContain("after ec2.runInstances");
  });
});

/** Eight calls at once for an offering that is marked, for instances that nobody will own. */
function launchWildly({ loop, cluster, ec2, settings }: SimulatedWorld): void {
  const place = { instanceType: "m5.large", zone: "us-east-1c", capacityType: "spot" } as const;
  const mark = { ...place, untilAt: loop.now() + 3_600_000, times: 1, code: "InsufficientInstanceCapacity" };
  const metadata = { name: "journeyman-unavailable-offerings", namespace: settings.namespace };
  const data = { [unavailableKey(mark)]: formatUnavailable(mark) };
  cluster.server.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  const request = {
    minCount: 1 as const,
    maxCount: 1,
    instanceType: place.instanceType,
    capacityType: place.capacityType,
    imageId: "ami-1",
    subnetId: "subnet-us-east-1c",
    securityGroupIds: [],
    instanceProfile: "node",
    userData: "",
    metadataOptions: { httpEndpoint: "enabled" as const, httpPutResponseHopLimit: 1, httpTokens: "required" as const },
    blockDeviceMappings: [],
    tags: {},
  };
  loop.schedule(60_000, "wild launches", () => {
    for (let index = 0; index < 8; index++) {
      ec2.runInstances({ ...request, clientToken: `wild-${index}` }).catch(() => undefined);
    }
  });
}

describe("the watch over launches", () => {
  it("sees an offering tried while it is marked, a bucket overdrawn, and an instance without a claim", async () => {
    const { wrong } = await tellLaunchStory(2, launchWildly);
    const found = (text: string) => wrong.some((line) => line.includes(text));
    expect(found("was tried while InsufficientInstanceCapacity")).toBe(true);
    expect(found("a bucket is overdrawn")).toBe(true);
    expect(found("has no claim")).toBe(true);
  }, 60_000);
});
