import { anyFreePort } from '../../../stack/ports.ts';
import { type Received, startReceiver } from '../../../test/support/webhook-receiver.ts';

/** The first tries of every event fail, so that each waits twice: about one second, then about five. */
const FAILED_TRIES = 2;
const WAITS_MS = [1_000, 5_000] as const;
/** A wait may end late by as much as a busy machine needs, never early. */
const LATE_MS_MAX = 20_000;
const STAMP_OFF_MS_MAX = 10_000;

export interface WebhookWaits {
  events: number;
  delivered: number;
  early: number;
  late: number;
  /** Requests whose X-Webhook-Timestamp a receiver would take for a replay. */
  staleStamps: number;
}

/** An endpoint that refuses every event twice, and notes when it was asked by the clock of the drill, which is right. */
export async function startSkewReceiver() {
  const port = await anyFreePort();
  const receiver = await startReceiver(port);
  const tries = new Map<string, { at: number; stampMs: number }[]>();
  const idOf = ({ headers }: Received) => headers['x-webhook-id'] ?? '';
  receiver.answer.write = (response) => {
    const request = receiver.received.at(-1)!;
    const known = tries.get(idOf(request)) ?? [];
    const stampMs = Number(request.headers['x-webhook-timestamp']) * 1_000;
    tries.set(idOf(request), [...known, { at: Date.now(), stampMs }]);
    response.writeHead(known.length < FAILED_TRIES ? 500 : 204).end();
  };
  return {
    url: receiver.url,
    allowed: `127.0.0.1:${port}`,
    stop: () => receiver.stop(),
    delivered: () => [...tries.values()].filter((one) => one.length > FAILED_TRIES).length,
    waits: () => waitsOf([...tries.values()]),
  };
}

function waitsOf(events: { at: number; stampMs: number }[][]): WebhookWaits {
  const gaps = events.flatMap((tries) =>
    WAITS_MS.flatMap((wantedMs, index) => {
      const [before, after] = [tries[index], tries[index + 1]];
      return before && after ? [after.at - before.at - wantedMs] : [];
    }),
  );
  return {
    events: events.length,
    delivered: events.filter((tries) => tries.length > FAILED_TRIES).length,
    early: gaps.filter((overMs) => overMs < 0).length,
    late: gaps.filter((overMs) => overMs > LATE_MS_MAX).length,
    staleStamps: events.flat().filter(({ at, stampMs }) => Math.abs(at - stampMs) > STAMP_OFF_MS_MAX).length,
  };
}
