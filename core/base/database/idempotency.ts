import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Needs } from '../deps.ts';
import { AppError, conflict } from '../errors.ts';
import type { IdempotencyRow, Session } from '../model.ts';
import { DAY_MS } from '../time/durations.ts';
import { isDuplicateKey } from './idempotent-insert.ts';

export const KEPT_MS = DAY_MS;
/** A request that stops renewing this lease counts as dead with its process; the next try of the same key takes over. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;

export interface FirstTry {
  seed: ObjectId;
  at: Date;
  /** Stores a 2xx answer for the next 24 hours. */
  keep(status: number, body: string): Promise<void>;
  /** Frees the key after a refusal, since nothing was written; unless an earlier try may have written, whose ids the next one makes. */
  free(): Promise<void>;
  /** Called after a fault, when it is not known what was written: the next try starts at once, and makes the same ids. */
  leave(): Promise<void>;
}

type Begun = { replay: { status: number; body: string } } | { first: FirstTry };

type IdempotencyDeps = Needs<'clock', 'idempotency'>;

export async function beginIdempotent(
  deps: IdempotencyDeps,
  { tenant, key, fingerprint }: { tenant: ObjectId; key: string; fingerprint: string },
): Promise<Begun> {
  const _id = rowId(tenant, key);
  const row = newRow(deps, _id, fingerprint);
  try {
    await deps.db.idempotency.insertOne(row);
    return { first: firstTry(deps, row) };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const known = await deps.db.idempotency.findOne({ _id });
  if (!known) return beginIdempotent(deps, { tenant, key, fingerprint });
  const now = deps.clock.now();
  if (known.expiresAt <= now) return takeOver(deps, known, row);
  if (known.fingerprint !== fingerprint)
    throw conflict(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another request; use a new one. Nothing was done.',
    );
  if (known.state === 'done') return { replay: { status: known.status ?? 200, body: known.body ?? '' } };
  if (known.leaseUntil <= now) {
    const { first } = await takeOver(deps, known, { ...row, seed: known.seed, startedAt: known.startedAt });
    return { first: { ...first, free: first.leave } };
  }
  throw inProgress();
}

/** In the transaction of what they promise: a row that exists already fails it. */
export async function insertRows(
  { db }: Pick<IdempotencyDeps, 'db'>,
  rows: IdempotencyRow[],
  session: Session,
): Promise<void> {
  if (rows.length > 0) await db.idempotency.insertMany(rows, { session });
}

/** Removes those of these rows whose time is over. */
export async function removeExpiredRows({ db, clock }: IdempotencyDeps, ids: string[]): Promise<void> {
  await db.idempotency.deleteMany({ _id: { $in: ids }, expiresAt: { $lte: clock.now() } });
}

export function rowId(tenant: ObjectId, key: string): string {
  return createHash('sha256').update(`${tenant.toHexString()}|${key}`).digest('base64url');
}

function newRow(deps: IdempotencyDeps, _id: string, fingerprint: string): IdempotencyRow {
  const now = deps.clock.now();
  return {
    _id,
    fingerprint,
    state: 'running',
    seed: new ObjectId(),
    startedAt: now,
    owner: new ObjectId().toHexString(),
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    status: null,
    body: null,
    expiresAt: new Date(now.getTime() + KEPT_MS),
  };
}

async function takeOver(
  deps: IdempotencyDeps,
  known: IdempotencyRow,
  row: IdempotencyRow,
): Promise<{ first: FirstTry }> {
  const { owner, leaseUntil } = known;
  const taken = await deps.db.idempotency.replaceOne({ _id: known._id, owner, leaseUntil }, row);
  if (taken.modifiedCount === 0) throw inProgress();
  return { first: firstTry(deps, row) };
}

function firstTry(deps: IdempotencyDeps, { _id, owner, seed, startedAt }: IdempotencyRow): FirstTry {
  const renewal = setInterval(() => {
    const leaseUntil = new Date(deps.clock.now().getTime() + LEASE_MS);
    deps.db.idempotency.updateOne({ _id, owner, state: 'running' }, { $set: { leaseUntil } }).catch(() => {});
  }, RENEW_EVERY_MS);
  renewal.unref();
  return {
    seed,
    at: startedAt,
    async keep(status, body) {
      clearInterval(renewal);
      await deps.db.idempotency.updateOne({ _id, owner }, { $set: { state: 'done', status, body } });
    },
    async free() {
      clearInterval(renewal);
      await deps.db.idempotency.deleteOne({ _id, owner, state: 'running' });
    },
    async leave() {
      clearInterval(renewal);
      await deps.db.idempotency.updateOne({ _id, owner, state: 'running' }, { $set: { leaseUntil: new Date(0) } });
    },
  };
}

function inProgress(): AppError {
  return new AppError(
    'conflict',
    'The first request with this Idempotency-Key is still running; ask again in a second.',
    {
      code: 'IDEMPOTENCY_IN_PROGRESS',
      retryAfterSeconds: 1,
    },
  );
}
