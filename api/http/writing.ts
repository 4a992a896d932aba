import type { Context, Next } from 'koa';

/** A reader that takes nothing for this long is disconnected. */
const STALLED_MS_MAX = 60_000;
/** For an answer of a known length: 25 MB at 42 kB/s. */
const WHOLE_MS_MAX = 600_000;
/** For a download that is made while it is read. */
const MADE_MS_MAX = 3_600_000;
/** The buffers of a connection take a smaller answer at once. */
const SMALL_BYTES = 64 * 1024;

/** Limits the time of writing an answer, so that a slow reader gives its memory back. Event streams watch their readers by themselves. */
export function limitWriting({ stalledMs = STALLED_MS_MAX }: { stalledMs?: number }) {
  return async (context: Context, next: Next): Promise<void> => {
    await next();
    const { res, body, length } = context;
    if (!body || res.closed || context.type === 'text/event-stream' || (length ?? SMALL_BYTES) < SMALL_BYTES) return;
    const cut = () => res.destroy();
    const late = setTimeout(cut, length === undefined ? MADE_MS_MAX : WHOLE_MS_MAX);
    res.once('close', () => clearTimeout(late));
    res.setTimeout(stalledMs, cut);
  };
}
