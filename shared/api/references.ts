import type { Documents, LoadedObject } from "./documents.ts";
import type { EC2NodeClass } from "./ec2-node-class.ts";
import type { KubernetesObject } from "./kinds.ts";
import { awsGroup } from "./labels.ts";
import type { NodeClassReference } from "./node-pool.ts";
import { gather, type Outcome, read, refused } from "./outcomes.ts";
import { knowsPriorityClass } from "./pod-priority.ts";
import type { PriorityClass } from "./policy.ts";
import { describePlace, describeValue, type Place, type Problem, problemAt } from "./problems.ts";

/**
 * Checks what objects say of one another: a NodePool's class must be among them. A class of another provider, such as EKS Auto Mode,
 * is somebody else's to serve and only noted; so is a PriorityClass that was not given. `undecoded` are classes with problems of their own.
 */
export function checkReferences(
  objects: readonly LoadedObject[],
  undecoded: Documents["undecoded"] = new Set(),
): {
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
} {
  const nodeClasses = objects.flatMap(({ object }) => (object.kind === "EC2NodeClass" ? [object] : []));
  const priorityClasses = objects.flatMap(({ object }) => (object.kind === "PriorityClass" ? [object] : []));
  const checked = gather(objects, ({ object, source }) => {
    const priority = priorityClassName(object);
    if (object.kind === "NodePool") {
      const { nodeClassRef } = object.spec.template.spec;
      if (undecoded.has(`${nodeClassRef.kind} ${nodeClassRef.name}`)) return read();
      return checkNodeClass(nodeClassRef, nodeClasses, object.metadata.name, source);
    }
    return priority === undefined ? read() : checkPriorityClass(priority, priorityClasses);
  });
  return { notes: [...new Set(checked.notes)], problems: checked.problems };
}

function checkNodeClass(
  { group, kind, name }: NodeClassReference,
  nodeClasses: readonly EC2NodeClass[],
  nodePool: string,
  source: Place,
): Outcome<never> {
  const path = ["spec", "template", "spec", "nodeClassRef"];
  if (group !== awsGroup) {
    const note = `${describePlace(source)}: NodePool ${nodePool} is left alone, as its class is a ${kind} of ${group}`;
    return { ...read(), notes: [note] };
  }
  if (kind !== "EC2NodeClass")
    return refused(problemAt(source, [...path, "kind"], describeValue(kind), '"EC2NodeClass"'));
  if (nodeClasses.some(({ metadata }) => metadata.name === name)) return read();
  const present = nodeClasses.map(({ metadata }) => JSON.stringify(metadata.name)).join(", ");
  const expected = `an EC2NodeClass among the objects read: ${present === "" ? "there is none" : present}`;
  return refused(problemAt(source, [...path, "name"], describeValue(name), expected));
}

function checkPriorityClass(name: string, priorityClasses: readonly PriorityClass[]): Outcome<never> {
  if (knowsPriorityClass(name, priorityClasses)) return read();
  return { ...read(), notes: [`PriorityClass ${name} was not read; its pods count with priority 0`] };
}

function priorityClassName(object: KubernetesObject): string | undefined {
  switch (object.kind) {
    case "Pod":
      return object.spec.priority === undefined ? object.spec.priorityClassName : undefined;
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
    case "DaemonSet":
    case "Job":
      return object.spec.template.spec.priorityClassName;
    case "CronJob":
      return object.spec.jobTemplate.spec.template.spec.priorityClassName;
    default:
      return undefined;
  }
}
