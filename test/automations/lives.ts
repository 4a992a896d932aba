import { MongoError } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { LEASE_MS } from '../../core/jobs/document-queue.ts';
import { listeningDeps } from './enrollments/crashing-deps.ts';

/** The answer of the database to a dead process, so that none commits again. */
export class Death extends MongoError {}

/** After so many words with the database: killed before that word left, or before its answer came; or replaced by another version. */
export interface LifeEnd {
  words: number;
  how: 'killed before' | 'killed after' | 'replaced';
}

export interface Life {
  deps: Deps;
  /** Nothing that it says leaves it any more. */
  isDead(): boolean;
  /** Its words before it died have arrived. */
  quiet(): Promise<unknown>;
}

/** A process that ends at one of its words, if `end` says so. */
export function newLife(deps: Deps, end: LifeEnd | undefined, onEnd: () => void): Life {
  const underWay = new Set<Promise<unknown>>();
  let words = 0;
  let isDead = false;
  async function say<T>(work: () => Promise<T>): Promise<T> {
    if (isDead) throw new Death('this process is dead');
    words += 1;
    const isLast = words === end?.words;
    if (isLast) {
      isDead = end?.how !== 'replaced';
      onEnd();
    }
    if (isLast && end?.how === 'killed before') throw new Death('this process is dead');
    const answer = work();
    const arrived = answer.catch(() => undefined).finally(() => underWay.delete(arrived));
    underWay.add(arrived);
    await arrived;
    if (isDead) throw new Death('this process is dead');
    return answer;
  }
  const silent = {
    debug() {},
    info() {},
    warn() {},
    error: (...given: [object, string]) => isDead || deps.log.error(...given),
  };
  const own = listeningDeps({ ...deps, log: silent }, say);
  const { enroll, wakeEnrollment } = own.workflows;
  const workflows = {
    ...own.workflows,
    enroll: (...given: Parameters<typeof enroll>) => say(() => enroll(...given)),
    wakeEnrollment: (...given: Parameters<typeof wakeEnrollment>) => say(() => wakeEnrollment(...given)),
  };
  return { deps: { ...own, workflows }, isDead: () => isDead, quiet: () => Promise.all(underWay) };
}

/** Those of a process that died end after 30 seconds; tests do not wait for that. */
export async function endLeases({ db }: Deps): Promise<void> {
  const now = Date.now();
  const leased = { dueAt: { $gt: new Date(now), $lte: new Date(now + LEASE_MS) } };
  const freed = { $set: { dueAt: new Date(0) } };
  await Promise.all([
    db.triggers.updateMany(leased, freed),
    db.events.updateMany(leased, freed),
    db.enrollments.updateMany(leased, freed),
    db.automations.updateMany(leased, freed),
    db.awaitedDates.updateMany(leased, freed),
    db.formSubmissions.updateMany(leased, freed),
  ]);
}
