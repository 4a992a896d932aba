interface BucketOptions {
  /** The most that unused allowance adds up to, at this rate; a second's worth when left out. */
  burst?: (perSecond: number) => number;
  /** The tokens to begin with; a full bucket when left out. */
  tokens?: number;
  now?: () => number;
}

/** Limits how much is begun per second. null: no limit. */
export class TokenBucket {
  readonly #burst: (perSecond: number) => number;
  readonly #now: () => number;
  #perSecond: number | null;
  #tokens: number;
  #filledAt: number;

  constructor(perSecond: number | null, options: BucketOptions = {}) {
    this.#burst = options.burst ?? ((rate) => rate);
    this.#now = options.now ?? (() => performance.now());
    this.#perSecond = perSecond;
    this.#tokens = options.tokens ?? this.#burst(perSecond ?? 0);
    this.#filledAt = this.#now();
  }

  /** A changed rate holds from now on. */
  set(perSecond: number | null): void {
    if (perSecond === this.#perSecond) return;
    this.#fill();
    this.#perSecond = perSecond;
  }

  left(): number {
    this.#fill();
    return this.#perSecond === null ? Number.POSITIVE_INFINITY : Math.floor(this.#tokens);
  }

  /** Less than 0 returns what was spent too early. */
  spend(count: number): void {
    this.#tokens -= count;
  }

  /** The number that may begin now, up to `wanted`. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.left());
    if (this.#perSecond !== null) this.spend(taken);
    return taken;
  }

  /** Until the next one. */
  waitMs(): number {
    const rate = this.#perSecond;
    return rate === null || this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / rate) * 1_000);
  }

  #fill(): void {
    const now = this.#now();
    const rate = this.#perSecond;
    if (rate !== null)
      this.#tokens = Math.min(this.#burst(rate), this.#tokens + ((now - this.#filledAt) / 1_000) * rate);
    this.#filledAt = now;
  }
}
