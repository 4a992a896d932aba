import { prepareNamespace } from '../cli/temporal-namespace.ts';
import { withDeps } from '../cli/with-deps.ts';
import type { Collections } from '../core/base/collections.ts';
import { indexes, makeIndexes } from '../platform/mongo/indexes.ts';
import { type Seed, seedDemo, signInLinkOf } from './demo/seed.ts';
import { StackError, say } from './output.ts';
import { readSettings } from './settings.ts';

interface Prepared {
  seed: Seed;
  /** Signs the owner of the demo in, once; null where the console is not called by a name of this machine. */
  signInUrl: string | null;
}

/** Prepares running servers for the first request: search attributes, indexes, the demo project. */
export async function prepare(env: NodeJS.ProcessEnv, dataDir: string, hasOwnTemporal: boolean): Promise<Prepared> {
  const config = readSettings(env);
  if (!hasOwnTemporal)
    await prepareNamespace(config.temporalAddress, config.temporalNamespace, { own: false }).catch((error: Error) => {
      throw new StackError(
        `Temporal at ${config.temporalAddress} cannot be used (${error.message}); mend it, or leave TEMPORAL_ADDRESS out.`,
      );
    });
  return withDeps(config, async (deps) => {
    await deps.mongo
      .db()
      .command({ ping: 1 })
      .catch((error: Error) => {
        throw new StackError(`MongoDB does not answer (${error.message}); mend MONGODB_URL, or leave it out.`);
      });
    await makeIndexes(deps.db).catch((error: unknown) => makeChangedIndexes(deps.db, error));
    const seed = await seedDemo(deps, dataDir);
    return { seed, signInUrl: await signInLinkOf(deps, seed) };
  });
}

const indexConflicts = [85, 86];

/** A new version may redefine an index; nothing runs yet, so the old one can go. In production a person decides that. */
async function makeChangedIndexes(db: Collections, cause: unknown): Promise<void> {
  if (!isIndexConflict(cause)) throw cause;
  for (const { on, name, key, options } of indexes) {
    const make = () => db[on].createIndex(key, { ...options, name });
    try {
      await make();
    } catch (error) {
      if (!isIndexConflict(error)) throw error;
      await db[on].dropIndex(name);
      await make();
      say(`Index ${name} of ${on} was made anew: its definition has changed.`);
    }
  }
}

function isIndexConflict(error: unknown): boolean {
  return indexConflicts.includes((error as { code?: number }).code ?? 0);
}
