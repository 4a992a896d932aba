import type { Deps } from '../core/base/deps.ts';
import { parseId } from '../core/base/ids.ts';
import { cancelMigration, retryMigration, skipMigration } from '../core/migrations/migrations.ts';
import type { Migration, MigrationPhaseName } from '../core/migrations/model.ts';
import { describePhase } from '../core/migrations/rules/phase-order.ts';
import { LIVE } from '../core/migrations/rules/status.ts';
import { CommandError } from './error.ts';

/** Commands of an operator for migrations; docs/operators/migrations.md shows them. */
export const migrationCommands = {
  'migrations list': {
    usage: '',
    does: 'lists the migrations that are queued, running or need attention, and the last ten that are over',
    async run(deps: Deps) {
      const live = await deps.db.migrations.find({ status: { $in: LIVE } }).toArray();
      const over = await deps.db.migrations
        .find({ status: { $nin: LIVE } })
        .sort({ _id: -1 })
        .limit(10)
        .toArray();
      for (const migration of [...live, ...over]) show(migration);
    },
  },
  'migrations show': {
    usage: '<migrationId>',
    does: 'shows the phases of a migration, and why it holds or failed',
    async run(deps: Deps, [id]: string[]) {
      const migration = await find(deps, id);
      show(migration);
      for (const phase of migration.phases) {
        console.log(`  ${describePhase(phase)}`);
        for (const { item, message } of [...phase.errors, ...phase.review]) console.log(`    ${item}: ${message}`);
      }
    },
  },
  'migrations retry': {
    usage: '<migrationId> [fromPhase]',
    does: 'goes on where it stopped, or from a phase; a new provider key is read from PROVIDER_KEY',
    async run(deps: Deps, [id, fromPhase]: string[]) {
      const { projectId, ...migration } = await find(deps, id);
      const wish = { key: process.env.PROVIDER_KEY ?? null, fromPhase: fromPhase as MigrationPhaseName | undefined };
      show(await retryMigration(deps, { _id: projectId }, migration._id.toHexString(), wish));
    },
  },
  'migrations skip': {
    usage: '<migrationId> [reason]',
    does: 'leaves out the phase that holds',
    async run(deps: Deps, [id, ...reason]: string[]) {
      const { projectId, _id } = await find(deps, id);
      show(await skipMigration(deps, { _id: projectId }, _id.toHexString(), reason.join(' ')));
    },
  },
  'migrations cancel': {
    usage: '<migrationId>',
    does: 'ends it; what was migrated stays',
    async run(deps: Deps, [id]: string[]) {
      const { projectId, _id } = await find(deps, id);
      show(await cancelMigration(deps, { _id: projectId }, _id.toHexString()));
    },
  },
};

/** An operator looks over all projects, so this one query names none. */
async function find(deps: Deps, id: string | undefined): Promise<Migration> {
  const _id = parseId(id);
  const migration = _id && (await deps.db.migrations.findOne({ _id }));
  if (!migration) throw new CommandError('There is no such migration; npm run admin -- migrations list shows them.');
  return migration;
}

function show({ _id, projectId, provider, status, phase, run, attention, failureReason, updatedAt }: Migration): void {
  const why = attention ?? failureReason;
  console.log(
    JSON.stringify({ migrationId: _id, projectId, provider, status, phase, run, updatedAt, ...(why ? { why } : {}) }),
  );
}
