import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fetchMailPrograms, missingForMailPrograms } from './mail-programs.ts';
import { main as runTests } from './run.ts';

const root = join(import.meta.dirname, '../..');

/** Runs the tests with real mail programs, or the files named, which `npm test` does not find. */
export async function main(args: string[]): Promise<void> {
  const missing = missingForMailPrograms();
  if (missing) {
    console.log(`The tests with real mail programs were skipped: ${missing}.`);
    return;
  }
  process.env.EVERPOST_MAIL_PROGRAMS = await fetchMailPrograms(process.env);
  const files = args.some((arg) => arg.endsWith('.ts')) ? [] : globSync('test/mta/*.mta.ts', { cwd: root }).sort();
  await runTests([...files, ...args]);
}
