/** A function that makes its value when it is first asked, and keeps it. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A value that is worked out when it is first asked for. What has one in it is compared without it. */
export class Lazy<T> {
  readonly #made: () => T;

  constructor(make: () => T) {
    this.#made = lazily(make);
  }

  get value(): T {
    return this.#made();
  }
}
