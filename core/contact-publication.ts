import type { ObjectId } from 'mongodb';
import type { Audience } from './audience.ts';
import { announceContactEvents, recordContactEvents, recordEventsOfDeleted } from './contact-events.ts';
import { recordMailOfDeleted } from './contact-mails.ts';
import type { Deps } from './deps.ts';
import { announceDeletions, recordDeletions } from './enrollments-ending.ts';
import { announceInboundOfDeleted, recordInboundOfDeleted } from './inbound-removals.ts';
import { recordMessagesOfDeleted } from './message-erasures.ts';
import type { Contact, Session } from './model.ts';
import { announceTriggers, recordTriggers } from './triggers.ts';

/** One change of one contact: `before` is null for a new one, `after` for a deleted one. */
export interface PublishedChange {
  before: Contact | null;
  after: Contact | null;
  /** false: the caller asked that no automation starts. */
  runWorkflow: boolean;
}

/** Writes in the transaction of the change whatever must follow from it. */
type Recorder = (
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  audience: Audience,
  changes: PublishedChange[],
) => Promise<void>;
/** Told after the commit, to wake up whoever does the work soon; nothing may depend on it. */
type Announcer = (deps: Deps, projectId: ObjectId, changes: PublishedChange[]) => void;

/** The same for contacts that are deleted; told only when there are some. */
type DeletionRecorder = (
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  deleted: Contact[],
  changes: PublishedChange[],
) => Promise<void>;

/** The one place that hears of every contact change. Each line is a part of the product that follows contacts. */
const recorders: Recorder[] = [recordTriggers, recordOfDeleted, recordContactEvents];
const deletionRecorders: DeletionRecorder[] = [
  recordDeletions,
  recordMailOfDeleted,
  recordMessagesOfDeleted,
  recordInboundOfDeleted,
  recordEventsOfDeleted,
];
const announcers: Announcer[] = [announceTriggers, announceDeletions, announceInboundOfDeleted, announceContactEvents];

export async function recordContactChanges(
  ...[deps, session, projectId, audience, changes]: Parameters<Recorder>
): Promise<void> {
  if (changes.length === 0) return;
  for (const record of recorders) await record(deps, session, projectId, audience, changes);
}

async function recordOfDeleted(...[deps, session, projectId, _audience, changes]: Parameters<Recorder>): Promise<void> {
  const deleted = changes.flatMap(({ before, after }) => (before && !after ? [before] : []));
  if (deleted.length === 0) return;
  for (const record of deletionRecorders) await record(deps, session, projectId, deleted, changes);
}

export function announceContactChanges(deps: Deps, projectId: ObjectId, changes: PublishedChange[]): void {
  if (changes.length === 0) return;
  for (const announce of announcers) announce(deps, projectId, changes);
}
