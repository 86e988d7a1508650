import { stringify } from "yaml";

export type OutputFormat = "table" | "json" | "yaml";

/** A report as its reader asked for it. */
export function formatted<R>(report: R, format: OutputFormat, table: (report: R) => string): string {
  switch (format) {
    case "table":
      return table(report);
    case "json":
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case "yaml":
      return stringify(report);
  }
}
