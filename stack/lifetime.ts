import { say } from './output.ts';
import { stopWhatIsLeft } from './processes/child.ts';

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Things to stop when this process stops, newest first; also while it is still starting. A process has one lifetime, and its end
 * is final: a thing that is started after it is killed.
 */
export interface Lifetime {
  add(thing: Stoppable): void;
  stop(): Promise<void>;
  readonly stopping: boolean;
  /** The time left of the ten seconds that a stop may take. */
  msLeft(): number;
}

const stopWithinMs = 9_500;
const stillStartingStopMs = 1_000;

export function newLifetime(): Lifetime {
  const things: Stoppable[] = [];
  let stopped: Promise<void> | undefined;
  let began = 0;
  return {
    add: (thing) => {
      things.push(thing);
      if (stopped) stopped = stopped.then(() => thing.stop());
    },
    stop: () => {
      began ||= Date.now();
      stopped ??= stopInReverse(things);
      return stopped;
    },
    get stopping() {
      return stopped !== undefined;
    },
    msLeft: () => stopWithinMs - (Date.now() - began),
  };
}

/** A signal, or the end of the process that started us, stops everything once; more signals change nothing. */
export function stopOnSignals(lifetime: Lifetime, exitCode = 0): void {
  const end = async (why: string) => {
    if (lifetime.stopping) return;
    say(`Stopping (${why}).`);
    await lifetime.stop();
    say('Stopped.');
    process.exit(exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(signal));
  if (process.connected) process.on('disconnect', () => void end('the process that started it is gone'));
}

async function stopInReverse(things: Stoppable[]): Promise<void> {
  for (const thing of things.toReversed()) await thing.stop().catch((error: unknown) => console.error(error));
  await stopWhatIsLeft(stillStartingStopMs);
}
