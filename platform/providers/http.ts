import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError, type SourceErrorKind } from '../../core/migrations/source.ts';
import { parsedAnswer, parsedTexts, TooManyValues } from './answer-json.ts';
import type { Pace } from './pace.ts';

export const USER_AGENT = 'Everpost/1.0 (migration)';
const ANSWER_BYTES_MAX = 10 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const BACK_OFF_FIRST_MS = 250;
const BACK_OFF_MAX_MS = 15_000;
const TEXT_SHOWN_MAX = 300;
const ERROR_BYTES_MAX = 16 * 1024;

export interface ProviderHttp {
  provider: string;
  baseUrl: string;
  key: string;
  patienceMs: number;
  signal?: AbortSignal | undefined;
  pace: Pace;
  /** The meaning of an answer that is not 2xx. */
  classify(status: number, text: string): Verdict;
}

export interface Verdict {
  kind: SourceErrorKind | 'rate_limited';
  message: string;
}

interface Call<T> {
  path: string;
  method?: 'GET' | 'POST';
  body?: object;
  check: (value: unknown) => T;
  bytesMax?: number;
  /** The answer is one array of texts of any length: `check` gets it in slices, and this joins the results. */
  join?: (slices: T[]) => T;
}

type Outcome<T> = { done: true; value: T } | { done: false; error: SourceError; waitMs: number };

/** One call, paced and repeated until the patience is over; an error that a repeat cannot resolve is thrown at once. */
export async function callProvider<T>(http: ProviderHttp, call: Call<T>): Promise<T> {
  const giveUpAt = performance.now() + http.patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    await http.pace.turn(http.signal);
    const outcome = await tryOnce(http, call);
    if (outcome.done) return outcome.value;
    const waitMs = outcome.waitMs || backOffMs(attempt);
    if (performance.now() + waitMs > giveUpAt) throw outcome.error;
    await sleep(waitMs, undefined, { signal: http.signal });
  }
}

/** An id in a path or a query. An id with half of a surrogate pair is replaced by another one, which the provider does not know. */
export function urlPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

export function backOffMs(attempt: number): number {
  return Math.min(BACK_OFF_FIRST_MS * 2 ** attempt, BACK_OFF_MAX_MS);
}

async function tryOnce<T>(http: ProviderHttp, call: Call<T>): Promise<Outcome<T>> {
  const answer = await fetchOnce(http, call);
  if (answer instanceof SourceError) return { done: false, error: answer, waitMs: 0 };
  const { status, headers, bytes } = answer;
  const heldMs = await http.pace.answered(status, headers);
  if (status >= 200 && status < 300) return readAnswer(http, call, bytes);
  if (status >= 300 && status < 400)
    throw fault(http, 'refused', 'answered with a redirect, which is never followed', status);
  const { kind, message } = http.classify(status, bytes.toString('utf8', 0, ERROR_BYTES_MAX));
  const error = fault(http, kind === 'rate_limited' ? 'unavailable' : kind, message, status);
  if (kind === 'rate_limited' || kind === 'unavailable') return { done: false, error, waitMs: heldMs };
  throw error;
}

interface RawAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

async function fetchOnce<T>(http: ProviderHttp, call: Call<T>): Promise<RawAnswer | SourceError> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const response = await fetch(http.baseUrl + call.path, {
      method: call.method ?? 'GET',
      redirect: 'manual',
      signal: http.signal ? AbortSignal.any([http.signal, timeout]) : timeout,
      headers: {
        authorization: `Bearer ${http.key}`,
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...(call.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    });
    const bytes = await readBytes(http, response, call.bytesMax ?? ANSWER_BYTES_MAX);
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    http.signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    return fault(http, 'unavailable', timeout.aborted ? 'did not answer in time' : 'could not be reached or broke off');
  }
}

/** Counts what arrives after inflation, so that a small answer cannot grow without bound. */
async function readBytes(http: ProviderHttp, response: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) throw fault(http, 'too_large', `answered with more than ${bytesMax} bytes`, response.status);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function readAnswer<T>(http: ProviderHttp, call: Call<T>, bytes: Buffer): Promise<Outcome<T>> {
  const path = call.path.split('?')[0];
  try {
    return { done: true, value: await checkedAnswer(call, bytes) };
  } catch (error) {
    if (error instanceof SyntaxError)
      return { done: false, error: fault(http, 'malformed', 'answered with broken JSON'), waitMs: 0 };
    if (error instanceof TooManyValues)
      throw fault(http, 'too_large', `answered ${path} with more values than a page can have`);
    throw fault(http, 'malformed', `answered ${path} in an unknown shape (${(error as Error).message})`);
  }
}

async function checkedAnswer<T>({ check, join }: Call<T>, bytes: Buffer): Promise<T> {
  if (!join) return check(await parsedAnswer(bytes));
  const slices: T[] = [];
  for await (const slice of parsedTexts(bytes)) slices.push(check(slice));
  return join(slices);
}

function fault(
  { provider, key }: ProviderHttp,
  kind: SourceErrorKind,
  message: string,
  status: number | null = null,
): SourceError {
  const shown = message.replaceAll(key, '[key]').slice(0, TEXT_SHOWN_MAX);
  return new SourceError(kind, `${provider} ${shown}${status === null ? '' : ` (HTTP ${status})`}.`, status);
}
