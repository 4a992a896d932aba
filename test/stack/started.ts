import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
export const startsWithinMs = 240_000;

export interface Stack {
  readonly apiUrl: string;
  readonly publicUrl: string;
  readonly projectKey: string;
  readonly mongoUrl: string;
  readonly mailboxUrl: string;
  readonly smtpUrl: string;
  readonly processes: { name: string; pid: number }[];
}

export interface Started {
  entry: ChildProcess;
  said(): string;
}

/** `npm start` with its data in this folder. */
export function startStack(folder: string, env: NodeJS.ProcessEnv = {}): Started {
  const entry = spawn(process.execPath, [join(root, 'stack/entry.mjs'), 'start'], {
    env: { ...withoutServers(), DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [entry.stdout, entry.stderr]) stream.on('data', (chunk) => (said += chunk));
  return { entry, said: () => said };
}

export async function stackOnceItRuns(folder: string, { entry, said }: Started): Promise<Stack> {
  await until(() => said().includes('Ctrl-C') || entry.exitCode !== null, startsWithinMs);
  if (!said().includes('Everpost runs after')) throw new Error(`npm start does not run: ${said()}`);
  return JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8'));
}

export async function stop(entry: ChildProcess | undefined): Promise<number | null | undefined> {
  if (!entry || entry.exitCode !== null || entry.signalCode) return entry?.exitCode;
  entry.kill('SIGTERM');
  await once(entry, 'exit');
  return entry.exitCode;
}

export async function until(isTrue: () => boolean, withinMs: number): Promise<void> {
  for (const end = Date.now() + withinMs; !isTrue() && Date.now() < end; )
    await new Promise((tick) => setTimeout(tick, 50));
}

/** The suite's own servers must not be taken for a person's. */
function withoutServers(): NodeJS.ProcessEnv {
  const ours = /^(MONGODB|REDIS|TEMPORAL|SMTP|WORKER|PORT|PUBLIC_URL|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
