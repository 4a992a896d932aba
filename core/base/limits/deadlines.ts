import { MongoServerError } from 'mongodb';

const TIME_IS_OVER = 50;

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
}

/** null: the server stopped it, because the time was over. */
export async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === TIME_IS_OVER) return null;
    throw error;
  }
}
