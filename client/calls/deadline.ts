/** Ends a try: by its time, or by the signal of the call. `AbortSignal.any` keeps what it joined in memory on Node 20. */
export class Deadline {
  /** True when the time was over; false when the caller aborted, or nothing happened. */
  isOver = false;
  readonly #ms: number;
  readonly #caller: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, caller: AbortSignal | undefined) {
    this.#ms = ms;
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get caller(): AbortSignal | undefined {
    return this.#caller;
  }

  /** From now on the whole time again. */
  restart(): void {
    this.rest();
    if (!Number.isFinite(this.#ms)) return;
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
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);
}
