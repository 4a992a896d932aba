import type { Deps } from '../base/deps.ts';

/** So long nothing is announced twice, by this process or after another. */
const EVERY_MS = 500;
/** Of all projects together, in that time: so many keep every process at work. */
const ANNOUNCED_MAX = 100;

/** Announces projects that have more jobs than one process takes at once, so that others take some before it is their turn to look. */
export class Announcements {
  readonly #signals: Deps['signals'];
  readonly #channel: string;
  readonly #lately = new Set<string>();
  #fromMs = performance.now();

  constructor(signals: Deps['signals'], channel: string) {
    this.#signals = signals;
    this.#channel = channel;
  }

  announce(key: string): void {
    if (this.#isNew(key)) this.#signals.publish(this.#channel, key);
  }

  /** The other processes have heard it too. */
  heard(key: string): void {
    this.#isNew(key);
  }

  #isNew(key: string): boolean {
    if (performance.now() - this.#fromMs > EVERY_MS) {
      this.#lately.clear();
      this.#fromMs = performance.now();
    }
    if (this.#lately.has(key) || this.#lately.size >= ANNOUNCED_MAX) return false;
    this.#lately.add(key);
    return true;
  }
}
