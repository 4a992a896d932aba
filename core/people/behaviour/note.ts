import { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { derivedId } from '../../base/ids.ts';
import type { PropertyValue, Session } from '../../base/model.ts';
import { ttlCache } from '../../base/work/cache.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { PeopleDeps } from '../deps.ts';
import type { BehaviourKind } from '../filters/filters.ts';
import type { ContactFact, NotedFacts } from '../model.ts';
import { projectRulesOf } from '../project-rules.ts';
import type { Deletion } from '../subscribers.ts';

export const FACTS = 'facts';
const ACTS_TOGETHER_MAX = 200;
/** A document holds 16 MB at most, and the properties of an event may be long. */
const EVENTS_TOGETHER_MAX = 10;
/** Shorter than the time between the two passes of a recompute: the second one finds what was not noted for a new segment. */
const ASKED_KEPT_MS = 5_000;
const PROJECTS_KEPT_MAX = 1_000;
/** Due at any time of any clock. */
const AT_ONCE = new Date(0);
/** When no transaction is running any more that had read the contact before it was deleted. */
const FORGOTTEN_AFTER_MS = 65_000;

type NoteDeps = Pick<PeopleDeps, 'db' | 'signals'>;
type Noted = Omit<NotedFacts, '_id' | 'projectId' | 'dueAt'>;

/** Facts are written at once, and counted by a job: facts, segments and windows of a project change in one place. */
async function note(
  { db }: Pick<PeopleDeps, 'db'>,
  projectId: ObjectId,
  noted: Noted[],
  { dueAt = AT_ONCE, session }: { dueAt?: Date; session?: Session | undefined } = {},
): Promise<void> {
  if (noted.length === 0) return;
  const rows = noted.map((one): NotedFacts => ({ _id: new ObjectId(), projectId, ...one, dueAt }));
  await db.notedFacts.insertMany(rows, session ? { session } : {});
}

/** The first act of a kind on a mail, or on a link in it. Corrected: judged again; null: it did not happen. */
export interface MailAct {
  messageId: ObjectId;
  contactId: ObjectId;
  /** humanClicked: by a person; no fact of its own. */
  kind: 'opened' | 'humanOpened' | 'clicked' | 'humanClicked';
  at: Date | null;
  isCorrection?: boolean;
  campaignId?: ObjectId | undefined;
  automationId?: ObjectId | undefined;
  url?: string | undefined;
}

type FactAct = MailAct & { kind: Exclude<MailAct['kind'], 'humanClicked'> };

/** A mail counts once for each kind, and each link of a mail once. */
export async function noteActs(deps: NoteDeps, projectId: ObjectId, all: MailAct[]): Promise<void> {
  const acts = all.filter((act): act is FactAct => act.kind !== 'humanClicked');
  if (acts.length === 0) return;
  const noted = chunks(acts, ACTS_TOGETHER_MAX).map((some) => ({
    facts: some.flatMap((act) => factOf(projectId, act) ?? []),
    untrueIds: some.flatMap((act) => (act.isCorrection ? [untrue(act)] : [])),
  }));
  await note(deps, projectId, noted);
  wakeQueue(deps, FACTS, projectId);
}

interface CustomEvent {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  eventName: string;
  properties: Record<string, PropertyValue>;
  createdAt: Date;
}

/** In the transaction that records the events. */
export async function noteCustomEvents(
  deps: NoteDeps,
  session: Session | undefined,
  projectId: ObjectId,
  events: CustomEvent[],
): Promise<void> {
  const facts = events.map(({ _id, contactId, eventName, properties, createdAt }): ContactFact => {
    return { _id, projectId, contactId, kind: 'event', at: createdAt, eventName, properties };
  });
  const noted = chunks(facts, EVENTS_TOGETHER_MAX).map((some) => ({ facts: some }));
  await note(deps, projectId, noted, { session });
}

export function announceFacts(deps: NoteDeps, projectId: ObjectId): void {
  wakeQueue(deps, FACTS, projectId);
}

/** Mail whose outcome was written. The ledger says what was received; only the contacts that got it have to be compared again. */
export async function noteReceived(deps: PeopleDeps, projectId: ObjectId, messageIds: ObjectId[]): Promise<void> {
  if (messageIds.length === 0 || !(await asksAbout(deps, projectId, 'received'))) return;
  await note(deps, projectId, [{ messageIds }]);
  wakeQueue(deps, FACTS, projectId);
}

const asked = oncePerCore(() => ttlCache<Set<BehaviourKind>>({ keptMs: ASKED_KEPT_MS, sizeMax: PROJECTS_KEPT_MAX }));

/** Whether a segment asks about it: a campaign of a project without such segments writes nothing more. */
async function asksAbout(deps: PeopleDeps, projectId: ObjectId, kind: BehaviourKind): Promise<boolean> {
  const kinds = await asked(deps).get(projectId.toHexString(), async () => {
    const { behaviours } = await projectRulesOf(deps, projectId);
    return new Set(behaviours.map(({ behaviour }) => behaviour));
  });
  return kinds.has(kind);
}

/** Runs in the transaction that deletes contacts: their facts are removed. */
export async function noteDeletions(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  { contacts }: Deletion,
): Promise<void> {
  const dueAt = new Date(deps.clock.now().getTime() + FORGOTTEN_AFTER_MS);
  await note(deps, projectId, [{ goneIds: contacts.map(({ _id }) => _id) }], { dueAt, session });
}

function factOf(projectId: ObjectId, act: FactAct): ContactFact | null {
  const { contactId, kind, at, campaignId, automationId, url } = act;
  if (!at) return null;
  return {
    ...{ _id: factId(act), projectId, contactId, kind, at },
    ...(campaignId ? { campaignId } : {}),
    ...(automationId ? { automationId } : {}),
    ...(url === undefined ? {} : { url }),
  };
}

function untrue(act: FactAct): NonNullable<NotedFacts['untrueIds']>[number] {
  return { factId: factId(act), contactId: act.contactId, kind: act.kind };
}

function factId({ messageId, kind, url = '' }: FactAct): ObjectId {
  return derivedId(messageId.getTimestamp(), 'fact', messageId.toHexString(), kind, url);
}

function chunks<T>(all: T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
    all.slice(index * most, (index + 1) * most),
  );
}
