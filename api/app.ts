import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import Koa, { type Context } from 'koa';
import { ObjectId } from 'mongodb';
import { type Authenticate, createAuthenticator } from '../core/accounts/api-keys.ts';
import { requireDomain } from '../core/accounts/scopes.ts';
import type { Deps } from '../core/base/deps.ts';
import { AppError, invalid, unavailable } from '../core/base/errors.ts';
import { readUnsubscribeToken } from '../core/composing/tokens.ts';
import type { RateLimiter } from '../platform/rate-limit.ts';
import type { StreamSlots } from '../platform/stream-slots.ts';
import { authenticateCaller, type Caller, headerValues, rateLimited } from './http/authenticate.ts';
import { bodyLimits, type ReadBody, readJsonBody, tooLarge } from './http/body/body.ts';
import { type Call, type Endpoint, EventStream, type RequestFacts } from './http/endpoint.ts';
import { translateErrors } from './http/errors.ts';
import { createEventStreams, type EventStreams } from './http/event-streams.ts';
import { type Answered, idempotencyKey, withIdempotency } from './http/idempotency.ts';
import { nameRequest } from './http/name.ts';
import { type Observe, observeRequests } from './http/observe.ts';
import { respond } from './http/respond.ts';
import { routeTo } from './http/routing.ts';
import { validateBody, validateQuery } from './http/validate.ts';

export interface AppOptions {
  limiter: RateLimiter;
  slots: StreamSlots;
  observe: Observe;
  /** Tests check every answer against its schema. */
  checkAnswers?: boolean;
  /**
   * How long a stopping server still answers. Each answer closes its connection, so few are open when the server closes, and those are
   * idle.
   */
  drainMs?: number;
  /** How long the reader of a stream may leave data waiting before it is disconnected. */
  stalledMs?: number;
}

export interface App {
  server: Server;
  /** Answers requests on open connections and finishes the ones that are running, then closes. */
  stop(): Promise<void>;
}

const STOP_MS = 6_000;
const IDLE_EVERY_MS = 50;
const LET_IN_MAX = 1_000;

export function createApp(deps: Deps, endpoints: Endpoint[], options: AppOptions): App {
  const koa = new Koa();
  koa.silent = true;
  const authenticate = createAuthenticator(deps);
  const streams = createEventStreams(deps, { ...options, authenticate });
  const served = { ...options, authenticate, streams };

  let stopping = false;
  koa.use(nameRequest(deps));
  koa.use(observeRequests(deps, options.observe));
  koa.use(translateErrors(deps));
  koa.use((context, next) => {
    if (stopping) {
      context.set('Connection', 'close');
      if (context.path === '/health/ready') throw unavailable('This server is stopping; ask another one.');
    }
    checkHost(context);
    return next();
  });
  koa.use(routeTo(endpoints, (endpoint, context) => serve(deps, endpoint, context, served)));

  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 60_000, maxHeaderSize: 16_384, keepAliveTimeout: 65_000 },
    koa.callback(),
  );
  return {
    server,
    async stop() {
      stopping = true;
      await sleep(options.drainMs ?? 0);
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

type ServeOptions = AppOptions & { authenticate: Authenticate; streams: EventStreams };

async function serve(deps: Deps, endpoint: Endpoint, context: Context, options: ServeOptions): Promise<void> {
  context.state.route = endpoint.path;
  context.state.codeless = endpoint.codeless;
  const caller =
    endpoint.key === 'none'
      ? limitPublic(deps, options.limiter, context)
      : await authenticateCaller(deps, options, endpoint, context);
  if (caller) context.state.projectId = caller.project?._id.toHexString();
  const read = await readBody(endpoint, context);
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
  // Before the Idempotency-Key is looked up: a key is not answered with what another key may do.
  if (caller) requireDomain(caller.identity.apiKey, checked);
  const key = idempotencyKey(endpoint, context);

  const run = async ({ seed, at }: { seed: ObjectId; at: Date }) => {
    const call = {
      deps,
      ...callerFacts(caller),
      params: context.params,
      query,
      body: checked,
      request: new Request(context, seed, at),
    } as unknown as Call<never, never>;
    const result = await endpoint.handler(call);
    if (result instanceof EventStream && caller) await options.streams.serve(context, result, caller);
    else respond(context, endpoint, result, options.checkAnswers === true);
  };
  if (key === null || !caller) return run({ seed: new ObjectId(), at: deps.clock.now() });
  const tenant = caller.project?._id ?? caller.identity.apiKey.organizationId;
  const { path, state } = context;
  const keyed = { tenant, key, path, body, fingerprint, endpoint, requestId: state.requestId };
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
  const { identity, project } = caller;
  return { project, apiKey: identity.apiKey, organization: { _id: identity.apiKey.organizationId } };
}

/** A class: an object literal with a getter costs more to create than everything else in it. */
class Request implements RequestFacts {
  readonly #context: Context;
  readonly id: string;
  readonly at: Date;
  readonly seed: ObjectId;

  constructor(context: Context, seed: ObjectId, at: Date) {
    this.#context = context;
    this.id = context.state.requestId;
    this.at = at;
    this.seed = seed;
  }

  get ip(): string {
    return this.#context.state.ip;
  }

  get incoming(): RequestFacts['incoming'] {
    return this.#context.req;
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    const { res } = this.#context;
    if (res.closed) gone.abort();
    else res.once('close', () => gone.abort());
    return gone.signal;
  }

  /** An arrow function, so that it also works when it is taken out of its request. */
  readonly header = (name: string): string => this.#context.get(name);
}

async function readBody(endpoint: Endpoint, context: Context): Promise<ReadBody> {
  const limit = endpoint.bodyLimit ?? 'standard';
  if (endpoint.rawBody) {
    const type = context.get('content-type').split(';')[0]?.trim().toLowerCase() ?? '';
    if (!endpoint.rawBody.includes(type))
      throw new AppError('unsupported_media_type', `Send the body as ${endpoint.rawBody.join(' or ')}.`, {
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    if (Number(context.get('content-length') || 0) > bodyLimits[limit]) throw tooLarge(bodyLimits[limit]);
    return { value: undefined, sizeBytes: 0 };
  }
  if (endpoint.method === 'get' || endpoint.method === 'delete' || context.method === 'HEAD')
    return { value: undefined, sizeBytes: 0 };
  const { body, bodyOptional } = endpoint;
  const required = body !== undefined && !bodyOptional;
  const read = await readJsonBody(context.req, { limit, required, path: context.path });
  return bodyOptional && read.value === undefined ? { ...read, value: {} } : read;
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

function limitPublic(deps: Deps, limiter: RateLimiter, context: Context): null {
  const bucket = publicBucket(deps, context);
  const verdict = bucket === null ? null : limiter.hit(bucket, deps.config.publicRateLimit);
  if (verdict && !verdict.allowed) throw rateLimited(verdict);
  return null;
}

/**
 * Image proxies and company networks exhaust the limit of an address with pixels alone, and mail programs do not repeat a one-click
 * unsubscribe that was refused. So each signed link has a limit of its own, and only invalid tokens count for the address.
 */
function publicBucket({ config }: Deps, { path, params, state }: Context): string | null {
  if (/^\/(t|media)\//.test(path)) return `public:${state.ip}`;
  if (!path.startsWith('/u/')) return null;
  const { token = '' } = params;
  return readUnsubscribeToken(config, token) ? `link:${hash('sha256', token, 'base64url')}` : `guess:${state.ip}`;
}

function checkHost(context: Context): void {
  if (headerValues(context.req, 'host').length > 1) throw invalid('The request has two Host headers.');
}
