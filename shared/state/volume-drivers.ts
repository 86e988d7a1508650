import type { DiskSources } from "../api/disk-sources.ts";
import type { PersistentVolume } from "../api/storage.ts";
import { ebsDriver } from "../cloud/attach-limits.ts";

/** In-tree plugins that CSI drivers have taken over, whose volumes count as theirs (CSI migration). */
const migratedPlugins: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": ebsDriver,
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

/** The fields that such volumes have where a CSI volume has `csi`. */
const migratedFields = {
  awsElasticBlockStore: ebsDriver,
  gcePersistentDisk: "pd.csi.storage.gke.io",
  azureDisk: "disk.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  vsphereVolume: "csi.vsphere.vmware.com",
} as const;
const diskFields = ["awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "cinder", "vsphereVolume"] as const;

/** Disks of other clouds, which no EC2 instance can attach: a node launched for them would wait for nothing. */
const foreignDrivers: ReadonlySet<string> = new Set([
  "pd.csi.storage.gke.io",
  "disk.csi.azure.com",
  "cinder.csi.openstack.org",
  "csi.vsphere.vmware.com",
]);

/** Classes of volumes that somebody makes by hand on nodes or elsewhere. */
const noProvisioner = "kubernetes.io/no-provisioner";

/** The driver whose volumes the volumes of a class will be; none for those that nobody attaches. */
export function driverOfProvisioner(provisioner: string): string | undefined {
  if (provisioner === noProvisioner) return undefined;
  return Object.hasOwn(migratedPlugins, provisioner) ? migratedPlugins[provisioner] : provisioner;
}

/** The driver that attaches a volume; none for NFS, local disks and the like, which no limit counts. */
export function driverOfVolume({ spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver ?? driverOfDisk(spec);
}

/** Why no node of ours can have a volume that stands in the pod itself; undefined when it is no disk of another cloud. */
export function foreignDisk(volume: DiskSources): string | undefined {
  const driver = driverOfDisk(volume);
  return isForeign(driver) ? `it ${wrongCloud(driver)}` : undefined;
}

/** Says of a volume why its driver rules it out. */
export function wrongCloud(driver: string): string {
  return `is of the driver ${driver}, whose volumes no EC2 instance can attach`;
}

function driverOfDisk(sources: DiskSources): string | undefined {
  const field = diskFields.find((name) => sources[name] !== undefined);
  return field === undefined ? undefined : migratedFields[field];
}

export function isForeign(driver: string | undefined): driver is string {
  return driver !== undefined && foreignDrivers.has(driver);
}
