import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleWorkflows } from '../../stack/bundles/workflow-bundle.ts';
import { newLifetime, stopOnSignals } from '../../stack/lifetime.ts';
import { StackError, say, seconds } from '../../stack/output.ts';
import { startServers } from '../../stack/servers/all.ts';
import { helpOf, runCommand } from '../rig/command.ts';
import {
  describe,
  keepResult,
  lastSeconds,
  type Result,
  summarize,
  type Verdict,
} from '../rig/results/drill-results.ts';
import { drills } from './drills.ts';

/** Much of a drill is waiting for leases, so two run side by side, the longest first; those that measure time or need every core run alone, after them. */
const SIDE_BY_SIDE = 2;

/** `npm run drill -- name`: one fault; without a name all but the soak. `--size` makes those smaller or larger that say so. Ends with 1 when a promise was not kept. */
async function main(args: string[]): Promise<number> {
  const { positionals: names, values } = readArgs(args);
  const began = Date.now();
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  const folder = mkdtempSync(join(tmpdir(), 'everpost-drills-'));
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  const strays = noteStrays();
  const kinds = ['mongodb', 'redis', 'temporal'] as const;
  const servers = await startServers({ dataDir: folder, kinds, say, onStarted: (server) => lifetime.add(server) });
  // Drills with servers of their own begin with the environment of this process.
  Object.assign(process.env, await bundleWorkflows(folder), { NODE_COMPILE_CACHE: join(folder, 'compiled') });
  const env = {
    ...process.env,
    ...servers.environment,
    DATA_DIR: folder,
    ...(values.minutes ? { DRILL_MINUTES: values.minutes } : {}),
    ...(values.only ? { DRILL_ONLY: values.only } : {}),
    ...(values.size ? { DRILL_SIZE: values.size } : {}),
  };
  const usual = Object.keys(drills).filter((name) => !drills[name]?.byNameOnly);
  const results = await runAll(names.length > 0 ? names : usual, env);
  await lifetime.stop();
  say(`${summarize(results)} (${seconds(began)})`);
  return results.every(({ kept }) => kept) && strays.length === 0 ? 0 : 1;
}

/** Work that a failed drill has under way is rejected when its servers stop; that must not end the other drills. */
function noteStrays(): unknown[] {
  const strays: unknown[] = [];
  process.on('unhandledRejection', (error) => {
    strays.push(error);
    say(`nobody waited for what failed: ${(error as Error)?.stack ?? error}`);
  });
  return strays;
}

function readArgs(args: string[]) {
  try {
    const read = parseArgs({
      args,
      allowPositionals: true,
      options: { minutes: { type: 'string' }, only: { type: 'string' }, size: { type: 'string' } },
    });
    const unknown = read.positionals.find((name) => !Object.hasOwn(drills, name));
    if (unknown) throw new Error(`There is no drill "${unknown}".`);
    if (read.values.minutes && !(Number(read.values.minutes) > 0)) throw new Error('--minutes is a number.');
    if (read.values.size && !(Number(read.values.size) > 0)) throw new Error('--size is a number.');
    return read;
  } catch (error) {
    throw new StackError(`${(error as Error).message}\n${helpOf('drill', drills)}`);
  }
}

async function runAll(names: string[], env: NodeJS.ProcessEnv): Promise<Result[]> {
  const results: Result[] = [];
  const runNext = async (waiting: string[]) => {
    for (let name = waiting.shift(); name; name = waiting.shift()) results.push(await runDrill(name, env));
  };
  const together = names
    .filter((name) => !drills[name]?.alone)
    .toSorted((one, other) => lastSeconds(other) - lastSeconds(one));
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => runNext(together)));
  await runNext(names.filter((name) => drills[name]?.alone));
  return results;
}

/** A drill that throws counts as not kept; the others still run. */
async function runDrill(name: string, env: NodeJS.ProcessEnv): Promise<Result> {
  const { does, run } = drills[name]!;
  const began = Date.now();
  const lines: Verdict[] = [];
  const note = (line: Verdict) => {
    lines.push(line);
    say(`${name}: ${describe(line)} (${seconds(began)})`);
  };
  try {
    for await (const line of run(env)) note(line);
  } catch (error) {
    note({ kept: false, says: `broke down: ${(error as Error).message}` });
  }
  const kept = lines.length > 0 && lines.every((line) => line.kept);
  const result = { drill: name, does, kept, lines, seconds: Math.round((Date.now() - began) / 1_000) };
  keepResult(result);
  return result;
}

runCommand(main);
