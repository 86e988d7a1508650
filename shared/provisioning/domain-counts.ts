/** Pods by topology domain. Counts only grow while a plan is made. */
export class DomainCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;
  #least: Least | undefined;

  of(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }

  /** In all domains together. */
  get total(): number {
    return this.#total;
  }

  /** Those with a pod. */
  domains(): readonly string[] {
    return [...this.#counts.keys()];
  }

  add(domain: string): void {
    const before = this.#counts.get(domain) ?? 0;
    this.#counts.set(domain, before + 1);
    this.#total++;
    if (this.#least?.count === before && this.#least.domains.has(domain)) this.#least.holders--;
  }

  /** The smallest count among these domains; kept up to date as long as it is asked of the same set. */
  leastAmong(domains: ReadonlySet<string>): number {
    if (this.#least?.domains !== domains || this.#least.holders === 0) this.#least = this.#leastOf(domains);
    return this.#least.count;
  }

  #leastOf(domains: ReadonlySet<string>): Least {
    let count = Number.POSITIVE_INFINITY;
    let holders = 0;
    for (const domain of domains) {
      const found = this.of(domain);
      if (found < count) holders = 0;
      if (found <= count) holders++;
      count = Math.min(count, found);
    }
    return { domains, count, holders };
  }
}

interface Least {
  readonly domains: ReadonlySet<string>;
  readonly count: number;
  /** How many of the domains have the smallest count. */
  holders: number;
}
