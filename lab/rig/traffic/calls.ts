import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';

/** Outcomes of requests: a caller repeats a request with its Idempotency-Key until the answer is final. */
export interface Calls {
  answered: number;
  /** Given up: no final answer in time. */
  unanswered: number;
  /** The connection could not be made. */
  refused: number;
  /** The connection broke under a request. */
  cut: number;
  /** 503, asking to come back. */
  unavailable: number;
  /** 409 IDEMPOTENCY_IN_PROGRESS, or 429: asking to come back. */
  waited: number;
  /** No answer in 20 seconds. */
  hung: number;
  /** Answers that no repeat mends, by status and code: there should be none. */
  wrong: Map<string, number>;
  /** Of each attempt that was answered, in milliseconds. */
  durations: number[];
  /** Of the slowest 503. */
  slowestRefusalMs: number;
  lastAnswerAt: number;
}

export interface Request {
  path: string;
  /** A file is sent as it is, anything else as JSON. */
  body: object | string;
  idempotencyKey: string;
  headers?: Record<string, string>;
}

export interface Line {
  key: string;
  /** Taken in turn; the next one when a connection fails. */
  urls: () => readonly string[];
  /** Between a refusal and the next try; 150 when left out. */
  againMs?: number;
}

const AGAIN_MS = 150;
const ATTEMPT_MS_MAX = 20_000;

export function noCalls(): Calls {
  return {
    ...{ answered: 0, unanswered: 0, refused: 0, cut: 0, unavailable: 0, waited: 0, hung: 0 },
    ...{ wrong: new Map(), durations: [], slowestRefusalMs: 0, lastAnswerAt: 0 },
  };
}

let turn = 0;

/** The data of the first 2xx; null when there was none. */
export async function ask(
  line: Line,
  request: Request,
  calls: Calls,
  mayGoOn: () => boolean,
): Promise<Record<string, unknown> | null> {
  for (let at = turn++; mayGoOn(); at += 1) {
    const urls = line.urls();
    const url = urls[at % urls.length];
    const answer = url === undefined ? null : await attempt(line, url, request, calls);
    if (answer) {
      const { status, code, data } = answer;
      if (status < 300) {
        calls.answered += 1;
        calls.lastAnswerAt = performance.now();
        return data;
      }
      if (status === 503) calls.unavailable += 1;
      else if (status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS') calls.waited += 1;
      else {
        const what = `${status} ${code}`;
        calls.wrong.set(what, (calls.wrong.get(what) ?? 0) + 1);
        return null;
      }
    }
    await sleep(line.againMs ?? AGAIN_MS);
  }
  calls.unanswered += 1;
  return null;
}

/** The same with a key of its own, for as long as `withinMs`. */
export function post(
  line: Line,
  calls: Calls,
  path: string,
  body: object,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<Record<string, unknown> | null> {
  const until = performance.now() + withinMs;
  const request = { path, body, idempotencyKey: new ObjectId().toHexString() };
  return ask(line, request, calls, () => performance.now() < until);
}

/** One request as a caller with this key makes it; a text is sent as it is, anything else as JSON. */
export function send(
  { key }: Pick<Line, 'key'>,
  url: string,
  body: object | string,
  { headers, signal }: Pick<Request, 'headers'> & { signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/** Asks once, of a process that is not disturbed. */
// biome-ignore lint/suspicious/noExplicitAny: a measurement looks into answers of several shapes.
export async function call(caller: Pick<Line, 'key'>, url: string, body: object): Promise<any> {
  const answer = await send(caller, url, body);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export interface Answer {
  status: number;
  code: string;
  data: Record<string, unknown>;
}

async function attempt(line: Line, url: string, request: Request, calls: Calls): Promise<Answer | null> {
  const { path, body, idempotencyKey, headers } = request;
  const began = performance.now();
  try {
    const response = await send(line, url + path, body, {
      headers: { 'Idempotency-Key': idempotencyKey, ...headers },
      signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
    });
    const answer = await answerOf(response);
    const tookMs = performance.now() - began;
    calls.durations.push(tookMs);
    if (answer.status === 503) calls.slowestRefusalMs = Math.max(calls.slowestRefusalMs, tookMs);
    return answer;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === 'TimeoutError') calls.hung += 1;
    else if (cause?.code === 'ECONNREFUSED') calls.refused += 1;
    else calls.cut += 1;
    return null;
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const { data = {}, error } = (await response.json()) as { data?: Answer['data']; error?: { code?: string } };
  return { status: response.status, code: error?.code ?? '', data };
}

/** Outcomes that are a failure under every fault. */
export function brokenCalls({ unanswered, wrong }: Calls): string[] {
  return [
    ...(unanswered > 0 ? [`${unanswered} requests without an answer`] : []),
    ...[...wrong].map(([what, times]) => `${times} answers ${what}`),
  ];
}

export function tellCalls({ answered, refused, cut, unavailable, waited, hung }: Calls): string {
  const repeats = Object.entries({
    refused,
    cut,
    '503': unavailable,
    'in progress': waited,
    'not answered in 20 s': hung,
  })
    .filter(([, times]) => times > 0)
    .map(([why, times]) => `${times} ${why}`);
  return `${answered} requests${repeats.length > 0 ? ` (repeated: ${repeats.join(', ')})` : ''}`;
}
