/** Limits sending to the campaign's rate. */
export interface Pace {
  /** A changed rate holds from now on. null: no limit. */
  set(perSecond: number | null): void;
  /** The number that may be sent now, up to `wanted`. */
  take(wanted: number): number;
  /** Until the next one. */
  waitMs(): number;
}

/** Unused allowance is not saved up for longer than this. */
const BURST_MS = 100;

/**
 * A bucket that holds a tenth of a second's worth, and at least two, so that fractions are not lost; ranges that are sent at the
 * same time have a share each.
 */
export function createPace(perSecond: number | null, shares: number, now = () => performance.now()): Pace {
  let rate = perSecond === null ? null : perSecond / shares;
  let tokens = 1;
  let filledAt = now();

  function fill(): void {
    if (rate === null) return;
    const burst = Math.max(2, (rate * BURST_MS) / 1_000);
    tokens = Math.min(burst, tokens + ((now() - filledAt) / 1_000) * rate);
    filledAt = now();
  }

  return {
    set(changed) {
      const next = changed === null ? null : changed / shares;
      if (next === rate) return;
      fill();
      rate = next;
      filledAt = now();
    },
    take(wanted) {
      if (rate === null) return wanted;
      fill();
      const taken = Math.min(wanted, Math.floor(tokens));
      tokens -= taken;
      return taken;
    },
    waitMs: () => (rate === null || tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rate) * 1_000)),
  };
}
