import { type Pod, pod } from "../../api/core.ts";
import { decode } from "./decoding.ts";
import { isEqual } from "./is-equal.ts";
import { PodParts } from "./pod-parts.ts";

const { spec: specSchema } = pod.shape;

/**
 * Decodes many pods in little memory: pods that one controller made from one template share one decoded template, and strings that repeat
 * are kept once. Only what a template does not decide is decoded for each pod. A pod is its template's when what the schema takes from
 * its spec is equal, whatever its owner says of it; else it is decoded by itself and is the template of the next.
 */
export class PodReader {
  readonly #templates = new Map<string, Template[]>();
  readonly #parts = new PodParts();

  /** @throws ProviderError that names the pod and every problem. */
  decode(body: object): Pod {
    const raw: Raw = body;
    const owner = ownerOf(raw);
    const known = this.#templates.get(owner);
    const source = templateSource(raw.spec);
    const template = known?.find((each) => isEqual(each.source, source));
    if (template === undefined) return this.#learn(decode("Pod", body), source, owner, known ?? []);
    const fast = this.#usual(raw, template);
    if (fast !== undefined) return fast;
    const decoded = decode("Pod", body);
    const { nodeName, volumes, affinity } = decoded.spec;
    const perPod = {
      ...(nodeName !== undefined && { nodeName }),
      ...(volumes !== undefined && { volumes }),
      ...(affinity !== undefined && { affinity }),
    };
    return this.#compact({ ...decoded, spec: { ...template.pod.spec, ...perPod } }, template);
  }

  /** What nearly every pod of a template is. */
  #usual(raw: Raw, template: Template): Pod | undefined {
    const metadata = this.#parts.metadata(raw.metadata, template.pod.metadata);
    const status = metadata && this.#parts.status(raw.status);
    const { nodeName, affinity, volumes } = fields(raw.spec, perPodKeys);
    if (metadata === undefined || status === undefined || typeof nodeName !== "string") return undefined;
    const perPod = { nodeName: this.#parts.shared(nodeName) };
    if (isEqual(affinity, template.affinity) && isWithoutDisks(volumes)) {
      const spec = { ...template.pod.spec, ...perPod, ...(template.affinity && { affinity: template.affinity }) };
      return { apiVersion: "v1", kind: "Pod", metadata, spec, status };
    }
    const parsed = perPodSchema.safeParse(raw.spec);
    if (!parsed.success) return undefined;
    const spec = { ...template.pod.spec, ...parsed.data, ...perPod };
    return this.#compact({ apiVersion: "v1", kind: "Pod", metadata, spec, status }, template);
  }

  #learn(decoded: Pod, source: unknown, owner: string, known: readonly Template[]): Pod {
    const { nodeName: _node, volumes: _volumes, affinity: _affinity, ...spec } = decoded.spec;
    const { affinity } = decoded.spec;
    const template = { source, affinity, pod: { ...decoded, spec } };
    if (this.#templates.size >= mostOwners) this.#templates.clear();
    this.#templates.set(owner, [template, ...known].slice(0, templatesPerOwner));
    return this.#compact(decoded, template);
  }

  #compact({ metadata, spec, status, ...rest }: Pod, template: Template): Pod {
    const { labels, annotations, ownerReferences, namespace } = metadata;
    const like = template.pod.metadata;
    const volumes = spec.volumes?.filter((volume) => Object.keys(volume).length > 1);
    const { nodeName, volumes: _volumes, affinity, ...common } = spec;
    return {
      ...rest,
      metadata: {
        ...metadata,
        ...(namespace !== undefined && { namespace: this.#parts.shared(namespace) }),
        ...(labels !== undefined && { labels: same(labels, like.labels) }),
        ...(annotations !== undefined && { annotations: same(annotations, like.annotations) }),
        ...(ownerReferences !== undefined && { ownerReferences: same(ownerReferences, like.ownerReferences) }),
      },
      spec: {
        ...common,
        ...(nodeName !== undefined && { nodeName: this.#parts.shared(nodeName) }),
        ...(volumes !== undefined && volumes.length > 0 && { volumes }),
        ...(affinity !== undefined && { affinity: same(affinity, template.affinity) }),
      },
      ...(status !== undefined && { status: this.#status(status) }),
    };
  }

  #status(status: NonNullable<Pod["status"]>): NonNullable<Pod["status"]> {
    const { conditions, phase } = status;
    return {
      ...status,
      ...(phase !== undefined && { phase: this.#parts.shared(phase) }),
      ...(conditions !== undefined && {
        conditions: conditions.map(({ type, reason, message, ...condition }) => ({
          ...condition,
          type: this.#parts.shared(type),
          ...(reason !== undefined && { reason: this.#parts.shared(reason) }),
          ...(message !== undefined && { message: this.#parts.shared(message) }),
        })),
      }),
    };
  }
}

/** A rolled out workload has two templates at a time, and pods that were resized in place have more. */
const templatesPerOwner = 4;
/** A process lives for hours, workloads come and go. What was decoded keeps what it shares. */
const mostOwners = 20_000;

interface Template {
  readonly source: unknown;
  readonly affinity: Pod["spec"]["affinity"];
  readonly pod: Pod;
}

/** The affinity too: the DaemonSet controller writes the node's name into it. */
const perPodSchema = specSchema.pick({ nodeName: true, volumes: true, affinity: true });

const perPodKeys = Object.keys(perPodSchema.shape);

/** What makes a volume matter, by the name of its source. */
const diskKeys = Object.keys(specSchema.shape.volumes.unwrap().element.shape).filter((key) => key !== "name");

/** Volumes of which only the name is known are left out. */
function isWithoutDisks(volumes: unknown): boolean {
  if (volumes === undefined) return true;
  return (
    Array.isArray(volumes) &&
    volumes.every(
      ({ name, ...source }) => typeof name === "string" && Object.keys(fields(source, diskKeys)).length === 0,
    )
  );
}

/** What of a spec is decoded, but for what differs from pod to pod, as it came. */
function templateSource(spec: unknown): Readonly<Record<string, unknown>> {
  const { containers, initContainers, ...others } = fields(spec, templateKeys);
  return { ...others, containers: each(containers), initContainers: each(initContainers) };
}

const templateKeys = Object.keys(specSchema.shape).filter((key) => !(key in perPodSchema.shape));
const containerKeys = Object.keys(specSchema.shape.containers.element.shape);

function each(containers: unknown): unknown {
  return Array.isArray(containers) ? containers.map((container) => fields(container, containerKeys)) : containers;
}

function fields(value: unknown, keys: readonly string[]): Record<string, unknown> {
  const record: Readonly<Record<string, unknown>> = Object(value);
  const found: Record<string, unknown> = {};
  for (const key of keys) if (record[key] !== undefined) found[key] = record[key];
  return found;
}

interface Raw {
  readonly metadata?: unknown;
  readonly spec?: unknown;
  readonly status?: unknown;
}

function ownerOf({ metadata }: Raw): string {
  const { ownerReferences } = fields(metadata, ["ownerReferences"]);
  const [first] = Array.isArray(ownerReferences) ? ownerReferences : [];
  return String(fields(first, ["uid"]).uid ?? "");
}

function same<T>(value: T, like: T | undefined): T {
  return isEqual(value, like) && like !== undefined ? like : value;
}
