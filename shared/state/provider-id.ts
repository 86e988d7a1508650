/** `aws:///us-east-1a/i-0123456789abcdef0`, as the AWS cloud provider writes a Node's `spec.providerID`. */
export function providerIdOf(instance: { readonly zone: string; readonly instanceId: string }): string {
  return `aws:///${instance.zone}/${instance.instanceId}`;
}

/** The instance id at the end of a provider id; undefined when there is none. */
export function instanceIdOf(providerId: string | undefined): string | undefined {
  return /\/(i-[0-9a-z]+)$/.exec(providerId ?? "")?.[1];
}
