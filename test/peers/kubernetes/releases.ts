/** The Kubernetes releases that the tests run against: the oldest and the newest that EKS has in standard support, where they differ most. */
export const releases = ["1.34", "1.37"] as const;

/** A minor release; `components/kubernetes-RELEASE.mod` names the patch and what it is built from. */
export type Release = (typeof releases)[number];

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}
