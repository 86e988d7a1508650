import { describe, expect, it } from "vitest";
import {
  formatHostPort,
  type HostPort,
  hostPortConflict,
  hostPorts,
  parseHostPort,
} from "../../../shared/scheduling/host-ports.ts";

const port = (text: string): HostPort => parseHostPort(text);

describe("hostPorts", () => {
  it("reads ports with the API server's defaults and skips ports that are not the node's", () => {
    const ports = [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }, { hostPort: 0 }];
    expect(hostPorts({ containers: [{ ports }] })).toEqual([{ ip: "0.0.0.0", port: 8080, protocol: "TCP" }]);
  });

  it("takes every container port for the node's own when the pod is in the node's network", () => {
    const ports = [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: "UDP" }];
    const spec = { containers: [{ ports }], hostNetwork: true };
    expect(hostPorts(spec).map(formatHostPort)).toEqual(["0.0.0.0:80/TCP", "0.0.0.0:53/UDP"]);
  });

  it("counts sidecars, which run beside the containers, but not plain init containers", () => {
    const initContainers = [
      { restartPolicy: "Always", ports: [{ hostPort: 1, protocol: "UDP", hostIP: "10.0.0.1" }] },
      { ports: [{ hostPort: 2 }] },
    ];
    expect(hostPorts({ containers: [], initContainers }).map(formatHostPort)).toEqual(["10.0.0.1:1/UDP"]);
  });
});

describe("hostPortConflict", () => {
  it.each([
    ["the same port", "10.0.0.1:80/TCP", "10.0.0.1:80/TCP", true],
    ["another address", "10.0.0.1:80/TCP", "10.0.0.2:80/TCP", false],
    ["every IPv4 address, used", "0.0.0.0:80/TCP", "10.0.0.2:80/TCP", true],
    ["every IPv4 address, wanted", "10.0.0.2:80/TCP", "0.0.0.0:80/TCP", true],
    ["every IPv6 address", "[::]:80/TCP", "10.0.0.2:80/TCP", true],
    ["another protocol", "0.0.0.0:80/TCP", "0.0.0.0:80/UDP", false],
    ["another port", "0.0.0.0:80/TCP", "0.0.0.0:81/TCP", false],
  ])("judges %s", (_title, used, wanted, conflicts) => {
    expect(hostPortConflict([port(used)], [port(wanted)])).toEqual(conflicts ? port(wanted) : undefined);
  });
});

describe("host ports as text", () => {
  it("come back as they were, IPv6 included", () => {
    for (const text of ["0.0.0.0:8080/TCP", "[fe80::1]:53/UDP"]) {
      expect(formatHostPort(parseHostPort(text))).toBe(text);
    }
  });

  it.each(["8080", "0.0.0.0:/TCP", "0.0.0.0:80", "::1:80/TCP"])("are refused when they are %j", (text) => {
    expect(() => parseHostPort(text)).toThrow(`"${text}" is not a host port`);
  });
});
