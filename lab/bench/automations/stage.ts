import { ObjectId } from 'mongodb';
import { createAutomation } from '../../../core/automations/automations.ts';
import { createEvent } from '../../../core/automations/events/events.ts';
import { sendEvent } from '../../../core/automations/events/send.ts';
import type { Project } from '../../../core/base/model.ts';
import { createSender } from '../../../core/domains/senders.ts';
import { changeContacts } from '../../../core/people/changes/changes.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, openDrill, origin, SENDER } from '../../rig/context.ts';
import { usageOf } from '../../rig/processes.ts';
import { noRelay } from '../../rig/sink.ts';
import { inLanes, until } from '../../rig/waiting.ts';

/** An event of this name lets its contact into an automation that waits for 30 days; one of the other name starts nothing. */
export const STARTS = 'bought';
export const STARTS_NOTHING = 'seen';
/** Its contact enters an automation with the steps that do something, and waits for the last one. */
export const STARTS_ALL_STEPS = 'tried';
export const WAITED_FOR = 'answered';
export const WAIT_STEP = 'wait-for-answer';

const SENT_AT_ONCE = 32;
const POLL_MS = 50;

/** An installation of its own, with an automation that is live and sends nothing for 30 days. */
export async function openAutomationBench(env: NodeJS.ProcessEnv): Promise<DrillContext> {
  const drill = await openDrill(env, { relay: noRelay });
  const { deps, project } = drill;
  await createSender(deps, project, { email: SENDER }, origin());
  for (const eventName of [STARTS, STARTS_NOTHING, STARTS_ALL_STEPS, WAITED_FOR])
    await createEvent(deps, project, { eventName, properties: [{ propertyName: 'amount', type: 'number' }] }, origin());
  const steps = [
    { type: 'wait' as const, delay: { value: 30, unit: 'days' as const } },
    { type: 'email' as const, email: { htmlTemplate: '<p>Hello</p>', subject: 'Hello' } },
  ];
  const entry = (eventName: string) => ({ type: 'event_trigger' as const, eventName });
  for (const definition of [
    { name: 'Bench', entryCriteria: entry(STARTS), steps },
    { name: 'All steps', entryCriteria: entry(STARTS_ALL_STEPS), steps: allSteps() },
  ])
    await createAutomation(deps, project, { ...definition, active: true }, origin());
  return drill;
}

/** Changes the person, takes a share, looks for a goal, and waits for an event. */
function allSteps() {
  const share = (branchId: string) => ({ branchId, label: branchId, share: 50 });
  const amount = { field: 'event.properties.amount', operator: 'greater_than', value: 1_000_000 };
  return [
    { type: 'update_contact' as const, update: { contactProperties: { stage: 'tried' } } },
    { type: 'split' as const, stepId: 'halves', shares: [share('one'), share('other')], nextStepId: WAIT_STEP },
    {
      ...{ type: 'wait_event' as const, stepId: WAIT_STEP },
      waitEvent: { eventName: WAITED_FOR, timeout: { value: 30, unit: 'days' as const } },
    },
    { type: 'email' as const, email: { htmlTemplate: '<p>Hello</p>', subject: 'Hello' } },
    {
      ...{ type: 'goal' as const, eventName: STARTS },
      filterCriteria: { logicalOperator: 'AND' as const, groups: [amount] },
    },
  ];
}

export interface BenchWorker {
  child: Child;
  /** How many tasks its runs have done: after the first one a run is in its wait step. */
  waiting(): Promise<number>;
  rssMb(): number;
}

export async function startWorker(drill: DrillContext, env: Record<string, string> = {}): Promise<BenchWorker> {
  const port = String(await anyFreePort());
  const child = await drill.startWorker({ WORKER_LANES: 'workflows,background', WORKER_PORT: port, ...env });
  return {
    child,
    async waiting() {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const count =
        /^temporal_workflow_task_execution_latency\w*_count\{.*workflow_type="automationEnrollment".*\} (\d+)/m;
      return Number(count.exec(text)?.[1] ?? 0);
    },
    rssMb: () => usageOf(child.pid).residentMb,
  };
}

/** From the event to the wait of each run, whichever of the workers has it. */
export async function enrollAll(
  drill: DrillContext,
  workers: readonly BenchWorker[],
  contacts: string[],
  eventName = STARTS,
): Promise<void> {
  const { deps, project } = drill;
  const all = async () => (await Promise.all(workers.map((one) => one.waiting()))).reduce((sum, one) => sum + one, 0);
  const before = await all();
  await inLanes(SENT_AT_ONCE, contacts.length, (index) =>
    sendEvent(deps, project, { eventName, contactId: contacts[index]! }, origin()),
  );
  await poll(async () => (await all()) >= before + contacts.length, POLL_MS);
}

export async function newContacts(
  { deps, project }: Pick<DrillContext, 'deps'> & { project: Project },
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const changes = Array.from({ length: Math.min(500, count - from) }, () => {
      const newId = new ObjectId();
      ids.push(newId.toHexString());
      return { email: `${newId}@bench.test`, newId, whenMissing: 'create' as const, whenPresent: 'change' as const };
    });
    await changeContacts(deps, project, changes);
  }
  return ids;
}

/** For what is measured. */
export function poll(isIt: () => Promise<boolean>, everyMs: number): Promise<void> {
  return until('what is measured comes to its end', isIt, 120_000, everyMs);
}
