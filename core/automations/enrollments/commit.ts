import { type AnyBulkWriteOperation, MongoServerError, type ObjectId } from 'mongodb';
import { keyedBatcher } from '../../base/database/batcher.ts';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { oncePerCore } from '../../base/deps.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { announceEvents } from '../../events/events.ts';
import { publishCalls, type StepCall } from '../../events/step-webhooks.ts';
import { newlyAccepted } from '../../mail/ledger/counting/facts.ts';
import type { Content, Message } from '../../mail/ledger/model.ts';
import { withRemoval } from '../../mail/messages/content-retention.ts';
import { insertWritten } from '../../mail/messages/messages.ts';
import { type ContactChange, writeContactChanges } from '../../people/changes/changes.ts';
import { requestWriter } from '../../people/changes/counts.ts';
import { announceContactEvents } from '../../people/contacts/events.ts';
import { presentContacts } from '../../people/contacts/present.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import { announceContactChanges, type PublishedChange } from '../../people/subscribers.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Reentry } from '../model/definition.ts';
import type { Enrollment, ReentryRefusal } from '../model/enrollment.ts';
import { reentryRefusal } from '../rules/entering/reentry.ts';
import { type CountedMove, countMoves, processWriter } from './counts.ts';
import { publishMoves } from './events.ts';

/** Moves of one project that share a transaction. */
const MOVES_TOGETHER_MAX = 100;
/** How long moves are tried in one transaction before each is tried alone. */
const TOGETHER_MS = 1_000;
const SINGLY_AT_ONCE = 8;
/** The index of ended enrollments holds those that ended after it. */
const LONG_AGO = new Date(0);

/** `before` is the enrollment as it was read; null: the contact enters. Mails and changes are written with the move or not at all. */
export interface Move extends CountedMove {
  /** Of a contact that enters; left out: again after the exit. */
  reentry?: Reentry;
  mails?: Array<{ content: Content; message: Message }>;
  /** Of the person, in the order of the steps that make them. */
  changes?: ContactChange[];
  /** Of webhook steps. */
  calls?: StepCall[];
}

/**
 * stale: another process changed this enrollment; read it again. refused: the person can no longer be changed like this; decide again.
 * inside, contact_deleted, or a refusal to enter again: the contact may not enter.
 */
type MoveOutcome = 'written' | 'stale' | 'refused' | 'inside' | 'contact_deleted' | ReentryRefusal;

interface Written {
  outcomes: MoveOutcome[];
  published: PublishedChange[];
}

const queues = oncePerCore(() =>
  keyedBatcher(
    ({ deps, projectId }: { deps: AutomationsDeps; projectId: ObjectId }) =>
      (moves: Move[]) =>
        commitMoves(deps, projectId, moves),
    { sizeMax: MOVES_TOGETHER_MAX, runsMax: 1, callers: 'jobs' },
  ),
);

/**
 * The only way to change an enrollment. Moves that arrive while a write of the project is running join the next one, which keeps the counts
 * right.
 */
export function commitMove(deps: AutomationsDeps, projectId: ObjectId, move: Move): Promise<MoveOutcome> {
  return queues(deps)(projectId.toHexString(), { deps, projectId }, move);
}

/** The whole transaction is repeated on a duplicate key; the repeat sees the conflicting enrollment. */
async function commitMoves(
  deps: AutomationsDeps,
  projectId: ObjectId,
  moves: Move[],
): Promise<Array<MoveOutcome | Error>> {
  try {
    const { outcomes, published } = await repeatOnDuplicate(() => commitOnce(deps, projectId, moves));
    announceContactEvents(deps, projectId);
    if (moves.some(({ calls }) => calls?.length)) announceEvents(deps, projectId);
    announceContactChanges(deps, projectId, published);
    return outcomes;
  } catch (error) {
    if (moves.length === 1 || !isWriteConflict(error)) throw error;
    // One document is locked, perhaps by a process that died in its transaction: the other moves must not wait for it.
    return commitSingly(deps, projectId, moves);
  }
}

async function commitSingly(
  deps: AutomationsDeps,
  projectId: ObjectId,
  moves: Move[],
): Promise<Array<MoveOutcome | Error>> {
  const outcomes: Array<MoveOutcome | Error> = [];
  for (let from = 0; from < moves.length; from += SINGLY_AT_ONCE) {
    const some = moves.slice(from, from + SINGLY_AT_ONCE);
    const settled = await Promise.all(
      some.map((move) => commitMoves(deps, projectId, [move]).catch((error: Error) => [error])),
    );
    outcomes.push(...settled.flat());
  }
  return outcomes;
}

function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 112;
}

let nextWriter = processWriter();

/** Each try writes to another part of the counts. */
async function commitOnce(deps: AutomationsDeps, projectId: ObjectId, moves: Move[]): Promise<Written> {
  const { operationTimeoutMs } = deps.config;
  const timeoutMs = moves.length > 1 ? Math.min(TOGETHER_MS, operationTimeoutMs) : operationTimeoutMs;
  const patience = { ...deps, config: { ...deps.config, operationTimeoutMs: timeoutMs } };
  const refused = new Set<Move>();
  for (;;) {
    const others = moves.filter((move) => !refused.has(move));
    try {
      const write = (session: Session) => writeMoves(deps, session, projectId, others, nextWriter++);
      const { outcomes, published } = await inTransaction(patience, write);
      const found = new Map(others.map((move, index) => [move, outcomes[index]]));
      return { outcomes: moves.map((move) => found.get(move) ?? 'refused'), published };
    } catch (error) {
      if (!(error instanceof ChangesRefused)) throw error;
      for (const move of error.moves) refused.add(move);
    }
  }
}

/** The transaction is made again without these moves. */
class ChangesRefused extends Error {
  readonly moves: Move[];

  constructor(moves: Move[]) {
    super('a contact can no longer be changed as its move says');
    this.moves = moves;
  }
}

/** For callers that have a transaction of their own. */
export async function writeMoves(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  moves: Move[],
  writer: number,
): Promise<Written> {
  const revisions = await readRevisions(deps, session, projectId, moves);
  const inTheWay = await readInTheWay(deps, session, projectId, moves);
  const outcomes = moves.map((move) => judge(move, revisions, inTheWay));
  const valid = moves.filter((_, index) => outcomes[index] === 'written');
  if (valid.length === 0) return { outcomes, published: [] };
  const published = await writeChanges(deps, session, projectId, valid, writer);
  await deps.db.enrollments.bulkWrite(valid.map(operation), { session });
  await countMoves(deps, session, projectId, valid, writer);
  await publishMoves(deps, session, projectId, valid);
  await publishCalls(
    deps,
    session,
    projectId,
    valid.flatMap(({ calls = [] }) => calls),
  );
  const mails = valid.flatMap((move) => move.mails ?? []);
  if (mails.length > 0) {
    const contents = mails.map(({ content }) => withRemoval(content));
    const messages = mails.map(({ message }) => ({ ...message, ...newlyAccepted(deps) }));
    await insertWritten(deps, [{ contents, messages }], session);
  }
  return { outcomes, published };
}

async function writeChanges(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  moves: Move[],
  writer: number,
): Promise<PublishedChange[]> {
  const asked = moves.flatMap((move) => (move.changes ?? []).map((change) => ({ move, change })));
  if (asked.length === 0) return [];
  const rules = await projectRulesOf(deps, projectId);
  const changes = asked.map(({ change }) => change);
  const written = await writeContactChanges(deps, session, projectId, rules, changes, {
    writer: requestWriter(writer),
  });
  const refused = asked.filter((_, index) => written.outcomes[index] instanceof AppError);
  if (refused.length > 0) throw new ChangesRefused(refused.map(({ move }) => move));
  return written.published;
}

async function readRevisions(deps: AutomationsDeps, session: Session, projectId: ObjectId, moves: Move[]) {
  const ids = moves.map(({ after }) => after._id);
  const found = await deps.db.enrollments
    .find({ _id: { $in: ids }, projectId }, { session, projection: { revision: 1 } })
    .toArray();
  return new Map(found.map(({ _id, revision }) => [_id.toHexString(), revision]));
}

interface InTheWay {
  /** Contacts that exist. */
  contacts: ReadonlyMap<string, string>;
  inside: Set<string>;
  /** When contacts left last. */
  left: Map<string, Date>;
}

async function readInTheWay(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  moves: Move[],
): Promise<InTheWay> {
  const entering = moves.filter(({ before }) => before === null);
  if (entering.length === 0) return { contacts: new Map(), inside: new Set(), left: new Map() };
  const options = { session, projection: { automationId: 1, contactId: 1 } };
  const inside = await deps.db.enrollments.find({ ...pairsOf(projectId, entering), live: true }, options).toArray();
  const contactIds = entering.map(({ after }) => after.contactId);
  const limited = entering.filter(({ reentry = 'after_exit' }) => reentry !== 'after_exit');
  return {
    contacts: await presentContacts(deps, projectId, contactIds, { session }),
    inside: new Set(inside.map(pairOf)),
    left: await readLeft(deps, session, projectId, limited),
  };
}

async function readLeft(deps: AutomationsDeps, session: Session, projectId: ObjectId, moves: Move[]) {
  if (moves.length === 0) return new Map<string, Date>();
  const pipeline = [
    { $match: { ...pairsOf(projectId, moves), endedAt: { $gt: LONG_AGO } } },
    { $group: { _id: { automationId: '$automationId', contactId: '$contactId' }, endedAt: { $max: '$endedAt' } } },
  ];
  const found = await deps.db.enrollments
    .aggregate<{ _id: Pair; endedAt: Date }>(pipeline, { session, hint: 'ended' })
    .toArray();
  return new Map(found.map(({ _id, endedAt }) => [pairOf(_id), endedAt]));
}

function pairsOf(projectId: ObjectId, moves: Move[]) {
  const automationId = { $in: moves.map(({ after }) => after.automationId) };
  return { projectId, automationId, contactId: { $in: moves.map(({ after }) => after.contactId) } };
}

/** Also records each contact that enters, for later moves of the same transaction. */
function judge(
  { before, after, reentry = 'after_exit' }: Move,
  revisions: Map<string, number>,
  { contacts, inside, left }: InTheWay,
): MoveOutcome {
  const id = after._id.toHexString();
  if (before) {
    if (revisions.get(id) !== before.revision) return 'stale';
    revisions.set(id, after.revision);
    return 'written';
  }
  if (revisions.has(id)) return 'stale';
  if (!contacts.has(after.contactId.toHexString())) return 'contact_deleted';
  const pair = pairOf(after);
  if (inside.has(pair)) return 'inside';
  const refusal = reentryRefusal(reentry, left.get(pair)?.getTime() ?? null, after.enteredAt.getTime());
  if (refusal) return refusal;
  revisions.set(id, after.revision);
  inside.add(pair);
  return 'written';
}

type Pair = Pick<Enrollment, 'automationId' | 'contactId'>;

function pairOf({ automationId, contactId }: Pair): string {
  return `${automationId.toHexString()}:${contactId.toHexString()}`;
}

/** Writes only changed fields: the job queue owns `dueAt` of the next job. */
function operation({ before, after }: Move): AnyBulkWriteOperation<Enrollment> {
  if (!before) return { insertOne: { document: after } };
  const { history, ...fields } = after;
  const changed = Object.entries(fields).filter(([name, value]) => value !== before[name as keyof Enrollment]);
  const gone = Object.keys(before).filter((name) => !(name in after) && !name.startsWith('dueAt'));
  const added = history.slice(before.history.length);
  const filter = { _id: before._id, projectId: before.projectId };
  const update = {
    $set: Object.fromEntries(changed),
    ...(gone.length > 0 ? { $unset: Object.fromEntries(gone.map((name) => [name, ''])) } : {}),
    ...(added.length > 0 ? { $push: { history: { $each: added } } } : {}),
  };
  return { updateOne: { filter, update } } as AnyBulkWriteOperation<Enrollment>;
}
