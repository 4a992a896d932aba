import type { Deps } from '../core/base/deps.ts';
import { clusterFault, plannedCommands, type ShardStep, shard, shardSteps } from '../platform/sharding/shard.ts';
import { CommandError } from './error.ts';

const APPLY = '--apply';
const WITH_DATA = '--with-data';

/** For installations that outgrow one replica set (docs/operators/mongodb.md). */
export const shardingCommands = {
  shard: {
    usage: `[${APPLY} [${WITH_DATA}]]`,
    does: 'prints the commands that shard the collections that grow; with --apply runs them on a mongos, with --with-data also where documents are already',
    async run({ mongo, config }: Deps, args: string[]) {
      const unknown = args.find((arg) => arg !== APPLY && arg !== WITH_DATA);
      if (unknown !== undefined)
        throw new CommandError(`"${unknown}" is no option of shard; there are ${APPLY} and ${WITH_DATA}.`);
      const database = config.mongodbDatabase;
      if (!args.includes(APPLY)) {
        for (const command of plannedCommands(database)) console.log(JSON.stringify(command));
        return;
      }
      const fault = await clusterFault(mongo);
      if (fault) throw new CommandError(fault);
      const steps = await shardSteps(mongo, database);
      refuse(steps, args.includes(WITH_DATA));
      await shard(mongo, database, steps);
      for (const { collection, key, isDone } of steps)
        console.log(JSON.stringify({ collection, key, sharded: isDone ? 'before' : 'now' }));
    },
  },
};

/** Nothing is changed when one collection cannot be sharded. */
function refuse(steps: readonly ShardStep[], withData: boolean): void {
  const faults = steps.flatMap(({ collection, faults: some }) => some.map((fault) => `${collection}: ${fault}`));
  if (faults.length > 0)
    throw new CommandError(`Nothing was changed, because these collections cannot be sharded:\n${faults.join('\n')}`);
  const filled = steps.filter(({ isDone, documents }) => !isDone && documents > 0);
  if (filled.length === 0 || withData) return;
  const shown = filled.map(({ collection, documents }) => `${collection} (${documents})`).join(', ');
  throw new CommandError(
    `Nothing was changed, because these collections have documents: ${shown}. Their indexes are built and their documents move while mail is sent. Take a backup, plan for the load, and repeat it with ${APPLY} ${WITH_DATA}.`,
  );
}
