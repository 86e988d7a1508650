/** Eighths of a character cell, from none to full. */
const blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

export interface TextChart {
  /** One value for each column of characters; never negative. */
  readonly values: readonly number[];
  /** The part of each value that is drawn solid, the rest being shaded; all of it when absent. */
  readonly solid?: readonly number[];
  readonly height: number;
  readonly format: (value: number) => string;
  /** Below the axis, at its left and right end. */
  readonly ends: readonly [left: string, right: string];
}

/** An area chart in block characters, with the highest value on its scale. */
export function textChart({ values, solid = values, height, format, ends }: TextChart): readonly string[] {
  const top = Math.max(...values, 0);
  const scale = top > 0 ? height / top : 0;
  const marks = [format(top), format(top / 2), format(0)];
  const margin = Math.max(...marks.map((mark) => mark.length));
  const middle = Math.floor(height / 2);
  const rows = Array.from({ length: height }, (_, fromTop) => {
    const floor = height - 1 - fromTop;
    const mark = fromTop === 0 ? marks[0] : fromTop === middle ? marks[1] : "";
    const cells = values.map((value, column) => cell(value * scale - floor, (solid[column] ?? 0) * scale - floor));
    return `${(mark ?? "").padStart(margin)} │${cells.join("")}`.trimEnd();
  });
  const [left, right] = ends;
  return [
    ...rows,
    `${(marks[2] ?? "").padStart(margin)} └${"─".repeat(values.length)}`,
    `${" ".repeat(margin + 2)}${left}${right.padStart(values.length - left.length)}`,
  ];
}

/** Heights are in cells above the floor of this one. Shading has no eighths, so it starts at the nearest whole cell. */
function cell(height: number, solidHeight: number): string {
  if (solidHeight >= 1) return "█";
  if (Math.round(height) >= 1 && height - solidHeight > 0.5) return "░";
  const filled = Math.min(height, solidHeight);
  return blocks[Math.max(0, Math.min(8, Math.round(filled * 8)))] ?? " ";
}
