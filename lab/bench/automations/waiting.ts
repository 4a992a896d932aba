import { ObjectId } from 'mongodb';
import { hearEvent } from '../../../core/automations/enrollments/hearing.ts';
import { sendEvent } from '../../../core/automations/events/send.ts';
import type { Automation } from '../../../core/automations/model/automation.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import type { EventRecord } from '../../../core/automations/model/event.ts';
import { nameOfEvent } from '../../../core/automations/rules/awaited.ts';
import { DAY_MS } from '../../../core/base/time/durations.ts';
import { type DrillContext, origin } from '../../rig/context.ts';
import { quantile } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { sizeOr } from '../run.ts';
import { newContacts, poll, STARTS_ALL_STEPS, STARTS_NOTHING, startWorker, WAIT_STEP, WAITED_FOR } from './stage.ts';

const AT_ONCE = 5_000;
const EVENTS = 200;
/** Before those that count: the first of each compiles. */
const FIRST = 20;
const EVERY_MS = 200;
const UNHEARD = 20;
const ASKED_MS = 1_000;

/**
 * So many people wait for an event; some of them get it. They are put into the database as if they had come there, without runs, so a run
 * begins for each event, which is more than waking one. All others have no contact.
 */
export async function eventsOfWaiting(drill: DrillContext): Promise<Figure[]> {
  const waiting = sizeOr(1_000_000);
  const contacts = await newContacts(drill, FIRST + EVENTS);
  await insertWaiting(drill, contacts, waiting);
  const queries = await queriesUnheard(drill);
  const worker = await startWorker(drill);
  await sendAll(drill, contacts.slice(0, FIRST));
  const took = await sendAll(drill, contacts.slice(FIRST));
  worker.child.kill('SIGKILL');
  const people = waiting.toLocaleString('en-US');
  const [half, p99] = [quantile(took, 0.5), quantile(took, 0.99)];
  return [
    figure(`from an event to the next step of its run, p99 with ${people} people waiting`, 'ms', [p99], {
      asked: { atMost: ASKED_MS },
      note: `${EVENTS} events, one each ${EVERY_MS} ms, half of them in ${half} ms`,
    }),
    figure(`queries of MongoDB for an event that none of ${people} people waits for`, '', queries, {
      asked: { atMost: 1 },
    }),
  ];
}

async function insertWaiting(drill: DrillContext, contacts: string[], waiting: number): Promise<void> {
  const { deps, project } = drill;
  const named = { projectId: project._id, 'entryCriteria.eventName': STARTS_ALL_STEPS };
  const automation = (await deps.db.automations.findOne(named)) as Automation;
  let inserted = 0;
  while (inserted < waiting) {
    const size = Math.min(AT_ONCE, waiting - inserted);
    const people = Array.from({ length: size }, (_, n) =>
      personWaiting(automation, new ObjectId(contacts[inserted + n])),
    );
    await deps.db.enrollments.insertMany(people, { ordered: false });
    inserted += size;
  }
}

function personWaiting({ _id: automationId, projectId }: Automation, contactId: ObjectId): Enrollment {
  const at = new Date();
  return {
    ...{ _id: new ObjectId(), projectId, automationId, contactId, status: 'active', live: true },
    ...{ version: 1, revision: 1, started: true, parked: false, exitReason: null, event: null, endedAt: null },
    ...{ stepId: WAIT_STEP, waitFrom: at, waitUntil: new Date(at.getTime() + 30 * DAY_MS) },
    awaits: [nameOfEvent(WAITED_FOR)],
    history: [{ type: 'entered', at }],
    ...{ enteredAt: at, updatedAt: at },
  };
}

/** As the server counts them. */
async function queriesUnheard({ deps, project }: DrillContext): Promise<number[]> {
  const database = deps.mongo.db(deps.config.mongodbDatabase);
  const counts: number[] = [];
  for (let n = 0; n < UNHEARD; n += 1) {
    const record: EventRecord = {
      ...{ _id: new ObjectId(), projectId: project._id, contactId: new ObjectId(), eventName: STARTS_NOTHING },
      ...{ properties: {}, createdAt: new Date() },
    };
    await database.command({ profile: 2 });
    await hearEvent(deps, record);
    await database.command({ profile: 0 });
    counts.push(await database.collection('system.profile').countDocuments({ op: { $ne: 'command' } }));
    await database.collection('system.profile').drop();
  }
  return counts;
}

/** Milliseconds from the call to the next step of the run. */
async function sendAll({ deps, project }: DrillContext, contacts: string[]): Promise<number[]> {
  const sentAt = new Map<string, number>();
  for (const contactId of contacts) {
    sentAt.set(contactId, Date.now());
    await sendEvent(deps, project, { eventName: WAITED_FOR, contactId }, origin());
    await pause(EVERY_MS);
  }
  const own = { projectId: project._id, contactId: { $in: contacts.map((id) => new ObjectId(id)) } };
  const ended = { ...own, status: 'completed' as const };
  await poll(async () => (await deps.db.enrollments.countDocuments(ended)) === contacts.length, 500);
  const people = await deps.db.enrollments.find(own).toArray();
  return people.map(({ contactId, history }) => {
    const heard = history.find(({ type }) => type === 'heard');
    return (heard?.at.getTime() ?? Number.NaN) - (sentAt.get(contactId.toHexString()) ?? Number.NaN);
  });
}
