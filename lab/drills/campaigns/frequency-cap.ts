import type { ObjectId } from 'mongodb';
import { createAutomation } from '../../../core/automations/automations.ts';
import { startEnrollments } from '../../../core/automations/by-hand/jobs.ts';
import { createCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { createSender } from '../../../core/domains/senders.ts';
import { states } from '../../../core/mail/ledger/states.ts';
import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, origin, SENDER, withDrill } from '../../rig/context.ts';
import { watchCounts } from '../../rig/facts/watch-counts.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { setCap } from '../../rig/tenant.ts';
import { campaignTo, makeList } from '../../rig/traffic/people.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';

interface CapDrill {
  people: number;
  senders: number;
  kills: number;
  /** Of all senders together. */
  connections: number;
  ackMs: number;
}

export interface CapTally extends Omit<CapDrill, 'connections' | 'ackMs'> {
  /** People with more mails at the relay than the cap allows. */
  above: number;
  /** People with a mail held back who had fewer than the cap allows, `unknown` included. */
  under: number;
  /** Mails without an outcome. */
  lost: number;
  duplicates: number;
  sent: number;
  held: number;
  unknown: number;
  samples: number;
  unbalanced: number;
  seconds: number;
}

const CAP = 2;
/** Two campaigns and an automation. */
const MAILS_EACH = 3;
const WITHIN_MS = 1_800_000;
/** Counting reads all mails. */
const LOOK_EVERY_MS = 3_000;
const LANES = 'campaign,mail';

/** Two campaigns and an automation to the same people at once, while one sender after the other is killed. */
export function frequencyCap(env: NodeJS.ProcessEnv, drill: CapDrill): Promise<CapTally> {
  return withDrill(env, { ackMs: drill.ackMs }, async (context) => {
    const { deps, project } = context;
    await setCap(context, { mails: CAP, withinDays: 7, exceptGroupIds: [] });
    const { listId } = await makeList(context, 'p', drill.people);
    const start = (lanes: string) =>
      context.startWorker({
        WORKER_LANES: lanes,
        SMTP_MAX_CONNECTIONS: String(drill.connections),
        WORKER_PROCESSES: String(drill.senders),
        ENROLL_PER_SECOND: '100000',
      });
    const steady = await start('workflows,background');
    const senders = await atOnce(drill.senders, () => start(LANES));
    const began = Date.now();
    const campaigns = await launch(context, listId);
    const watch = { samples: 0, unbalanced: 0 };
    const ids = { _id: { $in: campaigns }, projectId: project._id };
    const stopWatching = watchCounts(context, () => deps.db.campaigns.find(ids).toArray(), watch);
    for (let kill = 0; kill < drill.kills; kill += 1) {
      await pause(200 + Math.random() * 800);
      await killOne(senders, () => start(LANES));
    }
    await until('all mail has an outcome', () => isOver(context, campaigns, drill), WITHIN_MS, LOOK_EVERY_MS).finally(
      stopWatching,
    );
    await Promise.all([steady, ...senders].map((child) => child.stop(15_000)));
    const seconds = (Date.now() - began) / 1_000;
    return { ...drill, ...watch, ...(await tallyOf(context, drill)), seconds };
  });
}

async function launch({ deps, project }: DrillContext, listId: string): Promise<ObjectId[]> {
  await createSender(deps, project, { email: SENDER }, origin());
  const steps = [
    { type: 'wait' as const, delay: { value: 0, unit: 'minutes' as const } },
    { type: 'email' as const, email: { htmlTemplate: '<p>Hello</p>', subject: 'Hello' } },
  ];
  const entryCriteria = { type: 'list_left' as const, listId };
  const input = { name: 'Drill', active: true, entryCriteria, steps };
  const automation = await createAutomation(deps, project, input, origin());
  const [campaigns] = await Promise.all([
    Promise.all([1, 2].map(() => createCampaign(deps, project, campaignTo(listId), origin()))),
    startEnrollments(deps, project, automation._id.toHexString(), { listId }, { ...origin(), enteredBy: 'drill' }),
  ]);
  return campaigns.map(({ campaign }) => campaign._id);
}

async function killOne(senders: Child[], start: () => Promise<Child>): Promise<void> {
  const at = Math.floor(Math.random() * senders.length);
  const killed = senders[at]!;
  killed.kill('SIGKILL');
  await killed.exited;
  senders[at] = await start();
}

async function isOver({ deps, project }: DrillContext, campaigns: ObjectId[], { people }: CapDrill): Promise<boolean> {
  const projectId = project._id;
  const over = { _id: { $in: campaigns }, projectId, status: { $in: ['sent' as const, 'failed' as const] } };
  if ((await deps.db.campaigns.countDocuments(over)) < campaigns.length) return false;
  if (await deps.db.enrollmentJobs.findOne({ projectId, completedAt: null })) return false;
  const open = { $in: [states.queued, states.deferred, states.committing] };
  const of = { projectId, lane: 'automation' as const };
  const waiting = await deps.db.messages.countDocuments({ ...of, state: open });
  return waiting === 0 && (await deps.db.messages.countDocuments(of)) === people;
}

async function tallyOf({ deps, project, sink }: DrillContext, { people }: CapDrill) {
  const accepted = await sink.ids();
  const taken = new Map([...accepted].map(([id, times]) => [/[0-9a-f]{24}/.exec(id)?.[0] ?? id, times]));
  const byPerson = new Map<string, { sent: number; arrived: number; unknown: number; held: number }>();
  const all = { sent: 0, held: 0, unknown: 0, ended: 0 };
  const rows = deps.db.messages.find(
    { projectId: project._id },
    { projection: { email: 1, state: 1, suppressedBy: 1 } },
  );
  for await (const { _id, email, state, suppressedBy } of rows) {
    const one = byPerson.get(email) ?? { sent: 0, arrived: 0, unknown: 0, held: 0 };
    byPerson.set(email, one);
    const [isSent, isUnknown] = [state === states.sent, state === states.unknown];
    const isHeld = suppressedBy?.reason === 'FREQUENCY_CAP';
    if (isSent) one.sent += 1;
    if (isUnknown) one.unknown += 1;
    if (isHeld) one.held += 1;
    if (taken.has(_id.toHexString())) one.arrived += 1;
    if (isSent) all.sent += 1;
    if (isHeld) all.held += 1;
    if (isUnknown) all.unknown += 1;
    if (isSent || isHeld || isUnknown) all.ended += 1;
  }
  const persons = [...byPerson.values()];
  return {
    above: persons.filter(({ arrived, sent, unknown }) => arrived > CAP || sent + unknown > CAP).length,
    under: persons.filter(({ sent, unknown, held }) => held > 0 && sent + unknown < CAP).length,
    lost: people * MAILS_EACH - all.ended,
    duplicates: [...accepted.values()].reduce((sum, times) => sum + times - 1, 0),
    ...{ sent: all.sent, held: all.held, unknown: all.unknown },
  };
}

export function judgeCap(tally: CapTally): Verdict {
  const { people, senders, kills, above, under, lost, duplicates, sent, held, unknown, samples, unbalanced } = tally;
  return {
    kept:
      above + under + lost + duplicates + unbalanced === 0 &&
      samples > 0 &&
      held > 0 &&
      sent + unknown === people * CAP,
    says: `${people} people, ${senders} senders, ${kills} kills, ${tally.seconds.toFixed(0)} s: sent ${sent}, held back ${held}, unknown ${unknown}; people above the cap ${above}, held back below it ${under}, mails lost ${lost}, duplicates ${duplicates}, ${samples} looks at the counts, ${unbalanced} wrong`,
  };
}
