import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Lifetime, newLifetime, stopOnSignals } from '../../stack/lifetime.ts';
import { StackError, say } from '../../stack/output.ts';
import { helpOf, runCommand } from '../rig/command.ts';
import { runAlone } from '../rig/run-alone.ts';

/**
 * `npm run bench -- name [args]`: one bench, on servers of its own; without a name all of them, one after the other. Each page says at
 * its top what it measures and against what; the figures are kept in lab/results/bench. `--size 1000` makes most of them smaller, `--dry` keeps
 * nothing, `--note text` says why the machine was not quiet.
 */
const benches: Record<string, { does: string; file?: string; isBare?: (args: string[]) => boolean }> = {
  smtp: {
    file: 'smtp/smtp.ts',
    does: 'messages a second through the SMTP client, beside a raw blast of the same bytes',
  },
  dkim: { file: 'smtp/dkim.ts', does: 'signatures a second, beside bare OpenSSL' },
  due: { does: 'from a write to the start of its work' },
  content: { does: 'CPU to compile the largest content of blocks that is taken', isBare: () => true },
  client: { does: 'the size of the npm package, and the time of its import' },
  reports: { does: 'reports and the people behind figures at a million mails' },
  audience: { does: 'lists, searches, bulk calls, segments and imports at a million contacts' },
  sending: { does: 'POST /mails/send beside bare inserts; transactional latency; the lanes of mail that waits' },
  submission: { file: 'smtp/submission.ts', does: 'mails by SMTP that the submission server takes a second' },
  campaign: { does: 'a campaign from the call to the last 250, beside a raw blast; freeze and memory' },
  forms: { does: 'sign-up forms a second, of known and unknown addresses, and the job behind them' },
  automations: {
    does: 'enrollments a second beside bare workflows, POST /events/send under load, memory of a worker, events for a million who wait',
  },
  'comes-back': { does: 'pixels and clicks, and inbound letters, beside servers that do nothing with them' },
  console: {
    does: 'the first load of the console, previews, and its pages at a million contacts and during a campaign',
  },
  idle: {
    file: 'scale/idle.ts',
    does: 'memory of `npm start`, five minutes after it, and of each of its processes (--size 300: seconds)',
    isBare: () => true,
  },
  scale: {
    does: 'what an installation of so many machines should do (--machines 10); --measure checks it with 1 to 8 processes',
    isBare: (args) => !args.includes('--measure'),
  },
  migrations: { does: 'contacts a second of an export (a), and pages at the other provider’s pace (b)' },
};

/** The arguments of each bench when all are run. */
const runs: Record<string, string[][]> = { migrations: [['a'], ['b']], scale: [['--measure']] };

const INTERRUPTED = 130;

async function main(args: string[]): Promise<number> {
  const lifetime = newLifetime();
  stopOnSignals(lifetime, INTERRUPTED);
  const code = await runWhatIsAsked(args, lifetime);
  if (!lifetime.stopping) return code;
  await lifetime.stop();
  return INTERRUPTED;
}

async function runWhatIsAsked([name, ...args]: string[], lifetime: Lifetime): Promise<number> {
  // Without servers, for what only computes.
  if (name && benches[name]?.isBare?.(args))
    return spawnSync(process.execPath, [fileOf(name), ...args], { stdio: 'inherit' }).status ?? 1;
  if (name) return (await runAlone(fileOf(name), args, lifetime)) ? 0 : 1;
  const broken: string[] = [];
  for (const each of Object.keys(benches))
    for (const given of runs[each] ?? [[]]) {
      const line = [each, ...given].join(' ');
      if (lifetime.stopping) return INTERRUPTED;
      say(`npm run bench -- ${line}`);
      if (!(await runAlone(fileOf(each), given, lifetime))) broken.push(line);
    }
  say(
    broken.length > 0 ? `Broke down: ${broken.join(', ')}.` : 'All benches ran; the figures are in lab/results/bench.',
  );
  return broken.length > 0 ? 1 : 0;
}

function fileOf(name: string): string {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) throw new StackError(helpOf('bench', benches));
  return join(import.meta.dirname, bench.file ?? `${name}.ts`);
}

runCommand(main);
