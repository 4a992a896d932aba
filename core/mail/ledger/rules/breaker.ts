export const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 60_000;

/** Decides whether to try a relay. Times are monotonic milliseconds. */
export interface Breaker {
  /** Faults since the last success. */
  faults: number;
  openUntil: number;
  /** The single try of the half-open state is in progress. */
  trial: boolean;
}

type BreakerState = 'closed' | 'open' | 'half-open';

export const CLOSED_BREAKER: Breaker = Object.freeze({ faults: 0, openUntil: 0, trial: false });

export function breakerState(breaker: Breaker, now: number): BreakerState {
  if (breaker.faults === 0) return 'closed';
  return now < breaker.openUntil ? 'open' : 'half-open';
}

/** One fault opens it: half a second is a small loss, and a single success closes it again. */
export function afterFault(breaker: Breaker, now: number): Breaker {
  if (breakerState(breaker, now) === 'open') return breaker;
  const faults = breaker.faults + 1;
  return { faults, openUntil: now + pauseMs(faults), trial: false };
}

/** Half-open allows one try at a time; null: not now. */
export function startTrial(breaker: Breaker, now: number): Breaker | null {
  return breakerState(breaker, now) === 'half-open' && !breaker.trial ? { ...breaker, trial: true } : null;
}

/** The try ended without a result about the relay, so the next one may start. */
export function endTrial(breaker: Breaker): Breaker {
  return breaker.trial ? { ...breaker, trial: false } : breaker;
}

function pauseMs(faults: number): number {
  return Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(faults - 1, 20));
}
