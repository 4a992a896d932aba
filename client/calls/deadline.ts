/** A timer fires at once when its time is longer than this, which is 24 days. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Ends a try, or a wait: by its time, or by the signal of the call. `AbortSignal.any` keeps what it joined in memory on Node 20. */
export class Deadline {
  /** True when the time was over; false when the caller aborted, or nothing happened. */
  isOver = false;
  readonly caller: AbortSignal | undefined;
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, caller: AbortSignal | undefined) {
    this.#ms = ms;
    this.caller = caller;
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the whole time again. A time that no timer can have is no limit. */
  restart(): void {
    this.rest();
    if (!(this.#ms <= TIMER_MS_MAX)) return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, this.#ms);
  }

  /** While the caller works on what it got, no time runs. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  stop(): void {
    this.rest();
    this.caller?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.caller?.reason);
}
