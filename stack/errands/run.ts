import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { StackError } from '../output.ts';
import type { errands } from './errands.ts';

export interface Errand {
  readonly id: number;
  readonly name: keyof typeof errands;
  readonly args: unknown[];
}

export interface Done {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: { readonly message: string; readonly stack?: string; readonly isForPeople: boolean };
}

interface Helper {
  readonly child: ChildProcess;
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>;
}

const script = join(import.meta.dirname, 'main.ts');
const idleMs = 3_000;

let helper: Helper | null = null;
let lastId = 0;

/**
 * The clients of MongoDB and Temporal take eighty megabytes, and this process lives for months after the seconds in which it needs
 * them. So a helper process does what needs them, and ends when nothing has been asked of it for a while.
 */
export async function runErrand<Name extends keyof typeof errands>(
  name: Name,
  ...args: Parameters<(typeof errands)[Name]>
): Promise<Awaited<ReturnType<(typeof errands)[Name]>>> {
  helper ??= startHelper();
  const { child, waiting } = helper;
  const id = ++lastId;
  const outcome = Promise.withResolvers<unknown>();
  waiting.set(id, outcome);
  child.send({ id, name, args } satisfies Errand, (error) => error && outcome.reject(error));
  try {
    return (await outcome.promise) as Awaited<ReturnType<(typeof errands)[Name]>>;
  } finally {
    waiting.delete(id);
    setTimeout(() => endIfIdle(child, waiting), idleMs).unref();
  }
}

/** It is detached, so that Ctrl-C reaches only us; it ends when the channel closes. */
function startHelper(): Helper {
  const child = fork(script, { execArgv: [], detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting: Helper['waiting'] = new Map();
  const started = { child, waiting };
  child.on('message', ({ id, result, fault }: Done) => {
    if (fault) waiting.get(id)?.reject(errorOf(fault));
    else waiting.get(id)?.resolve(result);
  });
  const isGone = (why: string) => {
    if (helper === started) helper = null;
    for (const { reject } of waiting.values()) reject(new Error(why));
  };
  child.on('error', (error) => isGone(error.message));
  child.on('exit', () => isGone('The helper process ended.'));
  return started;
}

function endIfIdle(child: ChildProcess, waiting: Helper['waiting']): void {
  if (waiting.size > 0 || !child.connected) return;
  if (helper?.child === child) helper = null;
  child.disconnect();
}

function errorOf({ message, stack, isForPeople }: NonNullable<Done['fault']>): Error {
  return isForPeople ? new StackError(message) : Object.assign(new Error(message), { stack });
}
