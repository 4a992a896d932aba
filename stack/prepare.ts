import { makeIndexes } from '../platform/mongo.ts';
import { withDeps } from './deps.ts';
import { type Say, StackError } from './say.ts';
import { type Seed, seedDemo } from './seed.ts';
import type { Servers } from './servers/all.ts';
import { prepareNamespace } from './servers/temporal-namespace.ts';
import { readSettings } from './settings.ts';

/** What stands between running servers and the first request: search attributes, indexes, the demo project. */
export async function prepare(env: NodeJS.ProcessEnv, dataDir: string, servers: Servers, say: Say): Promise<Seed> {
  const config = readSettings(env);
  if (!servers.temporal)
    await prepareNamespace(config.temporalAddress, config.temporalNamespace, { own: false }).catch((error: Error) =>
      say(`Temporal at ${config.temporalAddress} does not answer yet (${error.message}); runs start when it does.`),
    );
  try {
    return await withDeps(config, async (deps) => {
      await makeIndexes(deps.db);
      return seedDemo(deps, dataDir);
    });
  } catch (error) {
    if ((error as Error).name !== 'MongoServerSelectionError') throw error;
    throw new StackError(
      `MongoDB at MONGODB_URL does not answer (${(error as Error).message}); start it, or leave MONGODB_URL out.`,
    );
  }
}
