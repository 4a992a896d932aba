import { setTimeout as sleep } from 'node:timers/promises';
import { MongoBulkWriteError, MongoError, MongoServerSelectionError } from 'mongodb';
import type { Deps } from '../deps.ts';
import { unavailableDatabase } from '../errors.ts';
import type { Session } from '../model.ts';

/** The conflicting transaction may last long: retrying without a pause would only load the server. */
const PAUSE_MAX_MS = 32;
const END_WAIT_MS = 300;

/**
 * Runs `work` in a transaction and repeats it whole on a write conflict, within the time a request may take: the driver's own
 * loop runs for two minutes.
 */
export async function inTransaction<T>(
  deps: Pick<Deps, 'mongo' | 'config'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let deadline = performance.now() + deps.config.operationTimeoutMs;
  const made: Made = new Map();
  for (let pauseMs = 1; ; pauseMs = longer(pauseMs)) {
    const session = deps.mongo.startSession();
    madeFor.set(session, made);
    let first: MadeFirst | null = null;
    try {
      session.startTransaction({
        // The latest state, which the caller has read: the one of `snapshot` is older while an earlier commit is under way.
        readConcern: { level: 'majority' },
        writeConcern: { w: 'majority', journal: true },
      });
      const result = await work(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      if (error instanceof MadeFirst) first = error;
      const isTransient = first || hasLabel(error, 'TransientTransactionError') || isBrokenConnection(error);
      if (!isTransient || isAway(error) || performance.now() > deadline) throw error;
    } finally {
      await endSoon(session);
    }
    if (first) deadline += await make(first, made);
    else await sleep(pauseMs);
  }
}

type Made = Map<string, unknown>;
const madeFor = new WeakMap<Session, Made>();

/** Ends the transaction, which is repeated with what was made. */
class MadeFirst extends Error {
  readonly key: string;
  readonly make: () => Promise<unknown>;

  constructor(key: string, make: () => Promise<unknown>) {
    super('a transaction was ended to make something outside it');
    this.key = key;
    this.make = make;
  }
}

/**
 * Makes something that takes long while no transaction is open: the first call with a key ends the transaction, and the repeated one gets what was
 * made. `key` names everything that it depends on and that a concurrent call may change.
 */
export async function madeOutside<T>(session: Session, key: string, make: () => Promise<T>): Promise<T> {
  const made = madeFor.get(session);
  if (!made) return make();
  if (!made.has(key)) throw new MadeFirst(key, make);
  return made.get(key) as T;
}

/** The time that it took, which is none of the database's. */
async function make(first: MadeFirst, made: Made): Promise<number> {
  const begunMs = performance.now();
  made.set(first.key, await first.make());
  return performance.now() - begunMs;
}

function longer(pauseMs: number): number {
  return Math.min(PAUSE_MAX_MS, pauseMs * 2);
}

/** Aborts an open transaction. While the database is down that would take the whole time of a call. */
async function endSoon(session: Session): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WAIT_MS);
  });
  await Promise.race([session.endSession().catch(() => {}), waited]);
  clearTimeout(timer);
}

/** A commit of unknown outcome may be repeated as it is. */
async function commit(session: Session, deadline: number): Promise<void> {
  for (let pauseMs = 1; ; pauseMs = longer(pauseMs)) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      // The driver may fail with an error of the system instead of its own: then the outcome is not known either.
      const isKnown = error instanceof MongoError && !hasLabel(error, 'UnknownTransactionCommitResult');
      if (isKnown || isAway(error)) throw error;
      if (performance.now() > deadline) throw error instanceof MongoError ? error : unavailableDatabase();
      await sleep(pauseMs);
    }
  }
}

/**
 * For work behind a commit that a job repeats, or that the answer can do without: the call is answered, whatever fails. null: it failed, and
 * the log says what happens `instead`.
 */
export async function afterCommit<T>(
  deps: Pick<Deps, 'log'>,
  work: () => Promise<T>,
  instead: string,
): Promise<T | null> {
  try {
    return await work();
  } catch (err) {
    deps.log.warn({ err }, instead);
    return null;
  }
}

/** The driver wraps an error that stops a write of several documents. */
export function causeOf(error: unknown): unknown {
  return error instanceof MongoBulkWriteError && error.errorResponse instanceof Error ? error.errorResponse : error;
}

/** The server was searched for as long as a call may take, so another search would only keep the caller waiting. */
export function isAway(error: unknown): boolean {
  return causeOf(error) instanceof MongoServerSelectionError;
}

/** A connection that breaks during a write does not always fail with an error of the driver. */
export function isBrokenConnection(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof Error && BROKEN.has(String((cause as NodeJS.ErrnoException).code));
}

const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTCONN']);

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
