import type { WorkflowHandle } from '@temporalio/client';
import type { NextStep } from '../../core/migrations/run.ts';
import { signals } from '../../workflows/messages.ts';
import { until } from '../support/wait.ts';
import type { Scenario } from '../workflows/scenarios.ts';

const run = { projectId: '0123456789abcdef01234567', migrationId: '89abcdef0123456789abcdef', run: 1 };
const attributes = { ProjectId: run.projectId, BulkOperationId: run.migrationId, State: 'queued' };

const at = (phase: NextStep['phase']): NextStep => ({
  next: 'phase',
  phase,
  status: 'running',
  details: `at ${phase}`,
});
const held: NextStep = { next: 'hold', phase: 'contacts', status: 'needs_attention', details: 'needs attention' };
const completed: NextStep = { next: 'end', phase: null, status: 'completed', details: 'completed' };
const cancelled: NextStep = { next: 'end', phase: null, status: 'cancelled', details: 'cancelled' };

/** `phases` and `decisions`: each answer in turn; an Error is a phase that cannot continue. */
function migrationScenario(
  name: string,
  { phases, decisions = [] }: { phases: Array<NextStep | Error>; decisions?: NextStep[] },
  meanwhile: (handle: WorkflowHandle) => Promise<void> = async () => undefined,
): Scenario {
  const answers = { phases: [...phases], decisions: [...decisions] };
  return {
    type: 'migration',
    name,
    activities: {
      beginMigration: async () => at('customFields'),
      runMigrationPhase: async () => {
        const step = answers.phases.shift();
        if (step instanceof Error) throw step;
        return step;
      },
      holdMigration: async () => held,
      decideMigration: async () => answers.decisions.shift(),
      failMigration: async () => ({ ...completed, status: 'failed' }),
    },
    async run(stage) {
      const handle = await stage.start('migration', stage.newId(`migration-${name}`), [run], attributes);
      await meanwhile(handle);
      await handle.result().catch(() => undefined);
      return handle;
    },
  };
}

class SourceError extends Error {
  override name = 'SourceError';
}

async function cancelAfterItKnows(handle: WorkflowHandle): Promise<void> {
  await decideWhileItHolds(handle);
  await until(
    () => handle.fetchHistory(),
    ({ events }) => (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer).length === 2,
  );
  await handle.cancel();
}

async function decideWhileItHolds(handle: WorkflowHandle): Promise<void> {
  await until(
    () => handle.fetchHistory(),
    ({ events }) => events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) === true,
  );
  await handle.signal(signals.control);
}

export const migrationScenarios: Scenario[] = [
  migrationScenario('completed', { phases: [at('templates'), at('contacts'), completed] }),
  migrationScenario(
    'held-then-retried',
    { phases: [at('contacts'), new SourceError(), completed], decisions: [held, at('contacts')] },
    decideWhileItHolds,
  ),
  migrationScenario(
    'held-then-cancelled',
    { phases: [at('contacts'), new SourceError()], decisions: [held, cancelled] },
    decideWhileItHolds,
  ),
  migrationScenario(
    'held-then-cancelled-and-asked-to-end',
    { phases: [at('contacts'), new SourceError()], decisions: [held, cancelled] },
    cancelAfterItKnows,
  ),
];
