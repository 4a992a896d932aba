import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { speedTable } from '../lab/bench/campaigns/table.ts';
import type { Result } from '../lab/rig/results/drill-results.ts';
import type { Line, Results, Spread } from '../lab/rig/results/report.ts';

/** `npm run proof`: writes the results of benches and drills into docs/proof.md and its tables, between their marks. */
const root = join(import.meta.dirname, '..');
const pages = ['docs/proof.md', 'docs/proof-tables.md'].map((file) => join(root, file));

function withResults(text: string): string {
  return text.replace(
    /(<!-- (bench|drills)(?: ([a-z-]+))? -->\n)[\s\S]*?(<!-- \/\2 -->)/g,
    (_all, open, kind, name, close) => `${open}${kind === 'bench' ? benchTable(name) : drillTable()}${close}`,
  );
}

function benchTable(name: string): string {
  const results = read<Results>(`lab/results/bench/${name}.json`);
  if (!results) return 'Not measured.\n';
  const { figures, machine } = results;
  const rows = figures.map(figureRow);
  const where = `Measured on ${machine.cores} cores of ${machine.processor}, ${machine.memoryGiB} GiB, Node ${machine.node}.`;
  return ['| | min / median / max | beside it | ratio | asked |', '|---|---|---|---|---|', ...rows, '', where, ''].join(
    '\n',
  );
}

function figureRow({ name, unit, rounds, ceiling, ratio, asked, kept, note, ...spread }: Line): string {
  const limit =
    asked &&
    `${asked.of === 'ratio' ? 'ratio ' : ''}${asked.atLeast === undefined ? `≤ ${asked.atMost}` : `≥ ${asked.atLeast}`}${asked.aim === undefined ? '' : ` (aim ${asked.aim})`}`;
  const cells = [
    note ? `${name} (${note})` : name,
    `${three(spread, rounds)} ${unit}`,
    ceiling ? `${ceiling.name}: ${three(ceiling, rounds)}` : '',
    ratio ? three(ratio, rounds) : '',
    limit ? `${limit}: ${kept ? 'kept' : '**not kept**'}` : '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').trim()).join(' | ')} |`;
}

function three({ min, median, max }: Spread, rounds: number): string {
  return rounds > 1 ? `${min} / ${median} / ${max}` : `${median}`;
}

function drillTable(): string {
  const folder = join(root, 'lab/results/drills');
  if (!existsSync(folder)) return 'Not run.\n';
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Result);
  const rows = results.flatMap(({ drill, lines }) =>
    lines.map(
      ({ says, kept }) => `| \`${drill}\` | ${says.replaceAll('|', '\\|')} | ${kept ? 'kept' : '**not kept**'} |`,
    ),
  );
  return ['| Drill | What it said | |', '|---|---|---|', ...rows, ''].join('\n');
}

/** The table that the bench of campaigns prints, from the figures that it kept. */
function withSpeed(text: string): string {
  const { figures = [] } = read<Results>('lab/results/bench/campaign.json') ?? {};
  return text.replace(/(<!-- speed -->\n)[\s\S]*?(<!-- \/speed -->)/, (_all, open, close) => {
    return `${open}${speedTable(figures)}${close}`;
  });
}

/** The three figures that matter most, as the last run of each has shown them. */
function withFigures(text: string): string {
  return text.replace(
    /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/,
    (_all, open, close) => `${open}${firstFigures()}${close}`,
  );
}

function firstFigures(): string {
  const kills = read<Result>('lab/results/drills/worker-kill.json')?.lines.map(({ says }) => `- ${says}`) ?? [];
  const { figures = [], machine } = read<Results>('lab/results/bench/campaign.json') ?? {};
  const whole = figures.filter(({ name }) => name.includes('freeze included') && name.endsWith('the relay signs'));
  const [meanwhile] = figures.filter(({ name }) => name.startsWith('Single mails while'));
  return [
    '`npm run drill -- worker-kill`: kill -9 of the process that sends, 20 times among 10,000 mails.',
    '',
    ...kills,
    '',
    ...[...whole, ...(meanwhile ? [meanwhile] : [])].flatMap((figure) => [sentence(figure), '']),
    ...(machine
      ? [`Measured on ${machine.cores} cores that carry everything, database, Temporal and relay too.`, '']
      : []),
  ].join('\n');
}

/** One figure, with the ceiling that it was measured against. */
function sentence({ name, unit, median, ceiling, ratio }: Line): string {
  const rest =
    ceiling && ratio ? `, beside ${Math.round(ceiling.median)} ${unit} of a ${ceiling.name} (${ratio.median})` : '';
  return `${name}: **${Math.round(median)} ${unit}**${rest}.`;
}

function read<T>(file: string): T | null {
  const path = join(root, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}

if (import.meta.main)
  for (const page of pages) writeFileSync(page, withFigures(withSpeed(withResults(readFileSync(page, 'utf8')))));
