export interface ChartSeries {
  readonly label: string;
  /** Class of the line: its colour and dashes are the page's to choose. */
  readonly style: string;
  /** In order of `x`; each value holds until the next. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface SvgChart {
  readonly title: string;
  readonly series: readonly ChartSeries[];
  readonly fromX: number;
  readonly toX: number;
  readonly formatX: (x: number) => string;
  readonly formatY: (y: number) => string;
}

const size = { width: 960, height: 240, left: 64, right: 16, top: 12, bottom: 28 };
const plot = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
const steps = 4;

/** Step lines over time as an SVG element, with axes and a text for those who cannot see it. */
export function svgChart(chart: SvgChart): string {
  const top = niceTop(Math.max(...chart.series.flatMap(({ points }) => points.map(({ y }) => y)), 0));
  const toPx = {
    x: (x: number) => size.left + ((x - chart.fromX) / (chart.toX - chart.fromX || 1)) * plot.width,
    y: (y: number) => size.top + (1 - y / top) * plot.height,
  };
  const fractions = Array.from({ length: steps + 1 }, (_, step) => step / steps);
  const rows = fractions.map((fraction) => gridRow(toPx.y(fraction * top), chart.formatY(fraction * top)));
  const columns = fractions.map((fraction) => {
    const x = chart.fromX + fraction * (chart.toX - chart.fromX);
    return `<text x="${px(toPx.x(x))}" y="${size.height - 8}" text-anchor="middle">${escapeHtml(chart.formatX(x))}</text>`;
  });
  const lines = chart.series.map(({ style, points }) => {
    const path = stepPath(
      points.map(({ x, y }) => ({ x: toPx.x(x), y: toPx.y(y) })),
      toPx.x(chart.toX),
    );
    return `<path class="line ${style}" d="${path}"/>`;
  });
  return `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(spoken(chart))}">
${[...rows, ...columns, ...lines].join("\n")}
</svg>`;
}

export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function stepPath(points: readonly { readonly x: number; readonly y: number }[], endX: number): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  return [`M${px(first.x)} ${px(first.y)}`, ...rest.map(({ x, y }) => `H${px(x)}V${px(y)}`), `H${px(endX)}`].join("");
}

function gridRow(y: number, text: string): string {
  return (
    `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${px(y)}" y2="${px(y)}"/>` +
    `<text x="${size.left - 8}" y="${px(y + 4)}" text-anchor="end">${escapeHtml(text)}</text>`
  );
}

/** The next round number above: 1, 2 or 5 times a power of ten, in quarters that stay short. */
function niceTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return power * ([1, 2, 4, 6, 8, 10].find((factor) => factor * power >= highest) ?? 10);
}

function spoken({ title, series, formatY }: SvgChart): string {
  const parts = series.map(({ label, points }) => {
    const highest = Math.max(...points.map(({ y }) => y), 0);
    return `${label} up to ${formatY(highest)}, at the end ${formatY(points.at(-1)?.y ?? 0)}`;
  });
  return `${title}: ${parts.join("; ")}`;
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
