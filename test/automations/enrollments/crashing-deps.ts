import type { Collection, MongoClient } from 'mongodb';
import { type Deps, openCore } from '../../../core/base/deps.ts';

export class Crash extends Error {}

/** before: the write never left this process. after: it was done, and its answer was lost. */
export type When = 'before' | 'after';

/** The process dies at its n-th word with the database. Answers whether it got that far. */
export function crashingDeps(deps: Deps, n: number, when: When): { deps: Deps; crashed(): boolean } {
  let words = 0;
  let crashed = false;
  async function say<T>(work: () => Promise<T>): Promise<T> {
    words += 1;
    const isIt = words === n;
    if (isIt) crashed = true;
    if (isIt && when === 'before') throw new Crash();
    const answer = await work();
    if (isIt) throw new Crash();
    return answer;
  }
  return { deps: listeningDeps(deps, say), crashed: () => crashed };
}

/** A process of which `say` sees each word with the database. */
export function listeningDeps(deps: Deps, say: Say): Deps {
  const db = Object.fromEntries(
    Object.entries(deps.db).map(([name, collection]) => [name, listening(collection as Collection, say)]),
  ) as unknown as Deps['db'];
  const mongo = {
    db: deps.mongo.db.bind(deps.mongo),
    startSession: () => {
      const session = deps.mongo.startSession();
      const commit = session.commitTransaction.bind(session);
      session.commitTransaction = () => say(commit);
      return session;
    },
  } as MongoClient;
  return openCore({ ...deps, db, mongo });
}

/** Another call is made between a decision and its commit: before the first read of the first transaction. */
export function interruptedDeps(deps: Deps, call: () => Promise<unknown>): Deps {
  let isFirst = true;
  const enrollments = new Proxy(deps.db.enrollments, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (name !== 'find' || !isFirst) return typeof method === 'function' ? method.bind(target) : method;
      isFirst = false;
      return (...args: Parameters<typeof target.find>) => {
        const cursor = target.find(...args);
        const read = cursor.toArray.bind(cursor);
        cursor.toArray = async () => {
          await call();
          return read();
        };
        return cursor;
      };
    },
  });
  return openCore({ ...deps, db: { ...deps.db, enrollments } });
}

/** A process of which the first commit is done by `around`. */
export function committingDeps(deps: Deps, around: (commit: () => Promise<void>) => Promise<void>): Deps {
  let isFirst = true;
  const startSession = () => {
    const session = deps.mongo.startSession();
    const commit = session.commitTransaction.bind(session);
    session.commitTransaction = () => {
      const own = isFirst;
      isFirst = false;
      return own ? around(commit) : commit();
    };
    return session;
  };
  return openCore({ ...deps, mongo: { db: deps.mongo.db.bind(deps.mongo), startSession } as MongoClient });
}

export type Say = <T>(work: () => Promise<T>) => Promise<T>;

function listening(collection: Collection, say: Say): Collection {
  return new Proxy(collection, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name === 'find' || name === 'aggregate')
        return (...args: unknown[]) => listeningCursor(method.apply(target, args), say);
      return (...args: unknown[]) => say(() => method.apply(target, args));
    },
  });
}

function listeningCursor<C extends { toArray(): Promise<unknown> }>(cursor: C, say: Say): C {
  const toArray = cursor.toArray.bind(cursor);
  cursor.toArray = () => say(toArray);
  return cursor;
}
