import type { Image, NodeClassPorts } from "../account-ports.ts";
import { parseAmiAlias } from "../api/ami-alias.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { aliasParameters, chosenImages, type ImageParameter } from "../cloud/image-selection.ts";
import { imageQueries } from "../cloud/selector-queries.ts";
import { ProviderError } from "../ports.ts";
import type { NodeClassFindings } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import type { ClassMemory } from "./node-class-memory.ts";

type ParameterValues = ClassMemory["parameters"];

export interface ImagesFound {
  readonly amis: NodeClassFindings["amis"];
  readonly parameters: ParameterValues;
}

/** A day for Amazon's own parameters, which a release changes rarely; minutes for a person's (karpenter-aws §1.2). */
const [aliasValueMilliseconds, customValueMilliseconds] = [24 * 3_600_000, 5 * 60_000];

/** The images that a class selects. An alias is looked up by parameters, all other terms by one search for ids and one for each of the rest. */
export async function findImages(
  ports: NodeClassPorts,
  { kubernetesVersion }: Settings,
  { spec }: EC2NodeClass,
  known: ParameterValues,
): Promise<ImagesFound> {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  if (alias === undefined) return await imagesOfTerms(ports, spec, known);
  const wanted = aliasParameters(alias, kubernetesVersion);
  if (wanted.kind === "unsupported") {
    const amis = { kind: "missing", reason: "UnsupportedAlias", message: wanted.message } as const;
    return { amis, parameters: {} };
  }
  const names = [...new Set(wanted.parameters.map(({ name }) => name))];
  const { parameters, refusal } = await values(ports, names, known, aliasValueMilliseconds);
  if (refusal !== undefined && Object.keys(parameters).length === 0) throw refusal;
  const found = { parameters, images: await imagesById(ports, parameters) };
  const { parameters: latest, images } = isLatest(alias) ? await withoutOutdated(ports, found) : found;
  return { amis: ofParameters(alias, wanted.parameters, latest, images), parameters: latest };
}

interface ParameterImages {
  readonly parameters: ParameterValues;
  /** By id. */
  readonly images: ReadonlyMap<string, Image>;
}

/** What a release has passed over, though its parameter's value is kept for a day, is read again. */
async function withoutOutdated(ports: NodeClassPorts, found: ParameterImages): Promise<ParameterImages> {
  const isOutdated = (value: string) => value !== none && found.images.get(value)?.isDeprecated !== false;
  const stale = Object.entries(found.parameters).flatMap(([name, { value }]) => (isOutdated(value) ? [name] : []));
  const read = await values(ports, stale, found.parameters, customValueMilliseconds);
  const parameters = { ...found.parameters, ...read.parameters };
  const isNew = stale.some((name) => parameters[name]?.value !== found.parameters[name]?.value);
  return { parameters, images: isNew ? await imagesById(ports, parameters) : found.images };
}

/** An alias that names its version has no newer image. */
function isLatest(alias: string): boolean {
  return parseAmiAlias(alias)?.version === "latest";
}

async function imagesOfTerms(
  ports: NodeClassPorts,
  { amiSelectorTerms: terms }: EC2NodeClass["spec"],
  known: ParameterValues,
): Promise<ImagesFound> {
  const names = terms.flatMap(({ ssmParameter }) => ssmParameter ?? []);
  const { parameters, refusal } = await values(ports, names, known, customValueMilliseconds);
  const found: Image[] = [];
  for (const query of imageQueries(terms, imageIds(parameters))) found.push(...(await ports.nodeClass.images(query)));
  if (refusal !== undefined && found.length === 0) throw refusal;
  const distinct = [...new Map(found.map((image) => [image.id, image])).values()];
  return { amis: orMissing(chosenImages(distinct.map((image) => ({ image, requirements: [] })))), parameters };
}

/** The value of a parameter that does not exist, or names no image. */
const none = "";

interface ParametersRead {
  readonly parameters: ParameterValues;
  /** Why the first of those that are missing could not be read. */
  readonly refusal?: ProviderError;
}

/**
 * The known values while they are young enough, all others as they are now. One that may not be read is left out (karpenter-aws §1.2);
 * one that could not be read this time fails the look: its image must not be missing from the class because of that.
 */
async function values(
  ports: NodeClassPorts,
  names: readonly string[],
  known: ParameterValues,
  keptMilliseconds: number,
): Promise<ParametersRead> {
  const now = ports.clock.now();
  const parameters: Record<string, ParameterValues[string]> = {};
  let refusal: ProviderError | undefined;
  for (const name of names) {
    const before = known[name];
    const kept = before?.value === none ? Math.min(keptMilliseconds, customValueMilliseconds) : keptMilliseconds;
    if (before !== undefined && now - before.readAt < kept) {
      parameters[name] = before;
      continue;
    }
    try {
      const value = await ports.nodeClass.parameter(name);
      parameters[name] = { value: value?.startsWith("ami-") ? value : none, readAt: now };
    } catch (error) {
      if (!(error instanceof ProviderError) || !isRefusal(error)) throw error;
      ports.telemetry.log("warn", "left out an SSM parameter that may not be read", { error });
      refusal ??= error;
    }
  }
  return { parameters, ...(refusal && { refusal }) };
}

function isRefusal({ kind }: ProviderError): boolean {
  return kind === "Denied" || kind === "Invalid";
}

function imageIds(parameters: ParameterValues): readonly string[] {
  return [...new Set(Object.values(parameters).map(({ value }) => value))].filter((value) => value !== none);
}

async function imagesById(
  { nodeClass }: NodeClassPorts,
  parameters: ParameterValues,
): Promise<ReadonlyMap<string, Image>> {
  const ids = imageIds(parameters);
  if (ids.length === 0) return new Map();
  const found = await nodeClass.images({ filters: [{ name: "image-id", values: ids }] });
  return new Map(found.map((image) => [image.id, image]));
}

function ofParameters(
  alias: string,
  wanted: readonly ImageParameter[],
  parameters: ParameterValues,
  images: ReadonlyMap<string, Image>,
): NodeClassFindings["amis"] {
  const found = wanted.flatMap(({ name, requirements }) => {
    const image = images.get(parameters[name]?.value ?? "");
    return image === undefined ? [] : [{ image, requirements }];
  });
  return orMissing(chosenImages(found), ` for ${alias}; looked up were ${wanted.map(({ name }) => name).join(", ")}`);
}

function orMissing(found: ReturnType<typeof chosenImages>, where = ""): NodeClassFindings["amis"] {
  if (found.length > 0) return { kind: "found", value: found };
  return { kind: "missing", reason: "AMINotFound", message: `amiSelectorTerms found no image${where}` };
}
