import { type Cluster, DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { type ClusterEndpoint, type ClusterPort, ProviderError } from "../../ports.ts";
import { awsError } from "./aws-error.ts";

/** {@link ClusterPort} on `eks:DescribeCluster`: asked for once, unless it fails. */
export function eksCluster(client: EKSClient, clusterName: string): ClusterPort {
  let known: Promise<ClusterEndpoint> | undefined;
  return {
    describe() {
      known ??= describeCluster(client, clusterName).catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
  };
}

async function describeCluster(client: EKSClient, name: string): Promise<ClusterEndpoint> {
  const what = `DescribeCluster ${name}`;
  const { cluster = {} } = await client.send(new DescribeClusterCommand({ name })).catch((error: unknown) => {
    throw awsError(what, error);
  });
  const endpoint = endpointOf(name, cluster);
  if (endpoint !== undefined) return endpoint;
  throw new ProviderError(
    "Unknown",
    "NoEndpoint",
    `${what}: the cluster has no endpoint yet; status ${cluster.status}`,
  );
}

function endpointOf(name: string, cluster: Cluster): ClusterEndpoint | undefined {
  const { endpoint, certificateAuthority, kubernetesNetworkConfig: network } = cluster;
  const serviceCidr = network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr;
  if (endpoint === undefined || certificateAuthority?.data === undefined || serviceCidr === undefined) return undefined;
  return { name, endpoint, certificateAuthority: certificateAuthority.data, serviceCidr };
}
