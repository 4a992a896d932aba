import { Client, Connection } from '@temporalio/client';
import { createAutomation } from '../../../core/automations/automations.ts';
import { createEvent } from '../../../core/automations/events/events.ts';
import { createSender } from '../../../core/domains/senders.ts';
import type { Servers } from '../../../stack/servers/all.ts';
import { prefixed, workflowIds } from '../../../workflows/names.ts';
import { type DrillContext, origin, SENDER, withDrill } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { send } from '../../rig/traffic/calls.ts';
import { pause, until } from '../../rig/waiting.ts';

interface AutomationOutage {
  /** Events of as many people, spread evenly over the outage and a tenth of it before and after. */
  events: number;
  downMs: number;
}

interface OutageTally {
  events: number;
  /** Answers other than 201, and none at all. */
  refused: number;
  slowestMs: number;
  /** People who had their first mail while the workflow engine was away. */
  mailedMeanwhile: number;
  enrolled: number;
  completed: number;
  /** People with more than one enrollment. */
  twice: number;
  /** Runs that are missing, and runs beyond one for each enrollment. */
  runsMissing: number;
  runsTwice: number;
  lost: number;
  duplicates: number;
}

const EVENT = 'bought';
const MAILS_EACH = 2;
const WITHIN_MS = 300_000;

/** The workflow engine is killed while events come in, and comes back: everybody enters once, starts once and gets each mail once. */
async function automationOutage(env: NodeJS.ProcessEnv, { events, downMs }: AutomationOutage): Promise<OutageTally> {
  const run = ({ temporal, environment }: Servers) =>
    withDrill({ ...env, ...environment }, {}, async (drill) => {
      await makeAutomation(drill);
      const { url } = await drill.startApi();
      await drill.startWorker({ WORKER_LANES: 'workflows,background,mail' });
      const everyMs = (downMs * 1.2) / events;
      const sending = sendEvents(drill, url, { events, everyMs });
      await pause(downMs * 0.1);
      await temporal?.kill('SIGKILL');
      const { unique: before } = await drill.sink.stats();
      await pause(downMs);
      const mailedMeanwhile = (await drill.sink.stats()).unique - before;
      await temporal?.start();
      const { refused, slowestMs } = await sending;
      await untilOver(drill, events);
      return { events, refused, slowestMs, mailedMeanwhile, ...(await outcome(drill, events)) };
    });
  return withServers(run, { kinds: ['temporal'] });
}

/** A mail at once, and another a minute later. */
async function makeAutomation({ deps, project }: DrillContext): Promise<void> {
  await createSender(deps, project, { email: SENDER }, origin());
  await createEvent(deps, project, { eventName: EVENT }, origin());
  const steps = [0, 1].flatMap((value) => [
    { type: 'wait' as const, delay: { value, unit: 'minutes' as const } },
    { type: 'email' as const, email: { htmlTemplate: `<p>${value}</p>`, subject: `Mail ${value}` } },
  ]);
  const entryCriteria = { type: 'event_trigger' as const, eventName: EVENT };
  await createAutomation(deps, project, { name: 'Drill', active: true, entryCriteria, steps }, origin());
}

async function sendEvents(drill: DrillContext, url: string, { events, everyMs }: { events: number; everyMs: number }) {
  const tally = { refused: 0, slowestMs: 0 };
  const sendEvent = async (n: number) => {
    const began = performance.now();
    const status = await send(drill, `${url}/events/send`, { eventName: EVENT, email: `p${n}@in.test` }).then(
      (answer) => answer.text().then(() => answer.status),
      () => null,
    );
    if (status !== 201) tally.refused += 1;
    tally.slowestMs = Math.max(tally.slowestMs, Math.round(performance.now() - began));
  };
  const sending: Promise<void>[] = [];
  for (let n = 0; n < events; n += 1) {
    sending.push(sendEvent(n));
    await pause(everyMs);
  }
  await Promise.all(sending);
  return tally;
}

async function untilOver({ deps, project, sink }: DrillContext, events: number): Promise<void> {
  const projectId = project._id;
  const isOver = async () => {
    const completed = await deps.db.enrollments.countDocuments({ projectId, status: 'completed' });
    const open = await deps.db.messages.countDocuments({ projectId, dueAt: { $exists: true } });
    return completed >= events && open === 0 && (await sink.stats()).unique >= events * MAILS_EACH;
  };
  await until('everybody has had their mails', isOver, WITHIN_MS, 250).catch(() => {});
}

async function outcome(drill: DrillContext, events: number) {
  const { deps, project, sink } = drill;
  const enrollments = await deps.db.enrollments.find({ projectId: project._id }).toArray();
  const people = new Set(enrollments.map(({ contactId }) => contactId.toHexString()));
  const runs = await runsOf(drill);
  const ids = enrollments.map(({ _id }) => prefixed(deps.config.taskQueuePrefix, workflowIds.enrollment(String(_id))));
  const accepted = [...(await sink.ids()).values()];
  return {
    enrolled: enrollments.length,
    completed: enrollments.filter(({ status }) => status === 'completed').length,
    twice: enrollments.length - people.size,
    runsMissing: ids.filter((id) => !runs.has(id)).length,
    runsTwice: [...runs.values()].reduce((sum, times) => sum + times - 1, 0),
    lost: Math.max(0, events * MAILS_EACH - accepted.length),
    duplicates: accepted.reduce((sum, times) => sum + times - 1, 0),
  };
}

/** How many runs each workflow id had. */
async function runsOf({ deps }: DrillContext): Promise<Map<string, number>> {
  const { temporalAddress: address, temporalNamespace: namespace } = deps.config;
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection, namespace });
  const runs = new Map<string, number>();
  for await (const { workflowId } of workflow.list({ query: "WorkflowType = 'automationEnrollment'" }))
    runs.set(workflowId, (runs.get(workflowId) ?? 0) + 1);
  await connection.close();
  return runs;
}

export async function* automationDrill(env: NodeJS.ProcessEnv): AsyncGenerator<Verdict> {
  yield judgeOutage(await automationOutage(env, { events: 500, downMs: 120_000 }));
}

function judgeOutage(tally: OutageTally): Verdict {
  const { events, enrolled, completed, refused, twice, runsMissing, runsTwice, lost, duplicates } = tally;
  const faults = refused + twice + runsMissing + runsTwice + lost + duplicates;
  return {
    kept: faults === 0 && enrolled === events && completed === events && tally.mailedMeanwhile > 0,
    says: `${events} events, slowest answer ${tally.slowestMs} ms, ${refused} refused; ${tally.mailedMeanwhile} first mails while it was away; ${enrolled} entered, ${twice} twice, ${completed} completed; runs missing ${runsMissing}, started twice ${runsTwice}; mails lost ${lost}, duplicates ${duplicates}`,
  };
}
