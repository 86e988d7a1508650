import type { Container } from "../../api/core.ts";
import { fits, formatResources, parseResources } from "../../scheduling/resources.ts";
import type { Edit, EditPath } from "./edit.ts";
import { type Question, refusedKeys, suitableOptions } from "./question.ts";

const target = { kind: "Pod" } as const;
/** The two containers that ask for the most are those worth a try. */
const containersTried = 2;

/** Requests lowered to what the largest suitable node has left, or dropped where no node has any. */
export function requestEdits(question: Question): readonly Edit[] {
  const { requests } = question.pod.constraints;
  return refusedKeys(question)
    .filter((resource) => resource !== "pods" && (requests[resource] ?? 0) > 0)
    .flatMap((resource) => {
      const most = mostLeft(question, resource);
      return statedAmounts(question, resource)
        .slice(0, containersTried)
        .flatMap((stated) => lowered(stated, resource, (requests[resource] ?? 0) - most, most));
    });
}

/** The most of a resource that a node has for a pod whose other requests fit; else the most that any has. */
function mostLeft(question: Question, resource: string): number {
  const { [resource]: _, ...others } = question.pod.constraints.requests;
  const options = question.pools.flatMap((pool) => suitableOptions(question, pool));
  const fitting = options.filter(({ free }) => fits(others, free));
  const amounts = (fitting.length > 0 ? fitting : options).map(({ free }) => free[resource] ?? 0);
  return Math.max(0, ...amounts);
}

interface StatedAmount {
  readonly at: EditPath;
  readonly amount: number;
  readonly resources: NonNullable<Container["resources"]>;
}

/** Where a pod's spec states a request, the largest first. */
function statedAmounts({ pod }: Question, resource: string): readonly StatedAmount[] {
  const { containers, initContainers = [], resources } = pod.constraints.spec;
  const places = [
    { at: ["spec", "resources"], resources },
    ...containers.map((container, index) => ({ at: ["spec", "containers", index, "resources"], ...container })),
    ...initContainers.map((container, index) => ({ at: ["spec", "initContainers", index, "resources"], ...container })),
  ];
  return places
    .flatMap(({ at, resources: stated }) => {
      if (stated === undefined) return [];
      const amount = parseResources({ ...stated.limits, ...stated.requests })[resource] ?? 0;
      return amount > 0 ? [{ at, amount, resources: stated }] : [];
    })
    .sort((a, b) => b.amount - a.amount);
}

function lowered({ at, amount, resources }: StatedAmount, resource: string, excess: number, most: number) {
  const to = most > 0 ? rounded(resource, amount - excess) : 0;
  if (most > 0 && to <= 0) return [];
  const text = to === 0 ? undefined : formatResources({ [resource]: to })[resource];
  const size = to === 0 ? "drop" : "shrink";
  const stating = (["requests", "limits"] as const).filter((list) => resources[list]?.[resource] !== undefined);
  const [list, another] = stating;
  if (list === undefined) return [];
  // Of devices, requests and limits must be equal; of the others a limit may stay above.
  if (another === undefined || isOvercommittable(resource)) {
    return [edit([...at, list, resource], resources[list]?.[resource], text, size)];
  }
  const both = Object.fromEntries(
    Object.entries(resources).map(([name, amounts]) => [name, withAmount(amounts ?? {}, resource, text)]),
  );
  return [edit(at, resources, both, size)];
}

function edit(at: EditPath, from: unknown, to: unknown, size: Edit["size"]): Edit {
  return { target, at, from, size, ...(to === undefined ? {} : { to }) };
}

function withAmount(amounts: Readonly<Record<string, string>>, resource: string, text: string | undefined) {
  const { [resource]: _, ...others } = amounts;
  return text === undefined ? others : { ...others, [resource]: text };
}

function isOvercommittable(resource: string): boolean {
  return resource === "cpu" || resource === "memory" || resource === "ephemeral-storage";
}

/** Down to what a person would write: whole mebibytes, hundredths of a CPU. */
function rounded(resource: string, amount: number): number {
  const unit = resource === "cpu" ? 10 : isOvercommittable(resource) ? 2 ** 20 : 1;
  return amount > unit ? Math.floor(amount / unit) * unit : amount;
}
