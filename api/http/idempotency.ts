import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { ObjectId } from 'mongodb';
import { beginIdempotent, type FirstTry } from '../../core/base/database/idempotency.ts';
import type { Deps } from '../../core/base/deps.ts';
import { invalid, isRefusal } from '../../core/base/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { fingerprintOf } from './fingerprint.ts';

/** While the database is down the caller gets its error after this time, instead of waiting for the key to be released as well. */
const LEAVE_MS_MAX = 500;

const KEY_FORM = /^[\x20-\x7e]{1,256}$/;

/** null: this request has no key, or its endpoint takes none, or gives it to a call of its own. */
export function idempotencyKey(endpoint: Endpoint, context: Context): string | null {
  const given = context.req.headers['idempotency-key'];
  if (given === undefined || !takesIdempotencyKey(endpoint)) return null;
  const key = checkedKey(String(given));
  return endpoint.passesIdempotencyKey ? null : key;
}

export function takesIdempotencyKey({ method, rawBody, isComputed, key }: Endpoint): boolean {
  return method === 'post' && !rawBody && !isComputed && key !== 'none';
}

export function checkedKey(key: string): string {
  if (!KEY_FORM.test(key))
    throw invalid(
      'Idempotency-Key must be 1 to 256 printable ASCII characters.',
      'Idempotency-Key: must be 1 to 256 printable ASCII characters',
    );
  return key;
}

interface Keyed {
  tenant: ObjectId;
  key: string;
  /** The path with its parameters filled in. */
  path: string;
  body: unknown;
  /** Where it was computed with the body. */
  fingerprint?: string | undefined;
  endpoint: Endpoint;
  requestId: string;
}

export interface Answered {
  status: number;
  body: string;
}

/** Runs the work once for each key; a repeat gets the first answer again. */
export async function withIdempotency(
  deps: Deps,
  { tenant, key, path, body, endpoint, requestId, ...read }: Keyed,
  work: (first: Pick<FirstTry, 'seed' | 'at'>) => Promise<Answered>,
): Promise<Answered & { isReplay: boolean }> {
  const fingerprint = read.fingerprint ?? fingerprintOf(endpoint.method.toUpperCase(), path, body);
  const begun = await beginIdempotent(deps, { tenant, key, fingerprint });
  if ('replay' in begun) return { ...begun.replay, isReplay: true };
  let answered: Answered;
  try {
    answered = await work(begun.first);
  } catch (error) {
    const left = (isRefusal(error) ? begun.first.free() : begun.first.leave()).catch(() => {});
    await Promise.race([left, sleep(LEAVE_MS_MAX)]);
    throw error;
  }
  // The work is done, so its answer is returned even when it cannot be stored; the next try derives the same answer again.
  await begun.first.keep(answered.status, withoutSecret(answered.body, endpoint.secret)).catch((error) => {
    deps.log.warn({ requestId, error: String(error) }, 'idempotent answer could not be stored');
  });
  return { ...answered, isReplay: false };
}

function withoutSecret(body: string, secret: string | undefined): string {
  if (!secret) return body;
  const answer = JSON.parse(body);
  delete answer.data?.[secret];
  return JSON.stringify(answer);
}
