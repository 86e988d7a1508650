import { expect } from "vitest";
import type { Taint } from "../../../shared/api/schema.ts";
import { formatHostPort, type HostPort, hostPortConflict } from "../../../shared/scheduling/host-ports.ts";
import { isEphemeral } from "../../../shared/state/cluster-nodes.ts";
import { conforms } from "../../support/conformance.ts";

conforms(
  "taint.ephemeral | exact entry; readiness.k8s.io prefix; any effect; unrelated; prefix mid-key; nil (x6) | true, true, true, false, false, false",
  () => {
    const taint = (key: string, effect: Taint["effect"] = "NoSchedule"): Taint => ({ key, effect });
    expect(isEphemeral(taint("node.kubernetes.io/not-ready", "NoExecute"))).toBe(true);
    expect(isEphemeral(taint("node.cloudprovider.kubernetes.io/uninitialized"))).toBe(true);
    expect(isEphemeral(taint("readiness.k8s.io/storage"))).toBe(true);
    for (const effect of ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const) {
      expect(isEphemeral(taint("readiness.k8s.io/network", effect))).toBe(true);
    }
    expect(isEphemeral(taint("example.com/dedicated"))).toBe(false);
    expect(isEphemeral(taint("example.com/readiness.k8s.io/x"))).toBe(false);
    expect([].some(isEphemeral)).toBe(false);
  },
);

conforms(
  "port | string form; identical; unspecified IPv4/IPv6 vs any; protocol differs; port differs (x5) | match rules",
  () => {
    const port: HostPort = { ip: "10.0.0.1", port: 4443, protocol: "TCP" };
    const conflicts = (a: Partial<HostPort>, b: Partial<HostPort>) =>
      hostPortConflict([{ ...port, ...a }], [{ ...port, ...b }]) !== undefined;
    expect(formatHostPort(port)).toBe("10.0.0.1:4443/TCP");
    expect(conflicts({}, {})).toBe(true);
    expect(conflicts({}, { ip: "10.0.0.2" })).toBe(false);
    for (const ip of ["0.0.0.0", "::"]) {
      expect(conflicts({ ip }, {})).toBe(true);
      expect(conflicts({}, { ip })).toBe(true);
      expect(conflicts({ ip }, { ip: "0.0.0.0" })).toBe(true);
    }
    expect(conflicts({}, { protocol: "UDP" })).toBe(false);
    expect(conflicts({ ip: "0.0.0.0" }, { protocol: "UDP" })).toBe(false);
    expect(conflicts({}, { port: 443 })).toBe(false);
  },
);
