import type { Image, NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { aliasParameters, chosenImages, type ImageParameter } from "../cloud/image-selection.ts";
import { imageQueries } from "../cloud/selector-queries.ts";
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
  const parameters = await values(ports, names, known, aliasValueMilliseconds);
  let images = await imagesById(ports, parameters);
  // A release has passed over a value that is kept for a day.
  const deprecated = new Set([...images.values()].filter(({ isDeprecated }) => isDeprecated).map(({ id }) => id));
  const stale = Object.keys(known).filter((name) => deprecated.has(known[name]?.value ?? ""));
  if (stale.length === 0) return { amis: ofParameters(alias, wanted.parameters, parameters, images), parameters };
  const renewed = { ...parameters, ...(await values(ports, stale, {}, 0)) };
  images = await imagesById(ports, renewed);
  return { amis: ofParameters(alias, wanted.parameters, renewed, images), parameters: renewed };
}

async function imagesOfTerms(
  ports: NodeClassPorts,
  { amiSelectorTerms: terms }: EC2NodeClass["spec"],
  known: ParameterValues,
): Promise<ImagesFound> {
  const names = terms.flatMap(({ ssmParameter }) => ssmParameter ?? []);
  const parameters = await values(ports, names, known, customValueMilliseconds);
  const found: Image[] = [];
  for (const query of imageQueries(terms, imageIds(parameters))) found.push(...(await ports.nodeClass.images(query)));
  const distinct = [...new Map(found.map((image) => [image.id, image])).values()];
  return { amis: orMissing(chosenImages(distinct.map((image) => ({ image, requirements: [] })))), parameters };
}

/** The value of a parameter that does not exist, or names no image. */
const none = "";

/** The known values while they are young enough, all others as they are now. */
async function values(
  { nodeClass, clock }: NodeClassPorts,
  names: readonly string[],
  known: ParameterValues,
  keptMilliseconds: number,
): Promise<ParameterValues> {
  const now = clock.now();
  const found: Record<string, ParameterValues[string]> = {};
  for (const name of names) {
    const before = known[name];
    const kept = before?.value === none ? Math.min(keptMilliseconds, customValueMilliseconds) : keptMilliseconds;
    if (before !== undefined && now - before.readAt < kept) {
      found[name] = before;
      continue;
    }
    const value = await nodeClass.parameter(name);
    found[name] = { value: value?.startsWith("ami-") ? value : none, readAt: now };
  }
  return found;
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
