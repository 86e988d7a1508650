import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conditionOf } from "../../../shared/state/conditions.ts";
import { accountWorld, addNodeClass, amazonImage } from "../../support/account-world.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

conforms(
  "B3.18 userData 17 KB -> API error at launch -> NodeClass Ready=False before launch (limit 16,384 bytes raw). [checked]",
  async () => {
    const world = accountWorld();
    const start = "#!/bin/bash\n";
    addNodeClass(world, { userData: start + "#".repeat(17 * 1_024 - start.length) });
    await world.reconcile();
    expect(conditionOf(world.nodeClass(), "ValidationSucceeded")).toMatchObject({
      reason: "UserDataSizeLimitExceeded",
    });
    expect(conditionOf(world.nodeClass(), "Ready")).toMatchObject({
      status: "False",
      message: expect.stringContaining("16384"),
    });
    expect(world.calls).not.toContain("dryRun");
  },
);

conforms(
  "B3.21 AMI selector matches arm64 only, pool amd64 -> launch fails late -> types filtered by AMI arch; NodeClass/NodePool condition. AMI deprecated/deleted mid-way -> re-resolve. [KA#3525 family]",
  async () => {
    const images = [amazonImage("ami-arm", { architecture: "arm64" })];
    const world = accountWorld({ images });
    addNodeClass(world, { amiSelectorTerms: [{ name: "image-*" }], amiFamily: "AL2023" });
    await world.reconcile({ dryRunNodeClasses: false });
    const nodeClass = world.nodeClass();
    const plan = planFor({
      catalog: catalogOf(),
      nodeClasses: [{ ...nodeClass, status: { ...nodeClass.status, subnets: [{ id: "subnet-a", zone: "a" }] } }],
      pools: [nodePool("default", { requirements: [oneOf(label.arch, "amd64")] })],
      pods: [pendingPod("web", { cpu: "1" })],
    });
    expectUnschedulable(plan, ["web"], /arch|image/);
    images.push(amazonImage("ami-x86", { createdAt: world.now() }));
    images.splice(0, 1, amazonImage("ami-arm-2", { architecture: "arm64" }));
    await world.advance(60);
    await world.reconcile({ dryRunNodeClasses: false });
    expect(world.nodeClass().status?.amis?.map(({ id }) => id)).toEqual(["ami-x86", "ami-arm-2"]);
  },
);
