import type { LoadedObject } from "../shared/api/documents.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import { podName } from "../shared/state/pod-record.ts";
import { hasEnded } from "../shared/state/pod-roles.ts";
import { defaultSettings, type Settings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { readCatalogFile } from "./catalog-file.ts";
import { asNote, badInput, type CommandResult } from "./command-result.ts";
import { loadObjects } from "./load-objects.ts";
import { readSchedulerConfigFile } from "./scheduler-config-file.ts";
import { snapshotOf } from "./world.ts";

/** Options of every command that plans for the objects of some files. */
export interface OfflineOptions {
  /** Files, directories, `-`. */
  readonly filename: readonly string[];
  readonly scale?: readonly string[];
  readonly catalog?: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly schedulerConfig?: string;
  readonly servedPodAnnotation?: string;
  readonly preferencePolicy?: Settings["preferencePolicy"];
  readonly preferenceMaxCostPercent?: number;
  readonly minValuesPolicy?: Settings["minValuesPolicy"];
  readonly spotSpreadShare?: number;
  readonly spotMinOfferings?: number;
  readonly nodeCharge?: number;
  readonly packingSlack?: number;
  readonly volumePriceFactor?: number;
}

/** A cluster read from files, with notes for a person. */
export interface OfflineWorld {
  readonly snapshot: Snapshot;
  /** Pods of the files that run no more, as `namespace/name`, and their phase. */
  readonly endedPods: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** The cluster that some files describe, or what is wrong with them. */
export async function offlineWorld(
  options: OfflineOptions,
  stdin: AsyncIterable<Buffer>,
): Promise<OfflineWorld | CommandResult> {
  const loaded = await loadObjects(options.filename, stdin);
  const catalog =
    options.catalog === undefined
      ? { catalog: embeddedCatalog(options.region), problems: [] }
      : await readCatalogFile(options.catalog);
  const scheduler = await readSchedulerConfigFile(options.schedulerConfig);
  const problems = [...loaded.problems, ...catalog.problems, ...scheduler.problems];
  if (problems.length > 0) return badInput(problems, loaded.notes);

  const { region } = catalog.catalog;
  const { defaultTopologySpread } = scheduler;
  const settings = { ...settingsOf(options, region), defaultTopologySpread };
  const world = snapshotOf(loaded.objects, { catalog: catalog.catalog, settings, scales: options.scale ?? [] });
  const notes = [...loaded.notes, ...world.notes];
  if (world.problems.length > 0) return badInput(world.problems, notes);

  const modelled = options.catalog === undefined && region !== "us-east-1" ? [modelledPrices(region)] : [];
  return { snapshot: world.snapshot, endedPods: endedPods(loaded.objects), notes: [...notes, ...modelled].map(asNote) };
}

function endedPods(loaded: readonly LoadedObject[]): OfflineWorld["endedPods"] {
  return new Map(
    loaded.flatMap(({ object }) => {
      if (object.kind !== "Pod" || !hasEnded({ phase: object.status?.phase ?? "" })) return [];
      const { name, namespace = "default" } = object.metadata;
      return [[podName({ namespace, name }), object.status?.phase ?? ""] as const];
    }),
  );
}

function settingsOf(options: OfflineOptions, region: string): Settings {
  const { kubernetesVersion, servedPodAnnotation } = options;
  return {
    ...defaultSettings,
    region,
    kubernetesVersion,
    preferencePolicy: options.preferencePolicy ?? defaultSettings.preferencePolicy,
    preferenceMaxCostPercent: options.preferenceMaxCostPercent ?? defaultSettings.preferenceMaxCostPercent,
    minValuesPolicy: options.minValuesPolicy ?? defaultSettings.minValuesPolicy,
    spotSpreadShare: options.spotSpreadShare ?? defaultSettings.spotSpreadShare,
    spotMinOfferings: options.spotMinOfferings ?? defaultSettings.spotMinOfferings,
    nodeChargeUsdPerHour: options.nodeCharge ?? defaultSettings.nodeChargeUsdPerHour,
    volumePriceFactor: options.volumePriceFactor ?? defaultSettings.volumePriceFactor,
    ...(options.packingSlack !== undefined && { nominatePods: false, packingSlackPercent: options.packingSlack }),
    ...(servedPodAnnotation === undefined ? {} : { servedPodAnnotation }),
  };
}

function modelledPrices(region: string): string {
  return `the built-in catalog has no prices of ${region}: those of us-east-1 stand in; --catalog takes real ones`;
}
