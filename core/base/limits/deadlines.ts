import { MongoServerError } from 'mongodb';

const TIME_IS_OVER = 50;

class TimeIsOver extends Error {}

/** A time that several reads share. */
export class Deadline {
  readonly #endsAtMs: number;

  constructor(timeMs: number) {
    this.#endsAtMs = performance.now() + timeMs;
  }

  /** For `maxTimeMS` of a read, which takes 0 for no limit. */
  get leftMs(): number {
    return Math.max(1, Math.ceil(this.#endsAtMs - performance.now()));
  }

  isOver(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  /** For work between reads: `inTime` ends it as it ends a read. */
  check(): void {
    if (this.isOver()) throw new TimeIsOver();
  }
}

/** null: the time was over, so the server stopped it, or `check` did. */
export async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TimeIsOver || (error instanceof MongoServerError && error.code === TIME_IS_OVER)) return null;
    throw error;
  }
}
