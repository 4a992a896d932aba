import type { Migration } from '../index.ts';
import { type Command, type Context, onlyPositional, textFlag } from './command.ts';
import { number } from './print.ts';
import { type Progress, watchProgress } from './progress.ts';

/** Retries the migration and watches it. */
export const migrationsReplay: Command = {
  words: ['migrations', 'replay'],
  usage: 'ID [--from-phase NAME] [--api-key KEY]',
  about: 'Continue a migration that holds, failed or was cancelled, and show how far it is',
  flags: [
    { name: 'fromPhase', kind: 'text', about: 'Begins again with this phase; omitted: where the job stopped.' },
    { name: 'apiKey', kind: 'text', about: "The source provider's key, when the job has lost it; @file reads it." },
  ],
  async run(context, given) {
    const id = onlyPositional(given, 'the id of the migration');
    const { signal } = context;
    const { migrations } = context.everpost();
    const [fromPhase, apiKey] = [textFlag(given, 'fromPhase'), textFlag(given, 'apiKey')?.trim()];
    const body = { ...(fromPhase === undefined ? {} : { fromPhase }), ...(apiKey === undefined ? {} : { apiKey }) };
    await migrations.retry(id, body as Parameters<typeof migrations.retry>[1], { signal });
    return watch(context, id);
  },
};

export const migrationsWatch: Command = {
  words: ['migrations', 'watch'],
  usage: 'ID',
  about: 'Show how far a migration is, until it is over or a person has to act',
  flags: [],
  run: (context, given) => watch(context, onlyPositional(given, 'the id of the migration')),
};

async function watch(context: Context, id: string): Promise<number> {
  const states = context.everpost().migrations.watch(id, { signal: context.signal });
  const last = await watchProgress(context, states, progressOf, ({ status }) => status === 'needs_attention');
  if (last && !context.isJson) for (const row of summaryOf(last)) context.print(row);
  return last?.status === 'completed' || last?.status === 'completed_with_errors' ? 0 : 1;
}

function progressOf({ status, phase, phases }: Migration): Progress {
  const over = phases.filter((each) => ['completed', 'skipped'].includes(each.status)).length;
  const now = phases.find(({ name }) => name === phase);
  const done = now ? now.succeeded + now.failed + now.skipped : 0;
  const share = now && now.total > 0 ? Math.min(1, done / now.total) : 0;
  const percent = phases.length === 0 ? 0 : ((over + (now?.status === 'running' ? share : 0)) / phases.length) * 100;
  const text = now ? `${now.name} ${number(done)} of ${number(now.total)}` : '';
  return { label: status, percent, text };
}

function summaryOf({ status, phases, failureReason, attention }: Migration): string[] {
  const why = failureReason ?? attention;
  return [
    `${status}${why ? `: ${why}` : ''}`,
    ...phases.map(({ name, status: of, succeeded, failed }) => {
      return `  ${name}: ${of}, ${number(succeeded)} done${failed > 0 ? `, ${number(failed)} failed` : ''}`;
    }),
  ];
}
