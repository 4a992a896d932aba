import { makeIndexes } from '../platform/mongo.ts';
import { withDeps } from './deps.ts';
import { StackError } from './say.ts';
import { type Seed, seedDemo } from './seed.ts';
import type { Servers } from './servers/all.ts';
import { prepareNamespace } from './servers/temporal-namespace.ts';
import { readSettings } from './settings.ts';

/** What stands between running servers and the first request: search attributes, indexes, the demo project. */
export async function prepare(env: NodeJS.ProcessEnv, dataDir: string, servers: Servers): Promise<Seed> {
  const config = readSettings(env);
  if (!servers.temporal)
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
    await makeIndexes(deps.db);
    return seedDemo(deps, dataDir);
  });
}
