import * as z from "zod";
import { formatTime } from "../api/time.ts";
import { storedJson, storedTime } from "../cloud/stored-facts.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key for each EC2NodeClass: what Karpenter's status has no field for (docs/decisions/0010-what-a-class-status-cannot-hold.md). */
const factMapName = "journeyman-node-classes";

const validation = z.object({
  /** Of all that the outcome depends on. */
  hash: z.string(),
  checkedAt: storedTime,
  status: z.enum(["True", "False"]),
  reason: z.string(),
  message: z.string(),
});

const classMemory = z.object({
  /** Free addresses by subnet id. */
  subnetAddresses: z.record(z.string(), z.number()).default({}),
  subnetsReadAt: storedTime.exactOptional(),
  /** Places left by reservation id. */
  reservationPlaces: z.record(z.string(), z.number()).default({}),
  validation: validation.exactOptional(),
  /** Values of SSM parameters by name. */
  parameters: z.record(z.string(), z.object({ value: z.string(), readAt: storedTime })).default({}),
  /** The last look at the instance profile that found its role in it. */
  instanceProfile: z.object({ name: z.string(), role: z.string(), checkedAt: storedTime }).exactOptional(),
});
export type ClassMemory = z.infer<typeof classMemory>;

export const noMemory: ClassMemory = { subnetAddresses: {}, reservationPlaces: {}, parameters: {} };

/** What is remembered of each class, by name; what cannot be read is forgotten. */
export async function readClassMemories(ports: Ports, settings: Settings): Promise<ReadonlyMap<string, ClassMemory>> {
  const stored = await readFacts(ports, settings, factMapName);
  const schema = storedJson(classMemory);
  return new Map(
    Object.entries(stored).flatMap(([name, text]) => {
      const parsed = schema.safeParse(text);
      return parsed.success ? [[name, parsed.data] as const] : [];
    }),
  );
}

/** Writes what has changed in one patch; null forgets a class. */
export async function writeClassMemories(
  ports: Ports,
  settings: Settings,
  changes: ReadonlyMap<string, ClassMemory | null>,
): Promise<void> {
  const entries = [...changes].map(([name, memory]) => [name, memory === null ? null : formatMemory(memory)]);
  await patchFacts(ports, settings, factMapName, Object.fromEntries(entries));
}

/** Times as people read them. */
export function formatMemory(memory: ClassMemory): string {
  const isTimeField = (key: string) => /At$/.test(key);
  return JSON.stringify(memory, (key, value: unknown) =>
    isTimeField(key) && typeof value === "number" ? formatTime(value) : value,
  );
}
