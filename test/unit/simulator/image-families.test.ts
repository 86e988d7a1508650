import { describe, expect, it } from "vitest";
import { SimulatedWorld } from "../../../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../../../shared/state/settings.ts";
import { deploymentNamed } from "../../support/cluster-objects.ts";
import { startAt } from "../../support/controller-world.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { apply, secondsToRest } from "../../support/whole-stack.ts";

describe("nodes of a family of images", () => {
  it.each(["al2023@latest", "al2@latest", "bottlerocket@latest", "windows2022@latest"])(
    "%s register with their labels and run their pods, told by their user data alone",
    async (alias) => {
      // The last version that AL2 has images for.
      const settings = { ...defaultSettings, kubernetesVersion: "1.32" };
      const world = new SimulatedWorld({ seed: 1, settings, startAt });
      const pool = nodePool("default", {
        labels: { team: "a" },
        requirements: [
          oneOf("node.kubernetes.io/instance-type", "m5.xlarge"),
          oneOf("karpenter.sh/capacity-type", "on-demand"),
        ],
      });
      apply(world, [
        nodeClass({ amiSelectorTerms: [{ alias }] }),
        pool,
        deploymentNamed("web", { replicas: 2, cpu: "1" }),
      ]);
      expect(await secondsToRest(world, { pods: 2, claims: 1 }, 300)).toBeLessThan(300);
      const { server } = world.cluster;
      expect(server.list("Node")).toMatchObject([
        { metadata: { labels: { team: "a", "karpenter.sh/registered": "true" } } },
      ]);
    },
  );
});
