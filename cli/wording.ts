const namesListed = 6;

/** `1 pod`, `2 pods`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** The first names of a list and how many more there are. */
export function someOf(names: readonly string[]): string {
  const listed = names.slice(0, namesListed).join(", ");
  return names.length > namesListed ? `${listed} and ${names.length - namesListed} more` : listed;
}

/** `12.5 % above`; `below` where pods that the bound counts had to wait for nodes. */
export function againstBound(costUsd: number, boundUsd: number): string {
  const percent = boundUsd > 0 ? (costUsd / boundUsd - 1) * 100 : 0;
  return `${Math.abs(percent).toFixed(1)} % ${percent < 0 ? "below" : "above"}`;
}
