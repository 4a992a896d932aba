import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newLifetime, stopOnSignals } from '../stack/lifetime.ts';
import { StackError, say, seconds } from '../stack/say.ts';
import { startServers } from '../stack/servers/all.ts';
import { drills, type Verdict } from './drills.ts';

/** `npm run drill -- name`: one fault, on servers of its own; without a name all of them. Ends with 1 when a promise was not kept. */
async function main(names: string[]): Promise<number> {
  const unknown = names.find((name) => !Object.hasOwn(drills, name));
  if (unknown) throw new StackError(`There is no drill "${unknown}".\n${help()}`);
  const chosen = names.length > 0 ? names : Object.keys(drills);
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  const folder = mkdtempSync(join(tmpdir(), 'everpost-drills-'));
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  const kinds = ['mongodb', 'redis', 'temporal'] as const;
  const servers = await startServers({ dataDir: folder, kinds, say, onStarted: (server) => lifetime.add(server) });
  const env = { ...process.env, ...servers.environment, DATA_DIR: folder };
  let broken = 0;
  for (const name of chosen) {
    const began = Date.now();
    for await (const verdict of drills[name]!.run(env)) {
      if (!verdict.kept) broken += 1;
      say(`${name}: ${describe(verdict)} (${seconds(began)})`);
    }
  }
  await lifetime.stop();
  return broken === 0 ? 0 : 1;
}

function describe({ kept, says }: Verdict): string {
  return kept ? says : `${says} NOT AS PROMISED`;
}

function help(): string {
  return `Drills:\n${Object.entries(drills)
    .map(([name, { does }]) => `  npm run drill -- ${name}\n      ${does}`)
    .join('\n')}`;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof StackError ? error.message : error);
    process.exit(1);
  },
);
