import { PassThrough, Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Authenticate } from '../../core/accounts/api-keys.ts';
import type { Deps } from '../../core/base/deps.ts';
import { AppError } from '../../core/base/errors.ts';
import { STREAMS_PER_KEY_MAX, type StreamSlots } from '../../platform/stream-slots.ts';
import type { Caller } from './authenticate.ts';
import type { EventStream, ServerEvent } from './endpoint.ts';

/** How often the key of each stream is checked; the authenticator remembers a key for two seconds. */
const CHECK_EVERY_MS = 1_000;
/** A reader that takes nothing for this long while data waits is disconnected. */
const STALLED_MS_MAX = 30_000;
/** Time for the last event to arrive. A reader that was too slow gets longer, since nothing more is written to it. */
const LAST_EVENT_MS = 1_000;
const LAST_EVENT_OF_SLOW_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

const closedMessages = {
  key_revoked: 'The key of this stream was revoked.',
  project_deleted: 'The project of this stream was deleted.',
  too_far_behind: 'The events were not read fast enough; connect again with Last-Event-ID.',
  server_stopping: 'This server is stopping; connect again with Last-Event-ID.',
  unavailable: 'The database cannot be reached at the moment; connect again with Last-Event-ID.',
} as const;
type ClosedReason = keyof typeof closedMessages;

type Events = AsyncIterable<ServerEvent | null>;

interface Options {
  authenticate: Authenticate;
  slots: StreamSlots;
  stalledMs?: number | undefined;
}

export interface EventStreams {
  /** Answers with the events; 429 when the key has its maximum of open streams. */
  serve(context: Context, stream: EventStream, caller: Caller): Promise<void>;
  /** Ends all open streams. */
  stop(): void;
}

export function createEventStreams(deps: Deps, { authenticate, slots, stalledMs = STALLED_MS_MAX }: Options) {
  const open = new Set<OpenStream>();
  const timer = setInterval(() => {
    for (const stream of open) void stream.check();
  }, CHECK_EVERY_MS).unref();

  return {
    async serve(context, served, caller) {
      const free = await slots.take(caller.identity.apiKey.shortId);
      if (!free) throw tooManyStreams();
      if (context.res.closed) return free();
      const stream = openStream(context, served, () => closedReason(deps, authenticate, caller), stalledMs);
      open.add(stream);
      context.res.once('close', () => {
        open.delete(stream);
        free();
      });
    },
    stop() {
      clearInterval(timer);
      for (const stream of open) stream.close('server_stopping');
    },
  } satisfies EventStreams;
}

interface OpenStream {
  check(): Promise<void>;
  close(reason: ClosedReason): void;
}

function openStream(
  context: Context,
  { events, lastEvent }: EventStream,
  reasonToClose: () => Promise<ClosedReason | null>,
  stalledMs: number,
): OpenStream {
  const { res } = context;
  const out = new PassThrough();
  const source = Readable.from(lines(events));
  let isClosed = false;
  let isChecking = false;
  let takenAt = performance.now();
  let cut: NodeJS.Timeout | undefined;
  let cutAt = Number.POSITIVE_INFINITY;

  /** Checks find the same reason again each second, and must not put the end off. */
  function cutWithin(ms: number): void {
    if (performance.now() + ms >= cutAt) return;
    cutAt = performance.now() + ms;
    clearTimeout(cut);
    cut = setTimeout(() => res.destroy(), ms);
  }

  function close(reason: ClosedReason): void {
    cutWithin(reason === 'too_far_behind' ? LAST_EVENT_OF_SLOW_MS : LAST_EVENT_MS);
    if (isClosed) return;
    isClosed = true;
    source.unpipe(out);
    source.destroy();
    out.end(line(lastEvent(reason, closedMessages[reason])));
  }

  async function check(): Promise<void> {
    if (!res.writableNeedDrain) takenAt = performance.now();
    if (performance.now() - takenAt > stalledMs) close('too_far_behind');
    if (isChecking) return;
    isChecking = true;
    // While the database is down no events are sent either, so the stream may wait for it.
    const reason = await reasonToClose().catch(() => null);
    isChecking = false;
    if (reason) close(reason);
  }

  context.status = 200;
  context.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  context.body = out;
  out.write(': connected\n\n');
  source.on('error', () => close('unavailable')).pipe(out);
  res.on('drain', () => {
    takenAt = performance.now();
  });
  res.once('close', () => {
    clearTimeout(cut);
    source.destroy();
  });
  return { check, close };
}

/** The authenticator knows the project of a project key; the project of an admin key is looked up. */
async function closedReason(
  { db }: Deps,
  authenticate: Authenticate,
  { key, identity: { apiKey }, project }: Caller,
): Promise<ClosedReason | null> {
  const identity = await authenticate(key);
  if (identity?.project || !project) return null;
  const { organizationId } = apiKey;
  const isThere = await db.projects.findOne({ _id: project._id, organizationId, deletedAt: null });
  if (!isThere) return 'project_deleted';
  return identity ? null : 'key_revoked';
}

async function* lines(events: Events): AsyncGenerator<string> {
  for await (const event of events) yield event ? line(event) : ': still here\n\n';
}

function line({ id, event, data }: ServerEvent): string {
  const fields = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ];
  return `${fields.join('\n')}\n\n`;
}

function tooManyStreams(): AppError {
  return new AppError(
    'rate_limited',
    `This key has ${STREAMS_PER_KEY_MAX} open streams, the most it may have; close one, or try again in ${RETRY_AFTER_SECONDS} seconds.`,
    { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
