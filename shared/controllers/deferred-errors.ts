import { ProviderError } from "../ports.ts";

/**
 * For work in parts of which none may stop the others: a provider's error is kept while the rest goes on, and the first is thrown at
 * the end, so that the work counts as failed. Anything else is a bug and is thrown at once (design rules 10 and 11).
 */
export class DeferredErrors {
  #first: ProviderError | undefined;

  /** The result, or undefined when a provider's error was kept. */
  async during<T>(work: () => Promise<T>): Promise<T | undefined> {
    return await this.duringOr<T | undefined>(work, () => undefined);
  }

  /** The result, or what stands for it when a provider's error was kept. */
  async duringOr<T>(work: () => Promise<T>, otherwise: (error: ProviderError) => T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#first ??= error;
      return otherwise(error);
    }
  }

  throwFirst(): void {
    if (this.#first !== undefined) throw this.#first;
  }
}
