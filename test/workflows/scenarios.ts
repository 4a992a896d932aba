import type { WorkflowHandle } from '@temporalio/client';
import type { DomainCheckResult } from '../../core/domains/checks.ts';
import { signals } from '../../workflows/messages.ts';
import { automationScenarios } from '../automations/scenarios.ts';
import { campaignScenarios } from '../campaigns/scenarios.ts';
import { audienceScenarios } from '../contacts/scenarios.ts';
import { opensScenarios } from '../feedback/scenarios.ts';
import { migrationScenarios } from '../migrations/scenarios.ts';
import { until } from '../support/wait.ts';
import type { Stage } from './support.ts';

/**
 * Runs whose histories are kept in test/histories/<type>/<name>.json and replayed by every later version of the code.
 * Add one for each new shape of a run; a file that is there is never written again.
 */
export interface Scenario {
  type: string;
  name: string;
  activities: object;
  /** Resolves when the history may be taken. */
  run(stage: Stage): Promise<WorkflowHandle>;
}

const domain = { projectId: '0123456789abcdef01234567', domainId: '89abcdef0123456789abcdef' };
const pending: DomainCheckResult = { status: 'PENDING', message: 'Waiting for DNS.', waitsFor: 'records' };
const verified: DomainCheckResult = { status: 'VERIFIED', message: null, waitsFor: null };

function domainCheckScenario(
  name: string,
  results: Array<DomainCheckResult | null>,
  meanwhile: (handle: WorkflowHandle) => Promise<void> = async () => undefined,
): Scenario {
  let looks = 0;
  return {
    type: 'domainCheck',
    name,
    activities: {
      checkDomainRecords: async () => results[Math.min(looks++, results.length - 1)],
    },
    async run(stage) {
      const attributes = { ProjectId: domain.projectId, State: 'PENDING', Phase: 'records' };
      const handle = await stage.start('domainCheck', stage.newId(`domain-${name}`), [domain], attributes);
      await meanwhile(handle);
      await handle.result();
      return handle;
    },
  };
}

async function askAfterFirstLook(handle: WorkflowHandle): Promise<void> {
  await until(
    () => handle.query<{ looks: number }>('state'),
    ({ looks }) => looks === 1,
  );
  await until(
    async () => (await handle.fetchHistory()).events?.length ?? 0,
    (events) => events >= 10,
  );
  await handle.signal(signals.checkNow);
}

export const scenarios: Scenario[] = [
  domainCheckScenario('verified-at-once', [verified]),
  domainCheckScenario('verified-when-asked-again', [pending, verified], askAfterFirstLook),
  domainCheckScenario('verified-after-a-wait', [pending, verified]),
  domainCheckScenario('inbound-found-after-a-wait', [{ ...verified, waitsFor: 'inbound' }, verified]),
  domainCheckScenario('deleted-meanwhile', [pending, null], askAfterFirstLook),
  ...audienceScenarios,
  ...automationScenarios,
  ...campaignScenarios,
  ...migrationScenarios,
  ...opensScenarios,
];
