import { setImmediate } from 'node:timers/promises';

/** A text of this length takes some milliseconds to render, scan or encode. */
const LONG = 65_536;
const TURN_MS = 10;

/** Called between two steps over a long text: lets the event loop run other work. */
export async function breathe(text: string | null): Promise<void> {
  if (text !== null && text.length > LONG) await setImmediate();
}

export type Pause = () => Promise<void>;

/** Called between the items of a long loop: lets the event loop run other work after some milliseconds. */
export function breather(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
