import type { Answer } from './stand-in.ts';

/** A fault that comes instead of, or before, the answer. */
export type Act =
  | { kind: 'answer'; answer: Answer }
  /** The whole answer, late. */
  | { kind: 'delay'; ms: number }
  /** The answer in pieces, over so many milliseconds. */
  | { kind: 'trickle'; ms: number }
  /** Half of the body as if it were all of it: valid HTTP, broken JSON. */
  | { kind: 'truncate' }
  /** Half of the body, then the connection is gone: an incomplete HTTP message. */
  | { kind: 'cut' }
  | { kind: 'reset' }
  /** Something changes at the source, then the answer is as usual: a key revoked or a contact deleted mid-run. */
  | { kind: 'meanwhile'; run: () => void };

export interface Fault {
  /** Matched against method and path with query: `GET /v3/templates?page_size=200`. */
  on: RegExp;
  /** Lets so many matching requests pass first. */
  skip?: number;
  /** Strikes so many times; default once. */
  times?: number;
  act: Act;
}

export function takeFault(faults: Fault[], request: string): Fault | undefined {
  for (const fault of faults) {
    const { skip = 0, times = 1 } = fault;
    if (times === 0 || !fault.on.test(request)) continue;
    if (skip > 0) {
      fault.skip = skip - 1;
      continue;
    }
    fault.times = times - 1;
    return fault;
  }
  return undefined;
}

export const serverError: Act = {
  kind: 'answer',
  answer: {
    status: 500,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>Internal Server Error</body></html>',
  },
};

export const nullBody: Act = { kind: 'answer', answer: { status: 200, body: null } };

/** Provider A's 429: no Retry-After, the reset as an epoch second or as seconds from now. */
export function tooManyRequestsA(mode: 'epoch' | 'delta', seconds = 1): Act {
  const reset = mode === 'epoch' ? Math.floor(Date.now() / 1000) + seconds : seconds;
  return {
    kind: 'answer',
    answer: {
      status: 429,
      headers: { 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) },
      body: { errors: [{ field: null, message: 'too many requests' }] },
    },
  };
}

export function tooManyRequestsB(name = 'rate_limit_exceeded', message = 'Too many requests.'): Act {
  const headers = { 'retry-after': '1', 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' };
  return { kind: 'answer', answer: { status: 429, headers, body: { statusCode: 429, name, message } } };
}
