import * as z from "zod";
import type { Container, PodSpec, PodTemplate } from "./core.ts";
import { objectMeta, type ResourceList, resourceList } from "./schema.ts";

/** core/v1 LimitRange. Only what it adds to containers is looked at; what it forbids is the API server's to refuse. */
export const limitRange = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("LimitRange"),
  metadata: objectMeta,
  spec: z.object({
    limits: z.array(
      z.object({
        type: z.string(),
        default: resourceList.exactOptional(),
        defaultRequest: resourceList.exactOptional(),
        min: resourceList.exactOptional(),
        max: resourceList.exactOptional(),
      }),
    ),
  }),
});
export type LimitRange = z.infer<typeof limitRange>;

/** The LimitRanges of one namespace; objects without a namespace are of `default`. */
export function limitRangesOf(namespace: string, limitRanges: readonly LimitRange[]): readonly LimitRange[] {
  return limitRanges.filter(({ metadata }) => (metadata.namespace ?? "default") === namespace);
}

/**
 * A pod's spec as the API server would keep it in a namespace with these LimitRanges (kubernetes LimitRanger admission): a request
 * falls back to the container's own limit, then to the default request; a limit to the default limit.
 */
export function withLimitRanges<S extends PodSpec>(spec: S, limitRanges: readonly LimitRange[]): S {
  const defaults = limitRanges.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).flatMap(defaultsOf);
  if (defaults.length === 0) return spec;
  const filled = (container: Container) => defaults.reduce(withDefaults, withLimitsAsRequests(container));
  return {
    ...spec,
    containers: spec.containers.map(filled),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(filled) }),
  };
}

/** The same for an object that makes pods of a template in its own namespace. */
export function withTemplateLimits<
  O extends { readonly metadata: { readonly namespace?: string }; readonly spec: { readonly template: PodTemplate } },
>(object: O, limitRanges: readonly LimitRange[]): O {
  const ranges = limitRangesOf(object.metadata.namespace ?? "default", limitRanges);
  if (ranges.length === 0) return object;
  const { template } = object.spec;
  return {
    ...object,
    spec: { ...object.spec, template: { ...template, spec: withLimitRanges(template.spec, ranges) } },
  };
}

interface Defaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

/** With what the API server fills in when a LimitRange is written: max for default, default or min for defaultRequest. */
function defaultsOf({ spec }: LimitRange): readonly Defaults[] {
  return spec.limits
    .filter(({ type }) => type === "Container")
    .map((item) => {
      const limits = { ...item.max, ...item.default };
      return { limits, requests: { ...item.min, ...limits, ...item.defaultRequest } };
    });
}

function withLimitsAsRequests(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  return limits === undefined
    ? container
    : { ...container, resources: { limits, requests: { ...limits, ...requests } } };
}

function withDefaults(container: Container, { limits, requests }: Defaults): Container {
  const { resources = {} } = container;
  return {
    ...container,
    resources: { limits: { ...limits, ...resources.limits }, requests: { ...requests, ...resources.requests } },
  };
}
