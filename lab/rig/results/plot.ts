import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './report.ts';
import { type Panel, picture, type Series } from './svg.ts';

/** `node lab/rig/results/plot.ts`: docs/images/campaign-size.svg out of lab/results/bench/campaign.json, throughput and memory against campaign size. */
const root = join(import.meta.dirname, '../../..');
const OF_SIZE = /^A campaign of ([\d,]+), (.+)$/;

const { figures, machine } = JSON.parse(readFileSync(join(root, 'lab/results/bench/campaign.json'), 'utf8')) as {
  figures: Line[];
  machine: Record<string, string | number>;
};
mkdirSync(join(root, 'docs/images'), { recursive: true });
writeFileSync(join(root, 'docs/images/campaign-size.svg'), draw());

function draw(): string {
  const throughput: Panel = {
    title: 'Messages a second',
    series: [
      seriesOf('raw blast', '#8a94a0', 'while sending', ({ ceiling }) => ceiling?.median),
      seriesOf('while sending', '#1f6feb', 'while sending'),
      seriesOf('from the POST', '#0b3d91', 'from the POST to the last 250'),
    ],
  };
  const memory: Panel = {
    title: 'Highest resident memory of a process, MB',
    series: [
      seriesOf('a sender', '#b4540a', 'highest resident memory, sender'),
      seriesOf('workflows, background', '#e08b3e', 'highest resident memory, background'),
      seriesOf('API', '#8a94a0', 'highest resident memory, api'),
    ],
    limit: { value: 400, title: 'asked: below 400' },
  };
  const footer = `${machine.cores} cores for everything, the sink included; ${machine.processor}`;
  return picture('Throughput and memory against campaign size', [throughput, memory], footer);
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
