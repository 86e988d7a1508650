import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { functionEnvironment } from "../support/function-environment.ts";
import { wireCloud } from "../support/simulated-account.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";

const compose = fileURLToPath(new URL("../../shared/runtime/compose.ts", import.meta.url));

/** The runtime of a function, in a process of its own: the clients read the environment and are kept for good. */
const program = `
  const { liveRuntime } = await import(${JSON.stringify(compose)});
  const { ec2, cluster } = liveRuntime().ports({ requestId: "r", remainingMilliseconds: () => 60_000 });
  const found = { instances: await ec2.describeInstances({ by: "cluster" }), cluster: await cluster.describe() };
  console.log(JSON.stringify(found));
`;

describe("a function's clients", () => {
  it("go where AWS_ENDPOINT_URL_EC2 and AWS_ENDPOINT_URL_EKS send them", async () => {
    const { ec2, loop } = simulatedEc2();
    const time = new DrivenTime(loop);
    const tags = {
      "karpenter.sh/nodepool": "default",
      "karpenter.k8s.aws/ec2nodeclass": "default",
      "eks:eks-cluster-name": "shop",
    };
    const [launched] = await time.settle(() => ec2.runInstances(runRequest({ tags })));
    await time.sleep(10_000);
    const endpoint = "https://shop.example";
    const cluster = {
      name: "shop",
      endpoint,
      certificateAuthority: { data: "Y2E=" },
      kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16" },
    };
    const cloud = wireCloud(ec2, { now: () => loop.now(), clusters: new Map([["shop", cluster]]) });
    await using server = await awsServer(cloud, (work) => time.settle(work));

    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      env: { ...functionEnvironment, ...server.environment },
    });

    expect(JSON.parse(stdout)).toMatchObject({
      instances: [{ instanceId: launched?.instanceId }],
      cluster: { endpoint },
    });
    expect(server.actions()).toEqual(["DescribeInstances", "GET /clusters/shop"]);
  });
});
