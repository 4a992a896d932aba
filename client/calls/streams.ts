import { EverpostError } from '../errors.ts';
import { pause, stepMs } from './retries.ts';
import { parseEvents, type ServerEvent } from './server-events.ts';
import { type Request, readChunks, type Settings, send } from './transport.ts';

export interface StreamOptions {
  /** Ends the stream, which then fails with the code ABORTED; `break` ends it without an error. */
  signal?: AbortSignal;
  /** Called each time the connection is open: what happens from then on is in the stream. */
  onOpen?: () => void;
}

export interface Stream<T> {
  request: Omit<Request, 'timeoutMs' | 'repeats'>;
  /** The id of the last event that was seen. */
  after?: string | undefined;
  onOpen?: StreamOptions['onOpen'] | undefined;
  /** True for the event that the API sends last. */
  isLast?: ((data: T) => boolean) | undefined;
  /** The API may repeat the events of the last seconds after a reconnect. */
  mayRepeat?: boolean | undefined;
  silentMsMax?: number;
}

/** Heartbeats come every fifteen seconds or so: a connection that is silent for longer is broken. */
const SILENT_MS_MAX = 40_000;
/** So many of the last ids are remembered, to leave out repeated events. */
const SEEN_MAX = 10_000;
/** A connection that lived this long was a good one: the waits before the next begin again with the shortest. */
const STEADY_MS = 10_000;
const FINAL_REASONS = ['key_revoked', 'session_ended', 'member_removed', 'project_deleted'];

/** The data of each event. A connection that breaks is opened again after the last event that was seen. */
export async function* openStream<T>(settings: Settings, stream: Stream<T>): AsyncGenerator<T, void> {
  const { operation, signal } = stream.request;
  const position: Position = { lastId: stream.after, seen: new Set() };
  for (let failures = 0; ; ) {
    const openedAt = performance.now();
    let cut = new EverpostError('The connection of the stream ended.', { code: 'NETWORK' });
    try {
      for await (const event of connect(settings, stream, position)) {
        if (event.event === 'closed') cut = closedError(event);
        if (event.event === 'closed' || !isNew(position, event, stream.mayRepeat)) continue;
        if (event.data === undefined) continue;
        failures = 0;
        const data: T = JSON.parse(event.data);
        yield data;
        if (stream.isLast?.(data)) return;
      }
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      cut = error.error;
    }
    if (cut.code === 'STREAM_CLOSED') throw cut;
    failures = performance.now() - openedAt > STEADY_MS ? 1 : failures + 1;
    const delayMs = stepMs(failures);
    settings.onRetry?.({ operation, tries: failures, delayMs, error: cut });
    await pause(delayMs, signal);
  }
}

interface Position {
  lastId: string | undefined;
  seen: Set<string>;
}

/** A connection that was open and broke, unlike one that could not be opened within the time for tries. */
class Broken extends Error {
  readonly error: EverpostError;
  constructor(error: EverpostError) {
    super(error.message);
    this.error = error;
  }
}

async function* connect<T>(settings: Settings, stream: Stream<T>, { lastId }: Position): AsyncGenerator<ServerEvent> {
  const { request, onOpen, silentMsMax: timeoutMs = SILENT_MS_MAX } = stream;
  const headers = { ...request.headers, ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) };
  const opened = await send(settings, { ...request, headers, timeoutMs, repeats: 'always' }, async (found) => found);
  onOpen?.();
  try {
    yield* parseEvents(readChunks(opened));
  } catch (error) {
    const isBroken = error instanceof EverpostError && (error.code === 'NETWORK' || error.code === 'TIMEOUT');
    throw isBroken ? new Broken(error) : error;
  }
}

function isNew(position: Position, { id }: ServerEvent, mayRepeat = false): boolean {
  if (id === undefined) return true;
  position.lastId = id;
  if (!mayRepeat) return true;
  const { seen } = position;
  if (seen.has(id)) return false;
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > SEEN_MAX && oldest !== undefined) seen.delete(oldest);
  return true;
}

function closedError({ data }: ServerEvent): EverpostError {
  const { reason, message } = JSON.parse(data ?? '{}') as { reason: string; message: string };
  const code = FINAL_REASONS.includes(reason) ? 'STREAM_CLOSED' : 'NETWORK';
  return new EverpostError(message, { code, details: reason });
}
