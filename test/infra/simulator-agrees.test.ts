import { describe, expect, it } from "vitest";
import { functionTimeouts } from "../../shared/simulator/simulated-functions.ts";
import { account, catalogRule, eventRules, queueSettings } from "../../shared/simulator/simulated-queues.ts";
import { exampleCluster, referenced, synthesize } from "../support/stack.ts";

const { resources, resource } = synthesize({ ...exampleCluster, account });

describe("the simulator has what the stack has", () => {
  it.each(Object.entries(functionTimeouts))("the timeout of %s, %d s", (name, timeoutSeconds) => {
    expect(resource("AWS::Lambda::Function", `${name.replaceAll("-", "")}Function`).Timeout).toBe(timeoutSeconds);
  });

  it.each(Object.entries(queueSettings))("visibility, tries and kind of the %s queue", (name, settings) => {
    const queue = resource("AWS::SQS::Queue", `${name}queueQueue`);
    expect({
      visibilityTimeoutSeconds: queue.VisibilityTimeout,
      maxReceiveCount: queue.RedrivePolicy.maxReceiveCount,
      fifo: queue.FifoQueue ?? false,
    }).toEqual(settings);
  });

  it("the same rules on the same buses into the same queues", () => {
    const queueOf = (target: string) =>
      Object.keys(queueSettings).find((name) => target.startsWith(`${name}queueQueue`));
    const deployed = deployedRules.filter(({ target }) => !target.startsWith("catalogFunction"));
    expect(sorted(deployed.map(({ bus, target, pattern }) => ({ bus, queue: queueOf(target), pattern })))).toEqual(
      sorted(eventRules),
    );
  });

  it("the same rule that invokes the catalog function", () => {
    const invoking = deployedRules.filter(({ target }) => target.startsWith("catalogFunction"));
    expect(invoking).toEqual([{ bus: "cluster", target: expect.any(String), pattern: catalogRule }]);
  });
});

const deployedRules = resources("AWS::Events::Rule").flatMap(([, { EventBusName, EventPattern, Targets }]) =>
  Targets.map(({ Arn }: { Arn: object }) => ({
    bus: EventBusName === undefined ? "default" : "cluster",
    target: referenced(Arn),
    pattern: EventPattern,
  })),
) as readonly { readonly bus: string; readonly target: string; readonly pattern: unknown }[];

function sorted(rules: readonly unknown[]): readonly string[] {
  return rules.map((rule) => JSON.stringify(rule, Object.keys(flattened(rule)).sort())).sort();
}

/** All keys at any depth: `JSON.stringify` takes them as the order to write in. */
function flattened(value: unknown): Readonly<Record<string, true>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.assign({}, ...Object.entries(value).map(([key, child]) => ({ [key]: true, ...flattened(child) })));
}
