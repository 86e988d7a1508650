export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Whether a text may lose its end where the lines would be too long; names that a person searches for may not. */
  readonly mayBeCut?: boolean;
}

const gap = "  ";
const narrowest = 8;

/**
 * A table of text in columns, titles first, no line longer than `width` while the columns that may be cut can still give. Trailing
 * space is left out.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const lines = [columns.map(({ title }) => title), ...rows];
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => textWidth(line[index] ?? ""))));
  const widths = fittingWidths(columns, natural, width);
  return lines.map((line) =>
    columns
      .map((column, index) => cell(line[index] ?? "", widths[index] ?? 0, column))
      .join(gap)
      .trimEnd(),
  );
}

/** Lines of at most `width` characters, broken between words; a longer word stands alone. `indent` precedes all but the first. */
export function wrapText(text: string, width: number, indent = ""): readonly string[] {
  const [first = "", ...words] = text.split(/(?<=\S) /);
  const lines: string[] = [];
  let current = first;
  for (const word of words) {
    const joined = `${current} ${word}`;
    if (textWidth(joined) <= width) current = joined;
    else {
      lines.push(current);
      current = indent + word.trimStart();
    }
  }
  return [...lines, current];
}

/** Takes from the widest column that may be cut, one character after another. */
function fittingWidths(columns: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  let excess = natural.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
  for (; excess > 0; excess--) {
    const candidates = widths.map((one, index) => (columns[index]?.mayBeCut ? one : 0));
    const widest = Math.max(...candidates);
    if (widest <= narrowest) break;
    widths[candidates.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function cell(text: string, width: number, { align }: Column): string {
  const characters = [...text];
  const cut = characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
  const padding = " ".repeat(Math.max(0, width - textWidth(cut)));
  return align === "right" ? padding + cut : cut + padding;
}

function textWidth(text: string): number {
  return [...text].length;
}
