import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NetworkInterfaceRequest } from "../ports.ts";

export type NetworkInterfaces =
  /** Nothing: EC2's one interface with its defaults will do. */
  | { readonly kind: "interfaces"; readonly interfaces?: readonly NetworkInterfaceRequest[] }
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * The network interfaces of a node: the class's list; or one for EFA on each of the type's cards, for a claim that asks for EFA; or one. All but
 * EFA-only ones carry the class's settings (karpenter-aws §4.3).
 */
export function networkInterfaces(
  { spec, metadata }: EC2NodeClass,
  node: {
    /** EFA interfaces to make, when the class lists none itself. */
    readonly efaInterfaces: number;
    readonly isIpv6: boolean;
  },
): NetworkInterfaces {
  const { associatePublicIPAddress, ipPrefixCount = 0, connectionTracking } = spec;
  const places = placesOf(spec, node.efaInterfaces);
  const isSingle = places.length === 1;
  if (!isSingle && associatePublicIPAddress === true) {
    const reason =
      `${metadata.name} spec.associatePublicIPAddress: found true for a node of ${places.length} network interfaces; ` +
      "EC2 gives a public address to nodes of one interface only";
    return { kind: "invalid", reason };
  }
  const settings = {
    // Of several interfaces none gets a public address, and EC2 takes no answer to that question.
    ...(isSingle && associatePublicIPAddress !== undefined && { associatePublicIpAddress: associatePublicIPAddress }),
    ...(ipPrefixCount > 0 && { [node.isIpv6 ? "ipv6PrefixCount" : "ipv4PrefixCount"]: ipPrefixCount }),
    ...(node.isIpv6 && { ipv6: true as const }),
    ...(connectionTracking && { connectionTracking }),
  };
  if (isSingle && Object.keys(settings).length === 0) return { kind: "interfaces" };
  return {
    kind: "interfaces",
    interfaces: places.map((place) => (place.interfaceType === "efa-only" ? place : { ...place, ...settings })),
  };
}

type Place = Pick<NetworkInterfaceRequest, "networkCardIndex" | "deviceIndex" | "interfaceType">;

function placesOf({ networkInterfaces: listed = [] }: EC2NodeClass["spec"], efaInterfaces: number): readonly Place[] {
  if (listed.length > 0) return listed;
  if (efaInterfaces === 0) return [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" }];
  return Array.from({ length: efaInterfaces }, (_, card) => ({
    networkCardIndex: card,
    deviceIndex: card === 0 ? 0 : 1,
    interfaceType: "efa",
  }));
}
