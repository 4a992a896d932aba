import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from '../../rig/results/report.ts';
import { picture, type Series } from '../../rig/results/svg.ts';
import { capacity } from './capacity.ts';
import { type Costs, linesOf } from './costs.ts';
import { layout, readInstallation } from './installation.ts';

const MACHINES = [1, 2, 4, 6, 10, 20, 50, 100];
const file = join(import.meta.dirname, '../../../docs/images/scaling.svg');

/** docs/images/scaling.svg: the lanes as measured here and as the model has them, and what the model says of 1 to 100 machines. */
export function plot(costs: Costs): void {
  const lines = linesOf('scale');
  const measured = [
    ...lane(lines, 'campaign', '#0b3d91'),
    ...lane(lines, 'transactional lane', '#b4540a'),
    ...lane(lines, 'POST /mails/send', '#2f7d4f'),
  ];
  const computed = [
    layouts(costs, 'campaign', 'recipients of campaigns', '#0b3d91'),
    layouts(costs, 'single', 'single mails', '#b4540a'),
  ];
  const panels = [
    { title: 'A second, by number of processes, on two cores: measured, and the model (dashed)', series: measured },
    { title: 'A second, by number of machines: computed, not measured', series: computed },
  ];
  const footer =
    'The model knows one process of each lane, and assumes what docs/operators/scaling.md says under its table';
  writeFileSync(file, picture('Processes measured, machines computed', panels, footer));
}

function lane(lines: readonly Line[], name: string, color: string): Series[] {
  const runs = lines.flatMap((line) => {
    const [, size] = line.name.startsWith(`${name}, `) ? (/, (\d+) \w+$/.exec(line.name) ?? []) : [];
    return size ? [{ size: Number(size), value: line.median, model: line.ceiling?.median ?? line.median }] : [];
  });
  return [
    { title: name, color, points: runs.map(({ size, value }) => ({ size, value })) },
    { title: 'model', color, isDashed: true, points: runs.map(({ size, model }) => ({ size, value: model })) },
  ];
}

function layouts(costs: Costs, work: string, title: string, color: string): Series {
  const works = costs.works.map(({ name }) => name);
  const found = costs.works.find(({ name }) => name === work);
  if (!found) throw new Error(`There is no work ${work}.`);
  const points = MACHINES.map((size) => ({
    size,
    value: capacity(found, readInstallation(layout(size), works), costs).perSecond,
  }));
  return { title, color, isDashed: true, points };
}
