import { type FindOptions, ReadPreference } from 'mongodb';
import type { Deps } from '../deps.ts';

/** Passed to each read. */
export type ReadOptions = Required<Pick<FindOptions, 'session' | 'readPreference' | 'readConcern'>>;

type ReadDeps = Pick<Deps, 'mongo' | 'config'>;

/** A member that is further behind than this, the least that MongoDB takes, is not asked. */
const BEHIND_MAX_SECONDS = 90;
const readPreference = new ReadPreference('secondaryPreferred', undefined, {
  maxStalenessSeconds: BEHIND_MAX_SECONDS,
});

/**
 * For heavy reads on which no write rests. They go to secondaries and still have everything that was answered before they began, by
 * whichever process: the session has the primary's time, and a member that is not there yet waits until it is.
 */
export async function onSecondaries<T>(deps: ReadDeps, read: (options: ReadOptions) => Promise<T>): Promise<T> {
  const options = await begin(deps);
  try {
    return await read(options);
  } finally {
    await options.session.endSession();
  }
}

/** The same for a read in pages. */
export async function* pagesOnSecondaries<T>(
  deps: ReadDeps,
  read: (options: ReadOptions) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const options = await begin(deps);
  try {
    yield* read(options);
  } finally {
    await options.session.endSession();
  }
}

async function begin({ mongo, config }: ReadDeps): Promise<ReadOptions> {
  const session = mongo.startSession({ causalConsistency: true });
  try {
    await mongo.db(config.mongodbDatabase).command({ ping: 1 }, { session, readPreference: ReadPreference.primary });
  } catch (error) {
    await session.endSession();
    throw error;
  }
  return { session, readPreference, readConcern: { level: 'majority' } };
}
