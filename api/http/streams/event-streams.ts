import { PassThrough, Readable } from 'node:stream';
import type { Context } from 'koa';
import type { ObjectId } from 'mongodb';
import type { Authenticate } from '../../../core/accounts/api-keys.ts';
import type { AuthenticateSession } from '../../../core/accounts/sessions.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { AppError } from '../../../core/base/errors.ts';
import type { Project } from '../../../core/base/model.ts';
import { STREAMS_PER_KEY_MAX, type StreamSlots } from '../../../platform/redis/stream-slots.ts';
import type { EventStream, ServerEvent } from '../endpoint.ts';
import type { Caller, KeyCaller, MemberCaller, SessionCaller } from '../identity/authenticate.ts';

/** How often the key or session of each stream is checked; the authenticators remember one for two seconds. */
const CHECK_EVERY_MS = 1_000;
/** A reader that takes nothing for this long while data waits is disconnected. */
const STALLED_MS_MAX = 30_000;
/** Time for the last event to arrive. A reader that was too slow gets longer, since nothing more is written to it. */
const LAST_EVENT_MS = 1_000;
const LAST_EVENT_OF_SLOW_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

const closedMessages = {
  key_revoked: 'The key of this stream was revoked.',
  session_ended: 'The session of this stream has ended; sign in again.',
  member_removed: 'You are no longer a member of the organization of this stream.',
  project_deleted: 'The project of this stream was deleted.',
  too_far_behind: 'The events were not read fast enough; connect again with Last-Event-ID.',
  server_stopping: 'This server is stopping; connect again with Last-Event-ID.',
  unavailable: 'The database cannot be reached at the moment; connect again with Last-Event-ID.',
} as const;
type ClosedReason = keyof typeof closedMessages;

type Events = AsyncIterable<ServerEvent | null>;

interface Options {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  slots: StreamSlots;
  stalledMs?: number | undefined;
}

export interface EventStreams {
  /** Answers with the events; 429 when the key has its maximum of open streams. */
  serve(context: Context, stream: EventStream, caller: Caller): Promise<void>;
  /** Ends all open streams. */
  stop(): void;
}

export function createEventStreams(deps: Deps, { slots, stalledMs = STALLED_MS_MAX, ...authenticators }: Options) {
  const open = new Set<OpenStream>();
  const timer = setInterval(() => {
    for (const stream of open) void stream.check();
  }, CHECK_EVERY_MS).unref();

  return {
    async serve(context, served, caller) {
      const free = await slots.take(caller.name);
      if (!free) throw tooManyStreams();
      if (context.res.closed) return free();
      const stream = openStream(context, served, () => closedReason(deps, authenticators, caller), stalledMs);
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

type Authenticators = Pick<Options, 'authenticate' | 'authenticateSession'>;

function closedReason(deps: Deps, authenticators: Authenticators, caller: Caller): Promise<ClosedReason | null> {
  return caller.kind === 'key' ? keyClosed(deps, authenticators, caller) : sessionClosed(deps, authenticators, caller);
}

/** The authenticator knows the project of a project key; the project of an admin key is looked up. */
async function keyClosed(
  deps: Deps,
  { authenticate }: Authenticators,
  { key, apiKey, project }: KeyCaller,
): Promise<ClosedReason | null> {
  const identity = await authenticate(key);
  if (identity?.project || !project) return null;
  if (!(await isProject(deps, apiKey.organizationId, project))) return 'project_deleted';
  return identity ? null : 'key_revoked';
}

/** Every role may read streams. */
async function sessionClosed(
  deps: Deps,
  { authenticateSession }: Authenticators,
  caller: MemberCaller | SessionCaller,
): Promise<ClosedReason | null> {
  const identity = await authenticateSession(caller.token);
  if (!identity) return 'session_ended';
  if (caller.kind === 'session') return null;
  const { member, project } = caller;
  const { organizationId } = member;
  if (!identity.memberships.some(({ _id }) => _id.equals(member._id))) return 'member_removed';
  return !project || (await isProject(deps, organizationId, project)) ? null : 'project_deleted';
}

async function isProject({ db }: Deps, organizationId: ObjectId, { _id }: Pick<Project, '_id'>): Promise<boolean> {
  return (await db.projects.countDocuments({ _id, organizationId, deletedAt: null }, { limit: 1 })) > 0;
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
    `This key or session has ${STREAMS_PER_KEY_MAX} open streams, the most it may have; close one, or try again in ${RETRY_AFTER_SECONDS} seconds.`,
    { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
