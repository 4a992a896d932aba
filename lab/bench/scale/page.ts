import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from '../../rig/results/report.ts';
import { capacity, costOf, useOfDay } from './capacity.ts';
import { type Costs, linesOf, PARTS, type Work } from './costs.ts';
import { type Installation, layout, readInstallation } from './installation.ts';
import { rounded } from './tables.ts';

export const PAGE = join(import.meta.dirname, '../../../docs/operators/scaling.md');
const SIZES = [1, 10, 100];

/** Writes the tables of docs/operators/scaling.md between their marks. */
export function writePage(costs: Costs): void {
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), costs));
}

/** Costs null: not measured, which the page says. */
export function withTables(page: string, costs: Costs | null): string {
  const parts: Record<string, string[]> = costs
    ? { costs: ofCosts(costs), check: ofCheck(linesOf('scale')), sizes: ofSizes(costs) }
    : NOT_MEASURED;
  return page.replace(/(<!-- scale (\w+) -->\n)[\s\S]*?(<!-- \/scale -->)/g, (_all, open, name, close) => {
    const rows = parts[name];
    if (!rows) throw new Error(`The page asks for a table "${name}" that there is not.`);
    return `${open}${rows.join('\n')}\n${close}`;
  });
}

const NOT_MEASURED = { costs: ['Not measured.'], check: ['Not measured.'], sizes: ['Not measured.'] };

function ofCosts({ works, signature }: Costs): string[] {
  const shown = PARTS.filter((part) => works.some(({ micros }) => micros[part]));
  const rows = works.map(({ name, unit, micros, bytes, writes, notRecorded }) => [
    `\`${name}\`: ${unit}`,
    ...shown.map((part) => {
      if (notRecorded.includes(part)) return 'not recorded';
      const cost = micros[part];
      if (!cost) return '';
      return `${cost.from.includes('at most') ? 'at most ' : ''}${digits(cost.value)}`;
    }),
    bytes ? digits(bytes.value) : '',
    writes ? digits(writes.value) : '',
  ]);
  return [
    ...markdown(['One', ...shown.map((part) => `${part}, us`), 'bytes', 'documents written'], rows),
    '',
    `Both signatures, when the senders sign: ${digits(signature.value)} us more of \`campaign\` or \`mail\` for each mail.`,
  ];
}

function ofCheck(lines: readonly Line[]): string[] {
  const rows = lines.flatMap(({ name, unit, median, ceiling, note }) => {
    if (unit !== '/s' || !ceiling || !ceiling.name.startsWith('the model')) return [];
    const [, off = ''] = /off by ([^)]+)/.exec(ceiling.name) ?? [];
    return [[name, `${Math.round(median)}`, `${Math.round(ceiling.median)}`, off, note?.split(', off by ')[1] ?? '']];
  });
  const at = lines.find(({ name }) => name.startsWith('campaign, '));
  const load = at ? `Measured on ${at.at.slice(0, 10)}, load ${at.load} when the first lane was over.` : '';
  const picture = '![Lanes with 1 to 8 processes, and the model of 1 to 100 machines](../images/scaling.svg)';
  const head = ['Lane', 'measured a second', 'the model', 'off by', 'with contention, off by'];
  return [...markdown(head, rows), '', load, '', picture];
}

function ofSizes(costs: Costs): string[] {
  const works = costs.works.map(({ name }) => name);
  const campaign = costs.works[0]!;
  const sizes = SIZES.map((size) => readInstallation(layout(size), works));
  const most = (work: Work, one: Installation) => capacity(work, one, costs).perSecond;
  const bound = (work: Work, one: Installation) =>
    `${rounded(most(work, one))}: ${capacity(work, one, costs).limits[0]?.name}`;
  const row = (name: string, read: (one: Installation) => string) => [name, ...sizes.map(read)];
  return markdown(
    ['', ...SIZES.map((size) => `${size} ${size === 1 ? 'machine' : 'machines'}`)],
    [
      row('machines', machinesOf),
      ...costs.works.map((work) => row(`\`${work.name}\` a second`, (one) => bound(work, one))),
      row('`campaign`, signed by us', (one) => bound(campaign, { ...one, relay: { ...one.relay, signs: false } })),
      row('documents that `campaign` writes a second on each primary', (one) =>
        rounded((most(campaign, one) * (campaign.writes?.value ?? 0)) / one.shards),
      ),
      row('times the rate that was measured with one process', (one) =>
        digits(most(campaign, one) / (campaign.alone.campaign?.value ?? 0)),
      ),
      row('recipients a day (assumed)', ({ day }) => (day.campaign ?? 0).toLocaleString('en-US')),
      row('the day in 8 hours, with the rest of its load', (one) => {
        const [first] = useOfDay(one, costs).used;
        return first ? `${(first.share * 100).toFixed(0)} % of ${first.name}` : '';
      }),
      row(
        'growth of MongoDB a day, until retention',
        (one) => `${(useOfDay(one, costs).bytes / 2 ** 30).toFixed(1)} GiB`,
      ),
      row('cost an hour, at 0.04 a core (assumed)', (one) => costOf(one).perHour.toFixed(2)),
    ],
  );
}

function machinesOf({ machines }: Installation): string {
  return machines
    .map(({ name, count, cores, parts }) => {
      const processes = Object.entries(parts).map(([part, number]) => `${part} ${number}`);
      return `${count} x ${cores} cores, ${name}${processes.length > 1 ? ` (${processes.join(', ')})` : ''}`;
    })
    .join('; ');
}

function markdown(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function digits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(2)));
}
