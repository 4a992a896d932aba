import { fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { basename } from 'node:path';
import { StackError } from '../output.ts';
import { type Child, describeExit, killIfThere, watchChild } from './child.ts';
import { lastLines, openLog } from './log.ts';

/** The message of a process of ours once it serves requests. */
interface Ready {
  readonly ready: true;
  readonly url?: string;
  readonly port?: number;
}

interface ForkOptions {
  readonly script: string;
  /** For Node itself. */
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
}

const readyWithinMs = 90_000;
/**
 * With an arena of malloc for each of its threads a worker holds fifty megabytes more than it uses. The threshold stays at its default:
 * malloc would raise it to the largest block that was freed, up to 32 MB, and then keep the blocks of large mails.
 */
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Our own processes leave when the channel to us closes; in a group of their own, so that Ctrl-C reaches only us. */
export async function startForked({
  script,
  flags = [],
  args = [],
  logFile,
  env,
}: ForkOptions): Promise<{ child: Child; ready: Ready }> {
  const log = openLog(logFile);
  const forked = fork(script, args, {
    execArgv: [...flags],
    env: { ...malloc, ...env },
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    forked.on('exit', (code, signal) => resolve(describeExit(code, signal)));
    forked.on('error', (error) => resolve(error.message));
  });
  const kill = (signal: NodeJS.Signals) => killIfThere(forked.pid ?? 0, signal);
  const child = watchChild({ pid: forked.pid ?? 0, exited, kill });
  const ready = new Promise<Ready>((resolve) => {
    forked.on('message', (message: Partial<Ready>) => message.ready && resolve(message as Ready));
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`was not ready within ${readyWithinMs / 1000} s`)), readyWithinMs);
  });
  const early = exited.then((how) => Promise.reject(new Error(`ended at once (${how})`)));
  try {
    return { child, ready: await Promise.race([ready, late, early]) };
  } catch (error) {
    kill('SIGKILL');
    const tail = lastLines(logFile, 5);
    throw new StackError(`${basename(script)} ${(error as Error).message}; ${logFile} ends with:\n${tail}`);
  } finally {
    clearTimeout(timer);
    early.catch(() => {});
  }
}
