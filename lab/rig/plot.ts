import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './report.ts';

/** `node lab/rig/plot.ts`: docs/images/campaign-size.svg out of lab/results/bench/campaign.json, throughput and memory against campaign size. */
const root = join(import.meta.dirname, '../..');
const OF_SIZE = /^A campaign of ([\d,]+), (.+)$/;

interface Series {
  title: string;
  color: string;
  points: Array<{ size: number; value: number }>;
}

interface Panel {
  title: string;
  top: number;
  series: Series[];
  /** A line across that must not be passed. */
  limit?: { value: number; title: string };
}

const TITLE = 'Throughput and memory against campaign size';
const WIDTH = 760;
const PANEL_HEIGHT = 220;
const LEFT = 70;
const RIGHT = 190;
const INK = '#1f2933';
const FAINT = '#d5dbe1';

const { figures, machine } = JSON.parse(readFileSync(join(root, 'lab/results/bench/campaign.json'), 'utf8')) as {
  figures: Line[];
  machine: Record<string, string | number>;
};
mkdirSync(join(root, 'docs/images'), { recursive: true });
writeFileSync(join(root, 'docs/images/campaign-size.svg'), draw());

function draw(): string {
  const throughput: Panel = {
    title: 'Messages a second',
    top: 60,
    series: [
      seriesOf('raw blast', '#8a94a0', 'while sending', ({ ceiling }) => ceiling?.median),
      seriesOf('while sending', '#1f6feb', 'while sending'),
      seriesOf('from the POST', '#0b3d91', 'from the POST to the last 250'),
    ],
  };
  const memory: Panel = {
    title: 'Highest resident memory of a process, MB',
    top: 60 + PANEL_HEIGHT + 70,
    series: [
      seriesOf('a sender', '#b4540a', 'highest resident memory, sender'),
      seriesOf('workflows, background', '#e08b3e', 'highest resident memory, background'),
      seriesOf('API', '#8a94a0', 'highest resident memory, api'),
    ],
    limit: { value: 400, title: 'asked: below 400' },
  };
  const height = memory.top + PANEL_HEIGHT + 60;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${TITLE}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(LEFT, 26, TITLE, 'font-size="16" font-weight="600"'),
    ...panel(throughput),
    ...panel(memory),
    text(
      LEFT,
      height - 12,
      `${machine.cores} cores for everything, the sink included; ${machine.processor}`,
      'fill="#66717d"',
    ),
    '</svg>',
    '',
  ].join('\n');
}

function seriesOf(
  title: string,
  color: string,
  of: string,
  read: (line: Line) => number | undefined = ({ median }) => median,
): Series {
  const points = figures.flatMap((line) => {
    const [, size, what] = OF_SIZE.exec(line.name) ?? [];
    const value = what === of ? read(line) : undefined;
    return size === undefined || value === undefined ? [] : [{ size: Number(size.replaceAll(',', '')), value }];
  });
  return { title, color, points: points.toSorted((a, b) => a.size - b.size) };
}

function panel({ title, top, series, limit }: Panel): string[] {
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
    ...series.flatMap(({ color, points: own }) => [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${own.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>`,
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
