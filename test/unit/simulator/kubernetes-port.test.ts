import { describe, expect, it } from "vitest";
import { ProviderError } from "../../../shared/ports.ts";
import { SimulatedKubernetes } from "../../../shared/simulator/kubernetes-port.ts";
import { podNamed } from "../../support/cluster-objects.ts";
import { apiServerAlone } from "../../support/simulated-cluster.ts";

const timeout = new ProviderError("Unknown", "Timeout", "timed out");
const web = { namespace: "default", name: "web" };

describe("SimulatedKubernetes", () => {
  it("counts calls by verb and kind, failed ones too", async () => {
    const { server } = apiServerAlone();
    const port = new SimulatedKubernetes(server, "journeyman");
    await port.create("Pod", podNamed("web"));
    await expect(port.create("Pod", podNamed("web"))).rejects.toThrow("already exists");
    await port.patch("Pod", web, { status: { phase: "Failed" } }, { subresource: "status" });
    expect(Object.fromEntries(port.calls)).toEqual({ "create Pod": 2, "patch-status Pod": 1 });
  });

  it("fails before the API server has done anything, or after", async () => {
    const { server } = apiServerAlone();
    const fail = (): never => {
      throw timeout;
    };
    const before = new SimulatedKubernetes(server, "journeyman", { beforeCall: fail });
    await expect(before.create("Pod", podNamed("web"))).rejects.toBe(timeout);
    expect(server.get("Pod", web)).toBeUndefined();
    const after = new SimulatedKubernetes(server, "journeyman", { afterCall: fail });
    await expect(after.create("Pod", podNamed("web"))).rejects.toBe(timeout);
    expect(server.get("Pod", web)).toBeDefined();
  });

  it("tells admission who it is", async () => {
    const { server } = apiServerAlone();
    const users: string[] = [];
    server.addWebhook({
      name: "pods",
      kind: "Pod",
      operations: ["CREATE", "DELETE"],
      call: ({ request }) => users.push(`${request.operation} ${request.userInfo.username}`),
    });
    const port = new SimulatedKubernetes(server, "journeyman");
    await port.create("Pod", podNamed("web"));
    await port.delete("Pod", web);
    expect(users).toEqual(["CREATE journeyman", "DELETE journeyman"]);
  });
});
