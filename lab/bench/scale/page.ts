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
export function withTables(page: string, costs: Costs | null, lines?: readonly Line[]): string {
  const parts: Record<string, string[]> = costs ? tablesOf(costs, lines ?? linesOf('scale')) : NOT_MEASURED;
  return page.replace(/(<!-- scale (\w+) -->\n)[\s\S]*?(<!-- \/scale -->)/g, (_all, open, name, close) => {
    const rows = parts[name];
    if (!rows) throw new Error(`The page asks for a table "${name}" that there is not.`);
    return `${open}${rows.join('\n')}\n${close}`;
  });
}

const NOT_MEASURED = { costs: ['Not measured.'], check: ['Not measured.'], sizes: ['Not measured.'] };

function tablesOf(costs: Costs, lines: readonly Line[]): Record<string, string[]> {
  return { costs: ofCosts(costs), check: ofCheck(lines), sizes: ofSizes(costs) };
}

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
  const sizes = SIZES.map((size) => readInstallation(layout(size), works));
  const rows = costs.works.map((work) => [
    `\`${work.name}\` a second`,
    ...sizes.map((installation) => {
      const { perSecond, limits } = capacity(work, installation, costs);
      return `${rounded(perSecond)}: ${limits[0]?.name}`;
    }),
  ]);
  const own = sizes.map((one) => readInstallation({ ...one, relay: { ...one.relay, signs: false } }, works));
  const [campaign] = costs.works;
  const signed = own.map((one) => {
    if (!campaign) return '';
    const { perSecond, limits } = capacity(campaign, one, costs);
    return `${rounded(perSecond)}: ${limits[0]?.name}`;
  });
  const day = (read: (use: ReturnType<typeof useOfDay>, one: Installation) => string) =>
    sizes.map((one) => read(useOfDay(one, costs), one));
  return markdown(
    ['', ...SIZES.map((size) => `${size} ${size === 1 ? 'machine' : 'machines'}`)],
    [
      ['machines', ...sizes.map(machinesOf)],
      ...rows,
      ['`campaign`, signed by us', ...signed],
      [
        'documents that `campaign` writes a second on each primary',
        ...sizes.map((one) => writesOf(campaign, one, costs)),
      ],
      ['times the rate that was measured with one process', ...sizes.map((one) => timesMeasured(campaign, one, costs))],
      ['recipients a day (assumed)', ...sizes.map(({ day: { campaign: count = 0 } }) => count.toLocaleString('en-US'))],
      [
        'the day in 8 hours, with the rest of its load',
        ...day(({ used: [first] }) => (first ? `${(first.share * 100).toFixed(0)} % of ${first.name}` : '')),
      ],
      ['growth of MongoDB a day, until retention', ...day(({ bytes }) => `${(bytes / 2 ** 30).toFixed(1)} GiB`)],
      ['cost an hour, at 0.04 a core (assumed)', ...sizes.map((one) => costOf(one).perHour.toFixed(2))],
    ],
  );
}

function writesOf(work: Work | undefined, installation: Installation, costs: Costs): string {
  if (!work?.writes) return '';
  return rounded((capacity(work, installation, costs).perSecond * work.writes.value) / installation.shards);
}

function timesMeasured(work: Work | undefined, installation: Installation, costs: Costs): string {
  const measured = work?.alone.campaign?.value;
  if (!work || !measured) return '';
  return digits(capacity(work, installation, costs).perSecond / measured);
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
