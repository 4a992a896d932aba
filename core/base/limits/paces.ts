import type { ShareState } from './budgets.ts';

/** So long a rate is measured; after three times as long without use it is not shown any more. */
const WINDOW_MS = 5_000;

interface Window {
  count: number;
  sinceMs: number;
}

/** Named by what has a rate, in plain words, and its id. */
type Kind = 'campaign' | 'provider B';

interface Noted {
  kind: Kind;
  budget: number;
  window: Window;
  /** The one before. */
  last: Window & { ms: number };
}

declare module '../deps.ts' {
  interface Deps {
    paces: Paces;
  }
}

/**
 * How much this process uses of rates that hold for the installation by other means than shares: of a campaign, whose ranges have equal parts,
 * and of an account at source provider B, whose slots a document assigns.
 */
export class Paces {
  readonly #now: () => number;
  readonly #noted = new Map<string, Noted>();

  constructor({ now = () => performance.now() } = {}) {
    this.#now = now;
  }

  /** One more was begun. `budget`: of the installation, a second. */
  note(kind: Kind, id: string, budget: number): void {
    const nowMs = this.#now();
    const name = `${kind} ${id}`;
    const begun = { count: 0, sinceMs: nowMs };
    const noted = this.#noted.get(name) ?? { kind, budget, window: begun, last: { ...begun, ms: 0 } };
    this.#noted.set(name, noted);
    noted.budget = budget;
    const ms = nowMs - noted.window.sinceMs;
    if (ms >= WINDOW_MS) {
      noted.last = { ...noted.window, ms };
      noted.window = { count: 0, sinceMs: nowMs };
    }
    noted.window.count += 1;
  }

  states(): ShareState[] {
    return this.#lately().map(({ name, budget, inUse }) => stateOf(name, budget, inUse));
  }

  /** All of a kind as one, for metrics, whose labels are no ids. */
  totals(): ShareState[] {
    return [...Map.groupBy(this.#lately(), ({ kind }) => kind)].map(([kind, all]) => {
      const sum = (field: 'budget' | 'inUse') => all.reduce((total, one) => total + one[field], 0);
      return stateOf(kind, sum('budget'), sum('inUse'));
    });
  }

  #lately() {
    const nowMs = this.#now();
    for (const [name, { window }] of this.#noted) if (nowMs - window.sinceMs > 3 * WINDOW_MS) this.#noted.delete(name);
    return [...this.#noted].map(([name, { kind, budget, window, last }]) => {
      const seconds = Math.max(1_000, nowMs - window.sinceMs + last.ms) / 1_000;
      return { name, kind, budget, inUse: (window.count + last.count) / seconds };
    });
  }
}

/** Its part is what a process uses: no share is kept for it. */
function stateOf(name: string, budget: number, inUse: number): ShareState {
  return { name, unit: 'per second', budget, share: inUse, inUse, wanted: inUse, mode: 'shared' };
}
