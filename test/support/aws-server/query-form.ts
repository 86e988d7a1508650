import type { Ec2Filter } from "../../../shared/account-ports.ts";

/** The fields of a query-protocol request below a prefix: `Filter.1.Name` is `at("Filter.1").text("Name")`. */
export class QueryForm {
  readonly #fields: URLSearchParams;
  readonly #prefix: string;

  constructor(fields: URLSearchParams, prefix = "") {
    this.#fields = fields;
    this.#prefix = prefix;
  }

  text(key: string): string | undefined {
    return this.#fields.get(this.#prefix + key) ?? undefined;
  }

  number(key: string): number | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : Number(text);
  }

  flag(key: string): boolean | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : text === "true";
  }

  at(key: string): QueryForm {
    return new QueryForm(this.#fields, `${this.#prefix}${key}.`);
  }

  has(key: string): boolean {
    const start = `${this.#prefix}${key}.`;
    return [...this.#fields.keys()].some((field) => field.startsWith(start));
  }

  /** The elements of a list of structures, in order. */
  items(key: string): readonly QueryForm[] {
    return this.#numbers(key).map((number) => this.at(`${key}.${number}`));
  }

  /** The elements of a list of texts; undefined when it was not sent. */
  texts(key: string): readonly string[] | undefined {
    const found = this.#numbers(key).map((number) => this.text(`${key}.${number}`) ?? "");
    return found.length === 0 ? undefined : found;
  }

  filters(): readonly Ec2Filter[] {
    return this.items("Filter").map((filter) => ({
      name: filter.text("Name") ?? "",
      values: filter.texts("Value") ?? [],
    }));
  }

  tags(key: string): Readonly<Record<string, string>> {
    return Object.fromEntries(this.items(key).map((tag) => [tag.text("Key") ?? "", tag.text("Value") ?? ""]));
  }

  #numbers(key: string): readonly number[] {
    const start = `${this.#prefix}${key}.`;
    const numbers = [...this.#fields.keys()].flatMap((field) =>
      field.startsWith(start) ? [Number(field.slice(start.length).split(".")[0])] : [],
    );
    return [...new Set(numbers)].sort((a, b) => a - b);
  }
}
