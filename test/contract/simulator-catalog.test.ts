import { SimulatedCatalogPort } from "../../shared/simulator/catalog-port.ts";
import { placementScores, simulatedAccount, smallCatalog } from "../support/simulated-account.ts";
import { simulatedEc2 } from "../support/simulated-aws.ts";
import { catalogPortContract } from "./catalog-port.ts";

catalogPortContract("the simulated region", () => {
  const { ec2, loop, settle, advance } = simulatedEc2();
  const account = simulatedAccount();
  const catalog = smallCatalog();
  const scores = placementScores(ec2, account);
  return {
    port: new SimulatedCatalogPort({ ec2, catalog, zones: account.zones, scores, now: () => loop.now() }),
    settle,
    advance: async (milliseconds) => void (await advance(milliseconds)),
    catalog,
    zones: account.zones,
    setSpotRoom: (zone, instances) => {
      for (const { name } of catalog.types)
        ec2.setCapacity({ instanceType: name, zone, capacityType: "spot" }, instances);
    },
    failNext: (api, code) => ec2.faults.failNext(api, code),
  };
});
