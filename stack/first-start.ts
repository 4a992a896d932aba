import { prepareNamespace } from '../cli/temporal-namespace.ts';
import { withDeps } from '../cli/with-deps.ts';
import { makeIndexes } from '../platform/mongo/indexes.ts';
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
    for (const index of await makeIndexes(deps.db)) say(`Index ${index} was made again: its definition has changed.`);
    const seed = await seedDemo(deps, dataDir);
    return { seed, signInUrl: await signInLinkOf(deps, seed) };
  });
}
