import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { endMigration } from '../../core/migrations/finish.ts';
import type { Migration, MigrationStatus } from '../../core/migrations/model.ts';
import { LIVE, migrationsBefore, migrationTransitions } from '../../core/migrations/rules/status.ts';
import { useEnvironment } from '../support/environment.ts';
import { drawnTransitions, pairsOf } from '../support/pictures.ts';

const statuses = Object.keys(migrationTransitions) as MigrationStatus[];
const ends = ['completed', 'completed_with_errors', 'failed', 'cancelled'] as const;

describe('The status of a migration', () => {
  const env = useEnvironment();

  it('changes as the README of the folder draws it', () => {
    expect(drawnTransitions('core/migrations/README.md', '# Migrations')).to.deep.equal(pairsOf(migrationTransitions));
  });

  it('ends only where the table has the transition', async () => {
    for (const status of statuses)
      for (const end of ends) {
        const job = { _id: new ObjectId(), projectId: new ObjectId() };
        await env.deps.db.migrations.insertOne({
          ...job,
          status,
          phases: [],
          version: 1,
          run: 1,
        } as unknown as Migration);
        const ended = await endMigration(env.deps, job, { status: end, failureReason: null });
        const isAllowed = migrationTransitions[status].includes(end);
        expect(ended?.status ?? null, `${status} -> ${end}`).to.equal(isAllowed ? end : null);
        const stored = await env.deps.db.migrations.findOne(job);
        expect(stored?.status).to.equal(isAllowed ? end : status);
      }
  });

  it('is live while a run, or the decision of a person, may still change it', () => {
    expect(migrationsBefore('cancelled')).to.deep.equal({ $in: LIVE });
  });
});
