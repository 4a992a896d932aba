import type { Filter, FindOptions, ObjectId } from 'mongodb';
import type { CallerDeps } from '../base/deps.ts';
import type { Deadline } from '../base/limits/deadlines.ts';
import type { Session } from '../base/model.ts';
import { DAY_MS } from '../base/time/durations.ts';
import { breather, type Pause } from '../base/work/breathe.ts';
import type { PeopleDeps } from './deps.ts';
import { type Behaviour, type Past, Tally } from './filters/filters.ts';
import type { ContactFact } from './model.ts';

const AT_ONCE = 1_000;

/** The contacts that are asked about. */
type Who = { $in: ObjectId[] } | { $gt: ObjectId; $lte: ObjectId } | { $lte: ObjectId };

export interface ReceivedAsked {
  projectId: ObjectId;
  who: Who;
  options: FindOptions;
}

interface Received {
  contactId: ObjectId;
  at: Date;
  campaignId?: ObjectId | undefined;
  automationId?: ObjectId | undefined;
}

/** The mail that contacts received, read by the room that has it. */
export interface ReceivedMail {
  to(deps: CallerDeps, asked: ReceivedAsked): AsyncIterable<Received>;
  /** The contacts of these messages. `isOpen`: mail that is noted just before its outcome is written may still be claimed. */
  receivers(
    deps: CallerDeps,
    projectId: ObjectId,
    messageIds: ObjectId[],
  ): Promise<{ contactIds: ObjectId[]; isOpen: boolean }>;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    receivedMail: ReceivedMail;
  }
}

interface Asked {
  projectId: ObjectId;
  who: Who;
  behaviours: readonly Behaviour[];
  session?: Session | undefined;
  deadline?: Deadline | undefined;
}

/** How long facts are kept: as long as the messages that they come from. */
function keptMs({ config }: Pick<PeopleDeps, 'config'>): number {
  return config.retentionDays * DAY_MS;
}

/**
 * The past of contacts, as far as these behaviours ask: in one pass over their facts and over the mail that they received. Without
 * behaviours nothing is read.
 */
export async function readPast(deps: PeopleDeps, asked: Asked): Promise<(contactId: ObjectId) => Past> {
  const tally = await readTally(deps, asked);
  return (contactId) => tally.of(contactId.toHexString());
}

/** The same, for a caller that adds facts of its own. */
export async function readTally(deps: PeopleDeps, asked: Asked): Promise<Tally> {
  const tally = new Tally(asked.behaviours, keptMs(deps));
  const kinds = new Set(asked.behaviours.map(({ behaviour }) => behaviour));
  const isReceived = kinds.delete('received');
  if (kinds.size > 0) await addFacts(deps, asked, [...kinds] as ContactFact['kind'][], tally);
  if (isReceived) await addReceived(deps, asked, tally);
  return tally;
}

async function addFacts(deps: PeopleDeps, asked: Asked, kinds: ContactFact['kind'][], tally: Tally): Promise<void> {
  const since = new Date(deps.clock.now().getTime() - longestMs(deps, asked.behaviours));
  const { projectId, who } = asked;
  const mine = { projectId, contactId: who, kind: { $in: kinds }, at: { $gt: since } } as Filter<ContactFact>;
  const found = deps.db.contactFacts.find(mine, { hint: 'contact', batchSize: AT_ONCE, ...reading(asked) });
  const turn = turnOf(asked);
  for await (const fact of found) {
    tally.add(fact.contactId.toHexString(), fact);
    await turn();
  }
}

async function addReceived(deps: PeopleDeps, asked: Asked, tally: Tally): Promise<void> {
  const { projectId, who } = asked;
  const received = deps.subscribers.receivedMail.to(deps, { projectId, who, options: reading(asked) });
  const turn = turnOf(asked);
  for await (const { contactId, ...mail } of received) {
    tally.add(contactId.toHexString(), { kind: 'received', ...mail });
    await turn();
  }
}

/** Called after each fact: one may be compared with long values, and a contact may have thousands. Others have their turn in between. */
function turnOf({ deadline }: Asked): Pause {
  const pause = breather();
  return () => {
    deadline?.check();
    return pause();
  };
}

function reading({ session, deadline }: Asked): FindOptions {
  return { ...(session ? { session } : {}), ...(deadline ? { maxTimeMS: deadline.leftMs } : {}) };
}

/** Facts older than the longest window are not read. */
function longestMs(deps: PeopleDeps, behaviours: readonly Behaviour[]): number {
  const days = behaviours.map(({ withinDays }) => withinDays ?? Infinity);
  return Math.min(keptMs(deps), Math.max(...days) * DAY_MS);
}
