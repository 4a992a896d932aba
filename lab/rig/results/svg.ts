/** Pictures of series against a size, as SVG: one panel below the other. */
export interface Series {
  title: string;
  color: string;
  isDashed?: boolean;
  points: Array<{ size: number; value: number }>;
}

export interface Panel {
  title: string;
  series: Series[];
  /** A line across that must not be passed. */
  limit?: { value: number; title: string };
}

const WIDTH = 760;
const PANEL_HEIGHT = 220;
const BETWEEN = 70;
const TOP = 60;
const LEFT = 70;
const RIGHT = 190;
const INK = '#1f2933';
const FAINT = '#d5dbe1';

export function picture(title: string, panels: readonly Panel[], footer: string): string {
  const height = TOP + panels.length * (PANEL_HEIGHT + BETWEEN) - 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(LEFT, 26, title, 'font-size="16" font-weight="600"'),
    ...panels.flatMap((one, index) => panel(one, TOP + index * (PANEL_HEIGHT + BETWEEN))),
    text(LEFT, height - 12, footer, 'fill="#66717d"'),
    '</svg>',
    '',
  ].join('\n');
}

function panel({ title, series, limit }: Panel, top: number): string[] {
  const points = series.flatMap((one) => one.points);
  const sizes = [...new Set(points.map(({ size }) => size))].toSorted((a, b) => a - b);
  const step = stepOf(Math.max(...points.map(({ value }) => value), limit?.value ?? 0));
  const highest = step * Math.ceil(Math.max(...points.map(({ value }) => value), limit?.value ?? 0) / step);
  const [least, most] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const x = (size: number) => LEFT + ((Math.log10(size) - least) / Math.max(most - least, 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => top + PANEL_HEIGHT - (value / highest) * (PANEL_HEIGHT - 24);
  const lines = Array.from({ length: highest / step + 1 }, (_, index) => index * step);
  return [
    text(LEFT, top + 4, title, 'font-weight="600"'),
    ...lines.flatMap((value) => [
      rule(LEFT, y(value), WIDTH - RIGHT, FAINT),
      text(LEFT - 8, y(value) + 4, value.toLocaleString('en-US'), 'text-anchor="end"'),
    ]),
    ...sizes.map((size) =>
      text(x(size), top + PANEL_HEIGHT + 18, size.toLocaleString('en-US'), 'text-anchor="middle"'),
    ),
    ...(limit
      ? [
          rule(LEFT, y(limit.value), WIDTH - RIGHT, '#c62828', ' stroke-dasharray="4 4"'),
          text(WIDTH - RIGHT + 12, y(limit.value) + 4, limit.title, 'fill="#c62828"'),
        ]
      : []),
    ...series.flatMap(({ color, isDashed, points: own }) => [
      `<polyline fill="none" stroke="${color}" stroke-width="2"${isDashed ? ' stroke-dasharray="5 4"' : ''} points="${own.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>`,
      ...own.map(
        ({ size, value }) => `<circle cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3.5" fill="${color}"/>`,
      ),
    ]),
    ...labels(series, y),
  ];
}

/** Labels next to the last point of each series, pushed down where two would overlap. */
function labels(series: Series[], y: (value: number) => number): string[] {
  let free = 0;
  return series
    .map(({ title, color, points }) => ({ title, color, at: y(points.at(-1)?.value ?? 0) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ title, color, at }) => {
      free = Math.max(at + 4, free + 15);
      return text(WIDTH - RIGHT + 12, free, title, `fill="${color}" font-weight="600"`);
    });
}

function stepOf(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  return [0.2, 0.5, 1, 2].map((part) => part * power).find((step) => highest / step <= 6) ?? power;
}

function rule(from: number, at: number, to: number, color: string, more = ''): string {
  return `<line x1="${from}" y1="${at.toFixed(1)}" x2="${to}" y2="${at.toFixed(1)}" stroke="${color}"${more}/>`;
}

function text(x: number, y: number, content: string, more = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more ? ` ${more}` : ''}>${escaped}</text>`;
}
