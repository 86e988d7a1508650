import { expect, it } from "vitest";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { replicaSetNamed, statefulSetNamed } from "../support/cluster-objects.ts";
import { controllerWorld } from "../support/controller-world.ts";
import { replicationControllerNamed, serviceNamed, spreadByDefault } from "../support/selector-sources.ts";

it("a snapshot tells whose pods belong together, where there is a default topology spread, and else asks for none of it", async () => {
  const { server, ports, settings } = controllerWorld();
  server.create("Service", serviceNamed("web", { app: "web" }));
  server.create("ReplicaSet", replicaSetNamed("web"));
  server.create("StatefulSet", statefulSetNamed("db"));
  server.create("ReplicationController", replicationControllerNamed("old", { app: "old" }));

  expect((await readSnapshot(ports, settings)).selectorSources).toBeUndefined();

  const withDefaults = { ...settings, ...spreadByDefault("kubernetes.io/hostname").settings };
  const { services, owners } = (await readSnapshot(ports, withDefaults)).selectorSources ?? {};
  expect(services?.map(({ metadata }) => metadata.name)).toEqual(["web"]);
  expect(owners?.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "ReplicaSet web",
    "ReplicationController old",
    "StatefulSet db",
  ]);
});
