import { wellKnownLabels } from "../api/labels.ts";
import { closestWord } from "../api/spelling.ts";

/** The well-known label that an unknown key was probably meant to be: same name in another domain, cut short, or mistyped. */
export function suggestLabel(key: string): string | undefined {
  const known = [...wellKnownLabels].sort();
  return (
    known.find((label) => nameOf(label) === nameOf(key)) ??
    known.find((label) => key.length > 2 && label.includes(key)) ??
    closestWord(key, known)
  );
}

function nameOf(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}
