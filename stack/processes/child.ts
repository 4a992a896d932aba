/** A running process of ours, however it was started. */
export interface Child {
  readonly pid: number;
  /** Resolves with what ended it, for people: "exit code 1", "SIGKILL". */
  readonly exited: Promise<string>;
  kill(signal: NodeJS.Signals): void;
  stop(graceMs: number, asking?: 'SIGTERM' | 'SIGINT'): Promise<void>;
}

export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return signal;
  return code !== null && code > 128 ? `signal ${code - 128}` : `exit code ${code}`;
}

export function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

/** Everything that runs, also children that are still starting and not yet returned to a caller. */
const alive = new Set<Child>();
let isLeaving = false;

export function watchChild(started: Omit<Child, 'stop'>): Child {
  const child: Child = { ...started, stop: (graceMs, asking = 'SIGTERM') => stopGently(started, graceMs, asking) };
  alive.add(child);
  if (isLeaving) child.kill('SIGKILL');
  void started.exited.then(() => alive.delete(child));
  return child;
}

export async function stopWhatIsLeft(graceMs: number): Promise<void> {
  isLeaving = true;
  await Promise.all([...alive].map((child) => child.stop(graceMs)));
}

/** Asks, waits, then insists. */
async function stopGently(child: Omit<Child, 'stop'>, graceMs: number, asking: NodeJS.Signals): Promise<void> {
  child.kill(asking);
  child.kill('SIGCONT');
  const insist = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await child.exited;
  clearTimeout(insist);
}
