import { EverpostError, refusalOf } from '../errors.ts';
import { Deadline } from './deadline.ts';
import { aborted, delayBeforeRetry, pause, type Repeats } from './retries.ts';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, its waits and its stream; it then fails with the code ABORTED. */
  signal?: AbortSignal;
  /** The time of one try, in place of the client's. */
  timeoutMs?: number;
}

export interface PostOptions extends CallOptions {
  /**
   * Made once for all tries of the call when left out. A key of your own (an order number) makes calls of different
   * processes, or after a restart, one call for the API, which keeps it for 24 hours.
   */
  idempotencyKey?: string;
}

/** A try that failed and will be repeated. */
export interface Retry {
  /** As in the table of operations: 'mails.send'. */
  operation: string;
  /** Tries so far. */
  tries: number;
  delayMs: number;
  error: EverpostError;
}

export interface Settings {
  fetch: typeof fetch;
  /** Without a slash at its end, and without /v1. */
  baseUrl: string;
  headers: Record<string, string>;
  timeoutMs: number;
  retryForMs: number;
  onRetry: ((retry: Retry) => void) | undefined;
}

/** Bodies that fetch sends in every runtime. */
export type Body = string | Blob | ReadableStream<Uint8Array>;

export interface Request {
  operation: string;
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: Body | undefined;
  repeats: Repeats;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** The head of a 2xx answer, with the deadline under which its body is to be read. */
export interface Opened {
  response: Response;
  deadline: Deadline;
}

/** Sends the request and reads its answer with `read`, again and again as long as the rules of retries allow it. */
export async function send<T>(settings: Settings, request: Request, read: (opened: Opened) => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + settings.retryForMs;
  let mayBeDone = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(await open(settings, request));
    } catch (thrown) {
      const error = thrown as EverpostError;
      // An earlier try deleted it, and its answer was lost.
      if (request.method === 'DELETE' && mayBeDone && isGone(error)) return undefined as T;
      const delayMs = delayBeforeRetry(error, request.repeats, { tries, leftMs: giveUpAt - performance.now() });
      if (delayMs === null) throw error;
      mayBeDone ||= error.status !== 429;
      settings.onRetry?.({ operation: request.operation, tries, delayMs, error });
      await pause(delayMs, request.signal);
    }
  }
}

/** The API names what is not there. A 404 of a gateway has no code, and that of a path which the API does not have is NOT_FOUND. */
function isGone({ status, code }: EverpostError): boolean {
  return status === 404 && code !== null && code.endsWith('_NOT_FOUND');
}

/** One try, until the head of its answer. */
async function open({ fetch, baseUrl, headers }: Settings, request: Request): Promise<Opened> {
  const { method, path, body, timeoutMs, signal } = request;
  const deadline = new Deadline(timeoutMs, signal);
  return guarded(deadline, async () => {
    const init = { method, headers: { ...headers, ...request.headers }, redirect: 'manual', signal: deadline.signal };
    const stream = body instanceof ReadableStream ? { duplex: 'half' } : {};
    const response = await fetch(baseUrl + path, {
      ...init,
      ...(body === undefined ? {} : { body }),
      ...stream,
    } as RequestInit);
    if (!response.ok) throw await refusalOf(response);
    return { response, deadline };
  });
}

/** The whole body, as text. A body that ends too early is a failure of the network. */
export async function readText({ response, deadline }: Opened): Promise<string> {
  const text = await guarded(deadline, () => response.text());
  deadline.stop();
  return text;
}

/** The body piece by piece; each has the time of a try to arrive. */
export async function* readChunks({ response, deadline }: Opened): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      deadline.restart();
      const { done, value } = await guarded(deadline, () => reader.read());
      deadline.rest();
      if (done) return;
      yield value;
    }
  } finally {
    deadline.stop();
    // Closes the connection of a body that is left before its end.
    await reader?.cancel().catch(() => undefined);
  }
}

/** Every failure is an EverpostError, and stops its deadline. */
async function guarded<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    deadline.stop();
    throw failureOf(error, deadline);
  }
}

function failureOf(error: unknown, { isOver, caller }: Deadline): EverpostError {
  if (caller?.aborted) return aborted(caller);
  if (isOver) return new EverpostError('The API did not answer in time.', { code: 'TIMEOUT', cause: error });
  if (error instanceof EverpostError) return error;
  return new EverpostError(`The API could not be reached: ${reasonOf(error)}.`, { code: 'NETWORK', cause: error });
}

/** fetch of Node says only "fetch failed", with the reason as its cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}
