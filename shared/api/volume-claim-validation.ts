import { type Fault, fault } from "./rules.ts";
import type { PersistentVolumeClaim } from "./volume-claims.ts";

const accessModes: readonly string[] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/** What an API server would refuse of a claim's spec, with paths from the spec. */
export function claimFaults({ accessModes: modes = [] }: PersistentVolumeClaim["spec"]): readonly Fault[] {
  return modes.flatMap((mode, index) =>
    fault(["accessModes", index], accessModes.includes(mode) ? undefined : `one of ${accessModes.join(", ")}`),
  );
}
