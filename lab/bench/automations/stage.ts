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

const SENT_AT_ONCE = 32;
const POLL_MS = 50;

/** An installation of its own, with an automation that is live and sends nothing for 30 days. */
export async function openAutomationBench(env: NodeJS.ProcessEnv): Promise<DrillContext> {
  const drill = await openDrill(env, { relay: noRelay });
  const { deps, project } = drill;
  await createSender(deps, project, { email: SENDER }, origin());
  for (const eventName of [STARTS, STARTS_NOTHING])
    await createEvent(deps, project, { eventName, properties: [{ propertyName: 'amount', type: 'number' }] }, origin());
  const steps = [
    { type: 'wait' as const, delay: { value: 30, unit: 'days' as const } },
    { type: 'email' as const, email: { htmlTemplate: '<p>Hello</p>', subject: 'Hello' } },
  ];
  const entryCriteria = { type: 'event_trigger' as const, eventName: STARTS };
  await createAutomation(deps, project, { name: 'Bench', active: true, entryCriteria, steps }, origin());
  return drill;
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

async function letIn({ deps, project }: DrillContext, contacts: string[]): Promise<void> {
  await inLanes(SENT_AT_ONCE, contacts.length, (index) =>
    sendEvent(deps, project, { eventName: STARTS, contactId: contacts[index]! }, origin()),
  );
}

/** From the event to the wait of each run, whichever of the workers has it. */
export async function enrollAll(
  drill: DrillContext,
  workers: readonly BenchWorker[],
  contacts: string[],
): Promise<void> {
  const all = async () => (await Promise.all(workers.map((one) => one.waiting()))).reduce((sum, one) => sum + one, 0);
  const before = await all();
  await letIn(drill, contacts);
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
