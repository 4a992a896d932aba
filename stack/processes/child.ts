/** A running process of ours, however it was started. */
export interface Child {
  readonly pid: number;
  /** Resolves with what ended it, for people: "exit code 1", "SIGKILL". */
  readonly exited: Promise<string>;
  kill(signal: NodeJS.Signals): void;
  stop(graceMs: number): Promise<void>;
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

/** Asks, waits, then insists. */
export async function stopGently(child: Omit<Child, 'stop'>, graceMs: number): Promise<void> {
  child.kill('SIGTERM');
  child.kill('SIGCONT');
  const insist = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await child.exited;
  clearTimeout(insist);
}
