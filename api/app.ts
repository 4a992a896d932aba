import { createServer, type Server } from 'node:http';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import Koa, { type Context } from 'koa';
import { ObjectId } from 'mongodb';
import { type Authenticate, createAuthenticator } from '../core/accounts/api-keys.ts';
import { requireDomain } from '../core/accounts/scopes.ts';
import { type AuthenticateSession, createSessionAuthenticator } from '../core/accounts/sessions.ts';
import type { Deps } from '../core/base/deps.ts';
import { invalid, unavailable } from '../core/base/errors.ts';
import type { Maker } from '../core/base/maker.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import type { StreamSlots } from '../platform/redis/stream-slots.ts';
import type { OpenedConsole } from './console/files.ts';
import { serveConsole } from './console/serve.ts';
import type { JsonPool, ReadBody } from './http/body/body.ts';
import { readBody } from './http/body/read.ts';
import { type Call, type Endpoint, EventStream } from './http/endpoint.ts';
import { translateErrors } from './http/errors.ts';
import { headerValues } from './http/header-values.ts';
import { type Answered, idempotencyKey, withIdempotency } from './http/idempotency.ts';
import { authenticateCaller, type Caller, limitCostly } from './http/identity/authenticate.ts';
import { nameRequest } from './http/name.ts';
import { type Observe, observeRequests } from './http/observe.ts';
import { limitPublic } from './http/public-limit.ts';
import { Request } from './http/request.ts';
import { respond } from './http/respond.ts';
import { routeTo } from './http/routing.ts';
import { createEventStreams, type EventStreams } from './http/streams/event-streams.ts';
import { validateBody, validateQuery } from './http/validate.ts';
import { limitWriting } from './http/writing.ts';

export interface AppOptions {
  limiter: RateLimiter;
  slots: StreamSlots;
  observe: Observe;
  /** Tests check every answer against its schema. */
  checkAnswers?: boolean;
  /** How long the reader of an answer or a stream may leave data waiting before it is disconnected. */
  stalledMs?: number;
  /** The threads that parse large bodies; left out: those of the process. */
  jsonPool?: JsonPool;
  /** Left out: there is no console. */
  console?: OpenedConsole;
}

export interface App {
  server: Server;
  /**
   * Answers requests on open connections for `drainMs` and finishes the ones that are running, then closes. Each answer closes its
   * connection, so few are open when the server closes, and those are idle.
   */
  stop(drainMs?: number): Promise<void>;
}

const STOP_MS = 6_000;
const IDLE_EVERY_MS = 50;
const LET_IN_MAX = 1_000;
/** Shorter ones are parsed and validated in some milliseconds. */
const LONG_BODY_BYTES = 65_536;

export function createApp(deps: Deps, endpoints: Endpoint[], options: AppOptions): App {
  const koa = new Koa();
  koa.silent = true;
  const authenticate = createAuthenticator(deps);
  const authenticateSession = createSessionAuthenticator(deps);
  const streams = createEventStreams(deps, { ...options, authenticate, authenticateSession });
  const served = { ...options, authenticate, authenticateSession, streams };

  let stopping = false;
  koa.use(nameRequest(deps));
  koa.use(observeRequests(deps, options.observe));
  koa.use(limitWriting(options));
  koa.use(translateErrors(deps));
  koa.use((context, next) => {
    if (stopping) {
      context.set('Connection', 'close');
      if (context.path === '/health/ready') throw unavailable('This server is stopping; ask another one.');
    }
    checkHost(context);
    return next();
  });
  if (options.console) koa.use(serveConsole(options.console));
  koa.use(routeTo(endpoints, (endpoint, context) => serve(deps, endpoint, context, served)));

  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 60_000, maxHeaderSize: 16_384, keepAliveTimeout: 65_000 },
    koa.callback(),
  );
  return {
    server,
    async stop(drainMs = 0) {
      stopping = true;
      await sleep(drainMs);
      await acceptPending(server);
      streams.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection that waits for its answer when the server closes stays open after the answer.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS);
      const late = setTimeout(() => server.closeAllConnections(), STOP_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
      authenticate.stop();
      authenticateSession.stop();
    },
  };
}

/**
 * One connection is accepted in each turn of the event loop; connections still waiting in the kernel when the server closes would be cut
 * off.
 */
async function acceptPending(server: Server): Promise<void> {
  let hasCome = true;
  const note = () => {
    hasCome = true;
  };
  server.on('connection', note);
  for (let turn = 0; hasCome && turn < LET_IN_MAX; turn += 1) {
    hasCome = false;
    await immediate();
  }
  server.off('connection', note);
}

interface ServeOptions extends AppOptions {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  streams: EventStreams;
}

async function serve(deps: Deps, endpoint: Endpoint, context: Context, options: ServeOptions): Promise<void> {
  context.state.route = endpoint.path;
  context.state.codeless = endpoint.codeless;
  const caller =
    endpoint.key === 'none'
      ? limitPublic(deps, options.limiter, endpoint, context)
      : await authenticateCaller(deps, options, endpoint, context);
  if (caller) context.state.projectId = caller.project?._id.toHexString();
  const read = await readBody(endpoint, context, options.jsonPool);
  try {
    await answer(deps, endpoint, context, { caller, read, options });
  } finally {
    read.release?.();
  }
}

async function answer(
  deps: Deps,
  endpoint: Endpoint,
  context: Context,
  { caller, read, options }: { caller: Caller | null; read: ReadBody; options: ServeOptions },
): Promise<void> {
  const { value: body, sizeBytes, fingerprint } = read;
  const query = endpoint.query ? validateQuery(endpoint.query, plainQuery(context)) : {};
  const checked = endpoint.body ? validateBody(endpoint.body, bodyObject(endpoint, body), sizeBytes) : undefined;
  // Parsing and validating a long body has filled a turn of the event loop; its fingerprint and its work come in another.
  if (sizeBytes > LONG_BODY_BYTES) await immediate();
  // Before the Idempotency-Key is looked up: a key is not answered with what another key may do.
  if (caller?.kind === 'key') requireDomain(caller.apiKey, checked);
  const key = idempotencyKey(endpoint, context);

  const run = async ({ seed, at }: { seed: ObjectId; at: Date }) => {
    const call = {
      deps,
      ...callerFacts(caller),
      params: context.params,
      query,
      body: checked,
      request: new Request(deps, context, { seed, at, by: makerOf(caller) }),
      limitCostly: (other: Endpoint) => limitCostly(options.limiter, other, caller?.project ?? null),
    } as unknown as Call<never, never>;
    if (endpoint.heldBytes) await call.request.held.take(endpoint.heldBytes);
    const result = await endpoint.handler(call);
    if (result instanceof EventStream && caller) await options.streams.serve(context, result, caller);
    else respond(context, endpoint, result, options.checkAnswers === true);
  };
  if (key === null || !caller) return run({ seed: new ObjectId(), at: deps.clock.now() });
  const { path, state } = context;
  const keyed = { tenant: caller.tenant, key, path, body, fingerprint, endpoint, requestId: state.requestId };
  const answered = await withIdempotency(deps, keyed, async (first) => {
    await run(first);
    return { status: context.status, body: String(context.body) };
  });
  if (answered.isReplay) replay(context, answered);
}

function replay(context: Context, { status, body }: Answered): void {
  context.status = status;
  context.type = 'application/json';
  context.set('Idempotency-Replayed', 'true');
  context.body = body;
}

function callerFacts(caller: Caller | null): object {
  if (!caller) return {};
  const { project } = caller;
  switch (caller.kind) {
    case 'key':
      return { project, apiKey: caller.apiKey, member: null, organization: { _id: caller.apiKey.organizationId } };
    case 'member':
      return { project, apiKey: null, member: caller.member, organization: { _id: caller.member.organizationId } };
    case 'session':
      return { session: caller.session, memberships: caller.memberships };
  }
}

function makerOf(caller: Caller | null): Maker | undefined {
  if (caller?.kind !== 'member') return undefined;
  const { _id: memberId, role } = caller.member;
  return { memberId, role };
}

function bodyObject({ bareArrayAs }: Endpoint, body: unknown): unknown {
  return bareArrayAs && Array.isArray(body) ? { [bareArrayAs]: body } : body;
}

/** A parameter given twice would be an array, which no endpoint takes. */
function plainQuery(context: Context): Record<string, string> {
  for (const [name, value] of Object.entries(context.query)) {
    if (Array.isArray(value)) throw invalid(`${name}: is given twice.`, `${name}: is given twice`);
    if (value?.includes('\u0000') || value?.includes('\ufffd'))
      throw invalid(`${name}: is not valid text.`, `${name}: is not valid text`);
  }
  return context.query as Record<string, string>;
}

function checkHost(context: Context): void {
  if (headerValues(context.req, 'host').length > 1) throw invalid('The request has two Host headers.');
}
