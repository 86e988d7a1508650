import { awsGroup, group, label, labelAliases, wellKnownLabels } from "./labels.ts";
import { closestWord } from "./spelling.ts";

const namePattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const expectedKey = "a label key: an optional DNS prefix and /, then at most 63 letters, digits, - _ or .";
const expectedValue =
  "a label value: empty, or at most 63 letters, digits, - _ or . that begin and end with a letter or digit";

/** What a key should have been, when it is no qualified name (Kubernetes' rule for the keys of labels and taints). */
export function labelKeyFault(key: string): string | undefined {
  const [name = "", prefix, ...rest] = key.split("/").reverse();
  const wellFormed = namePattern.test(name) && (prefix === undefined || isDnsSubdomain(prefix)) && rest.length === 0;
  return wellFormed ? undefined : expectedKey;
}

/** What a value should have been, when it cannot stand as a label's value. */
export function labelValueFault(value: string): string | undefined {
  return value === "" || namePattern.test(value) ? undefined : expectedValue;
}

/** RFC 1123 subdomain: what an object's name and a label's prefix must be. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && subdomainPattern.test(text);
}

/**
 * What to write instead of a key that is not a user's to set or to require (karpenter-core §1.6): the hostname and the domains
 * karpenter.sh and karpenter.k8s.aws but for their well-known keys. A plain suffix test on the domain, as the CRD's rule is.
 */
export function restrictedLabelFault(key: string): string | undefined {
  if (key === label.hostname) return `a label other than ${label.hostname}, which names one node`;
  if (wellKnownLabels.has(key) || Object.hasOwn(labelAliases, key)) return undefined;
  const domain = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  const reserved = [group, awsGroup].find((name) => domain.endsWith(name));
  if (reserved === undefined) return undefined;
  const meant = closestWord(key, wellKnownLabels);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `a label outside the reserved domain ${reserved}, or one of its well-known labels${hint}`;
}
