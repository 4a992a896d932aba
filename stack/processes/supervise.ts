import { setTimeout as sleep } from 'node:timers/promises';
import { type Say, seconds } from '../output.ts';
import type { Child } from './child.ts';

const restartDelayMs = 200;
const restartDelayMaxMs = 10_000;
/** A process that exits sooner than this is restarted with back-off. */
const shortLifeMs = 10_000;

interface KeptOptions {
  readonly name: string;
  /** Starts the process and resolves when it really answers. */
  readonly launch: () => Promise<Child>;
  readonly say: Say;
  /** false: what dies stays dead until start() is called (drills decide themselves). */
  readonly restart: boolean;
}

/** A process of ours that is started again when it dies. */
export interface Kept {
  readonly name: string;
  pid(): number | null;
  kill(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  stop: (graceMs?: number, asking?: 'SIGTERM' | 'SIGINT') => Promise<void>;
  /** Called after each start but the first. */
  onRestart(listener: () => void): void;
}

export async function keepRunning({ name, launch, say, restart }: KeptOptions): Promise<Kept> {
  let child: Child | null = null;
  let wanted = true;
  let delayMs = restartDelayMs;
  const listeners: (() => void)[] = [];

  async function start(): Promise<void> {
    wanted = true;
    if (child) return;
    const started = await launch();
    const startedAt = Date.now();
    child = started;
    void started.exited.then((how) => {
      child = null;
      if (Date.now() - startedAt > shortLifeMs) delayMs = restartDelayMs;
      if (wanted && restart) void startAgain(how);
    });
    for (const listener of listeners) listener();
    if (!wanted) await started.stop(0);
  }

  async function startAgain(how: string): Promise<void> {
    say(`${name} ended (${how}); starting it again.`);
    const began = Date.now();
    while (wanted && !child) {
      await sleep(delayMs);
      delayMs = Math.min(delayMs * 2, restartDelayMaxMs);
      if (!wanted) return;
      await start().then(
        () => say(`${name} is back after ${seconds(began)} (process ${child?.pid}).`),
        (error: Error) => say(`${name} did not start: ${error.message} Trying again.`),
      );
    }
  }

  await start();
  return {
    name,
    pid: () => child?.pid ?? null,
    start,
    kill: async (signal) => {
      const ending = child;
      ending?.kill(signal);
      if (signal === 'SIGKILL') await ending?.exited;
    },
    stop: async (graceMs = 5_000, asking = 'SIGTERM') => {
      wanted = false;
      await child?.stop(graceMs, asking);
    },
    onRestart: (listener) => void listeners.push(listener),
  };
}
