interface DatabaseClock {
  now(): Date;
  /** Resolves when the database was asked once, or could not be reached for a while. */
  ready: Promise<void>;
  stop(): void;
}

const ASK_EVERY_MS = 10_000;
const READY_MS_MAX = 2_000;

/**
 * The database's time, advanced by the monotonic clock: all processes decide by one clock, even when the calendar of a machine is wrong or
 * is set. Until the database is reached it is the machine's own. A difference within the round-trip time is ignored, so that time does not
 * jitter.
 */
export function createClock(
  ask: () => Promise<Date>,
  { wall = Date.now, monotonic = () => performance.now() }: { wall?: () => number; monotonic?: () => number } = {},
): DatabaseClock {
  let base = wall() - monotonic();
  const readClock = async () => {
    const askedAt = monotonic();
    const there = (await ask()).getTime();
    const halfMs = (monotonic() - askedAt) / 2;
    const found = there - (askedAt + halfMs);
    if (Math.abs(found - base) > halfMs + 1) base = found;
  };
  const readIfPossible = () => readClock().catch(() => {});
  const timer = setInterval(readIfPossible, ASK_EVERY_MS).unref();
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, READY_MS_MAX);
  });
  const ready = Promise.race([readIfPossible(), late]).finally(() => clearTimeout(patience));
  return { now: () => new Date(base + monotonic()), ready, stop: () => clearInterval(timer) };
}
