import { ObjectId } from 'mongodb';
import { createProject } from '../../../core/accounts/projects.ts';
import type { Project } from '../../../core/base/model.ts';
import { clickToken } from '../../../core/mail/compose/tokens.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { newList } from '../../../core/people/global-list.ts';
import { createSegment } from '../../../core/people/lists/segments.ts';
import type { Contact } from '../../../core/people/model.ts';
import { until } from '../../../test/support/wait.ts';
import { microsEach, mongodPid, quantile, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { ask, trackedPaths } from '../comes-back/requests.ts';
import { inRounds } from '../run.ts';
import type { Stage } from './stage.ts';

const SEGMENTS = 20;
/** A little more than is asked. */
const RATE = 1_600;
const ASKED = 1_500;
const SECONDS = 10;
const ROUNDS = 3;
const READERS = 24_000;
const PROBE_EVERY_MS = 100;
const DAY_MS = 86_400_000;
const WRITE_AT_ONCE = 5_000;
const WAIT = { ms: 3_600_000, everyMs: 100 };

/** Engagements with 20 segments that ask about them, and a window that passes for everybody at once. */
export async function measureBehaviour(stage: Stage): Promise<Figure[]> {
  return [...(await measureEngagements(stage)), ...(await measurePassing(stage))];
}

async function measureEngagements(stage: Stage): Promise<Figure[]> {
  const { drill, api, worker, url } = stage;
  const { deps } = drill;
  const project = await createProject(deps, drill.project.organizationId, { name: 'Readers' });
  const port = Number(new URL(url).port);
  const messages = await writeReaders(stage, project);
  await makeSegments(stage, project);
  const pids = [api.pid, worker.pid, await mongodPid(deps)];
  const found = await inRounds(ROUNDS, async (round) => {
    const own = messages.slice((round * READERS) / ROUNDS, ((round + 1) * READERS) / ROUNDS);
    const paths = trackedPaths(deps.config, own, `https://example.com/${round}`);
    const before = pids.map(usageOf);
    const begun = performance.now();
    const probing = probe(stage, project, port, round);
    const { answered } = await ask(port, paths, { rate: RATE, seconds: SECONDS });
    await counted(stage, project);
    const pace = answered / ((performance.now() - begun) / 1_000);
    const p99 = quantile(await probing, 0.99);
    const [apiMicros, workerMicros, mongodMicros] = pids.map((pid, at) =>
      microsEach(before[at]!, usageOf(pid), answered),
    );
    return { pace, p99, apiMicros: apiMicros!, workerMicros: workerMicros!, mongodMicros: mongodMicros! };
  });
  return [
    figure(
      `opens and clicks asked at ${RATE}/s with ${SEGMENTS} behaviour segments, until the last is counted`,
      '/s',
      found.pace,
      {
        asked: { atLeast: ASKED },
        note: `${RATE * SECONDS} a round of ${READERS / ROUNDS} contacts; CPU of each: API ${found.apiMicros.join(', ')} us, worker ${found.workerMicros.join(', ')} us, mongod ${found.mongodMicros.join(', ')} us`,
      },
    ),
    figure('from a click to the membership of its contact, under that load: p99', 'ms', found.p99, {
      asked: { atMost: 5_000 },
    }),
  ];
}

async function writeReaders({ drill: { deps } }: Stage, { _id: projectId }: Project): Promise<Message[]> {
  const readers = Array.from({ length: READERS }, (_, index) => newReader(projectId, `r${index}@example.com`));
  await deps.db.contacts.insertMany(readers.map(({ contact }) => contact));
  const messages = readers.map(({ message }) => message);
  await deps.db.messages.insertMany(messages);
  return messages;
}

/** A contact with a mail that was sent an hour ago. */
function newReader(projectId: ObjectId, email: string): { contact: Contact; message: Message } {
  const at = new Date(Date.now() - 3_600_000);
  const contactId = new ObjectId();
  const blank = { firstName: null, lastName: null, userId: null, mobile: null, contactProperties: {} };
  const rest = { listIds: [], segmentIds: [], createdAt: at, updatedAt: at };
  return {
    contact: { _id: contactId, projectId, email, ...blank, ...rest },
    message: { _id: new ObjectId(), projectId, contactId, email, lane: 'campaign', state: 'sent', sentAt: at },
  };
}

async function makeSegments({ drill: { deps } }: Stage, project: Project): Promise<void> {
  for (let index = 0; index < SEGMENTS; index += 1) {
    const behaviour = (['opened', 'humanOpened', 'clicked'] as const)[index % 3];
    const operator = index % 4 === 3 ? 'never' : 'at_least';
    const count = operator === 'never' ? {} : { count: 1 + (index % 2) };
    const list = newList(deps, project, { _id: new ObjectId(), name: `B${index}`, description: '', type: 'segment' });
    await createSegment(deps, list, { groups: [{ behaviour, operator, ...count, withinDays: 7 + index }] });
  }
}

/** Everything that was noted is in the segments. */
async function counted({ drill: { deps } }: Stage, { _id: projectId }: Project): Promise<void> {
  const waiting = () => deps.db.notedFacts.countDocuments({ projectId });
  await until(waiting, (count) => count === 0, WAIT);
}

/** Clicks of single contacts, one after the other, from the request until the contact is in the segment. */
async function probe({ drill: { deps } }: Stage, { _id: projectId }: Project, port: number, round: number) {
  const clicked = (await deps.db.contactLists.findOne({ projectId, name: 'B2' }))!._id;
  const delays: number[] = [];
  for (const begun = performance.now(); performance.now() - begun < SECONDS * 1_000; ) {
    const { contact, message } = newReader(projectId, `probe-${round}-${delays.length}@example.com`);
    await deps.db.contacts.insertOne(contact);
    await deps.db.messages.insertOne(message);
    const clickedAt = performance.now();
    const token = clickToken(deps.config, { projectId, messageId: message._id }, 'https://example.com/');
    await fetch(`http://127.0.0.1:${port}/t/c/${token}`, { redirect: 'manual', headers: { 'User-Agent': 'Firefox' } });
    const joined = () => deps.db.contacts.countDocuments({ _id: contact._id, projectId, segmentIds: clicked });
    await until(joined, (count) => count === 1, { ms: 60_000, everyMs: 10 });
    delays.push(performance.now() - clickedAt);
    await pause(PROBE_EVERY_MS);
  }
  return delays;
}

async function measurePassing(stage: Stage): Promise<Figure[]> {
  const { drill, client, worker, contacts } = stage;
  const { deps, project } = drill;
  const projectId = project._id;
  const at = new Date(Date.now() - DAY_MS);
  for (let after: ObjectId | null = null; ; ) {
    const own = after ? { projectId, _id: { $gt: after } } : { projectId };
    const page: Pick<Contact, '_id'>[] = await deps.db.contacts
      .find(own, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(WRITE_AT_ONCE)
      .toArray();
    if (page.length === 0) break;
    await deps.db.contactFacts.insertMany(
      page.map(({ _id: contactId }) => ({ _id: new ObjectId(), projectId, contactId, kind: 'opened' as const, at })),
    );
    after = page.at(-1)!._id;
  }
  const groups = [{ behaviour: 'opened', operator: 'at_least', withinDays: 7 }];
  const made = performance.now();
  const { id } = (await client.post('/contact-lists', { name: 'Window', filterCriteria: { groups } })).body.data;
  const listOf = async () => (await client.get(`/contact-lists/${id}`)).body.data;
  const whole = await until(listOf, ({ recompute }) => recompute.status !== 'running', WAIT);
  const computedSeconds = (performance.now() - made) / 1_000;
  if (whole.contactCount !== contacts) throw new Error(`${whole.contactCount} of ${contacts} are in the segment`);
  // As if a week had passed: the facts leave the window, and everybody is due at once.
  await deps.db.contactFacts.updateMany({ projectId }, { $set: { at: new Date(Date.now() - 7 * DAY_MS - 1_000) } });
  const mongod = await mongodPid(deps);
  const before = [worker.pid, mongod].map(usageOf);
  const begun = performance.now();
  await deps.db.contacts.updateMany({ projectId }, { $set: { windowDueAt: new Date() } });
  await until(listOf, ({ contactCount }) => contactCount === 0, WAIT);
  const seconds = (performance.now() - begun) / 1_000;
  const after = [worker.pid, mongod].map(usageOf);
  const micros = before.map((one, index) => microsEach(one, after[index]!, contacts));
  await client.delete(`/contact-lists/${id}`);
  return [
    figure(`creating a behaviour segment that takes all of ${contacts}`, 's', [computedSeconds]),
    figure(`a window that passes for ${contacts} contacts at once: contacts`, '/s', [contacts / seconds], {
      note: `${seconds.toFixed(1)} s; CPU for each: worker ${micros[0]} us, mongod ${micros[1]} us`,
    }),
  ];
}
