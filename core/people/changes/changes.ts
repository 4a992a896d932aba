import type { AnyBulkWriteOperation, ObjectId, UpdateFilter } from 'mongodb';
import { keyedBatcher } from '../../base/database/batcher.ts';
import { isDuplicateKey, repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { oncePerCore } from '../../base/deps.ts';
import { AppError } from '../../base/errors.ts';
import type { Project, Session } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import type { NewConsent } from '../../consent/consents/model.ts';
import { recordConsents } from '../../consent/consents/record.ts';
import { carrySuppressions } from '../../consent/suppressions/suppressions.ts';
import type { PeopleDeps } from '../deps.ts';
import type { Contact } from '../model.ts';
import { type ProjectRules, projectRulesOf } from '../project-rules.ts';
import { announceContactChanges, type PublishedChange, recordContactChanges } from '../subscribers.ts';
import { applyChange, type ContactChange, type ContactOutcome, type Drafts, isByTime } from './apply-change.ts';
import { countLists, importWriter, nextWriter, requestWriter, type Writer } from './counts.ts';
import { pastFor, writeFacts } from './in-transaction.ts';

export type { ContactChange, ContactOutcome } from './apply-change.ts';

/** Changes of one project that share a transaction: of ordinary requests, and of imports and calls with hundreds of contacts. */
const CHANGES_TOGETHER_MAX = 100;
export const IMPORT_CHANGES_TOGETHER_MAX = 500;

type Target = { deps: PeopleDeps; projectId: ObjectId };
const commit =
  ({ deps, projectId }: Target, writer: Writer) =>
  (changes: ContactChange[]) =>
    commitChanges(deps, projectId, changes, { writer });
const requests = oncePerCore(() =>
  keyedBatcher((target: Target) => commit(target, requestWriter()), {
    sizeMax: CHANGES_TOGETHER_MAX,
    runsMax: 1,
    callers: 'requests',
  }),
);
const imports = oncePerCore(() =>
  keyedBatcher((target: Target) => commit(target, importWriter()), {
    sizeMax: IMPORT_CHANGES_TOGETHER_MAX,
    runsMax: 1,
    callers: 'jobs',
  }),
);

/**
 * The only way to change contacts. Changes that arrive while others of the project are being written join one transaction, which keeps
 * segments, counts of lists and triggers right. One outcome for each change, in order; an error concerns that change alone.
 */
export async function changeContacts(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  changes: ContactChange[],
  togetherMax = CHANGES_TOGETHER_MAX,
): Promise<Array<ContactOutcome | AppError>> {
  const queue = (togetherMax > CHANGES_TOGETHER_MAX ? imports : requests)(deps);
  const target = { deps, projectId: project._id };
  const settled = await Promise.allSettled(changes.map((change) => queue(project._id.toHexString(), target, change)));
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    if (result.reason instanceof AppError) return result.reason;
    throw result.reason;
  });
}

/** In slices: each outcome holds its contact, and `take` keeps of it what the caller needs. */
export async function changeContactsInSlices(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  changes: ContactChange[],
  take: (outcome: ContactOutcome | AppError, index: number) => void,
): Promise<void> {
  const togetherMax = changes.length > CHANGES_TOGETHER_MAX ? IMPORT_CHANGES_TOGETHER_MAX : CHANGES_TOGETHER_MAX;
  for (let from = 0; from < changes.length; from += togetherMax) {
    const outcomes = await changeContacts(deps, project, changes.slice(from, from + togetherMax), togetherMax);
    for (const [index, outcome] of outcomes.entries()) take(outcome, from + index);
  }
}

/** One change, for callers with a single contact. */
export async function changeContact(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  change: ContactChange,
): Promise<ContactOutcome> {
  const [outcome] = await changeContacts(deps, project, [change]);
  if (!outcome || outcome instanceof AppError) throw outcome ?? new Error('a contact change returned no outcome');
  return outcome;
}

interface WriteOptions {
  writer: Writer;
  /** The import that the changes belong to. */
  importId?: ObjectId;
  /** Further writes of the same transaction. */
  inSameTransaction?: (session: Session, outcomes: Array<ContactOutcome | AppError>) => Promise<void>;
}

/** In a transaction of their own, without the changes of other calls. */
export async function changeContactsTogether(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  changes: ContactChange[],
  options: WriteOptions,
): Promise<Array<ContactOutcome | AppError>> {
  return commitChanges(deps, project._id, changes, options);
}

/** The whole transaction is repeated on a write conflict or a duplicate key; the repeat sees the conflicting contact. */
async function commitChanges(
  deps: PeopleDeps,
  projectId: ObjectId,
  changes: ContactChange[],
  options: WriteOptions,
): Promise<Array<ContactOutcome | AppError>> {
  const isMany = changes.length > 1;
  const commitOnce = async () => {
    const rules = await projectRulesOf(deps, projectId);
    let { writer } = options;
    return inTransaction(deps, (session) => {
      const run = writeContactChanges(deps, session, projectId, rules, changes, { ...options, writer });
      // A retry writes to another part of the counts: the conflict may be with a process that died in a transaction on this one.
      writer = nextWriter(writer);
      return run;
    });
  };
  try {
    const { outcomes, published } = await repeatOnDuplicate(commitOnce, isMany ? 2 : undefined);
    announceContactChanges(deps, projectId, published);
    return outcomes;
  } catch (error) {
    if (!isMany || !isDuplicateKey(error)) throw error;
    // Two changes that swap addresses conflict in one write, so they are written one after the other.
    return commitSingly(deps, projectId, changes, options);
  }
}

async function commitSingly(
  deps: PeopleDeps,
  projectId: ObjectId,
  changes: ContactChange[],
  { inSameTransaction, ...options }: WriteOptions,
): Promise<Array<ContactOutcome | AppError>> {
  const outcomes: Array<ContactOutcome | AppError> = [];
  for (const change of changes.slice(0, -1))
    outcomes.push(...(await commitChanges(deps, projectId, [change], options)));
  const finish: WriteOptions['inSameTransaction'] = async (session, last) =>
    inSameTransaction?.(session, [...outcomes, ...last]);
  return [
    ...outcomes,
    ...(await commitChanges(deps, projectId, changes.slice(-1), { ...options, inSameTransaction: finish })),
  ];
}

/** For callers that have a transaction of their own: they announce what it publishes, after the commit. */
export async function writeContactChanges(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  rules: ProjectRules,
  changes: ContactChange[],
  { writer, importId, inSameTransaction }: WriteOptions,
): Promise<{ outcomes: Array<ContactOutcome | AppError>; published: PublishedChange[] }> {
  const drafts = await readDrafts(deps, session, projectId, changes);
  const goneListIds = await findGone(deps, session, projectId, changes);
  await writeFacts(deps, session, projectId, changes, drafts);
  const pastOf = await pastFor(deps, session, projectId, rules, changes, drafts);
  const facts = { projectId, now: deps.clock.now(), goneListIds, pastOf };
  const breathe = breather();
  const outcomes: Array<ContactOutcome | AppError> = [];
  for (const change of changes) {
    outcomes.push(applyChange(drafts, rules, change, facts));
    await breathe();
  }
  const published = outcomes.flatMap((outcome, index): PublishedChange[] => {
    if (outcome instanceof AppError || !isNews(outcome)) return [];
    const { before, after } = outcome;
    const change = changes[index] as ContactChange;
    const isHeldBack = before?.isQuiet === true && isByTime(change, before, facts.now);
    const { causedBy } = change;
    return [{ before, after, runWorkflow: change.runWorkflow !== false && !isHeldBack, importId, causedBy }];
  });
  await writeContacts(deps, session, projectId, drafts);
  await carrySuppressions(deps, session, projectId, movesOf(published));
  await recordConsents(deps, session, projectId, consentsOf(changes, outcomes));
  await countLists(deps, session, projectId, published, writer);
  await recordContactChanges(deps, session, projectId, rules, published);
  await inSameTransaction?.(session, outcomes);
  return { outcomes, published };
}

function movesOf(published: PublishedChange[]): Array<{ from: string; to: string }> {
  return published.flatMap(({ before, after }) =>
    before && after && before.email !== after.email ? [{ from: before.email, to: after.email }] : [],
  );
}

/** A change that was refused has none. */
function consentsOf(changes: ContactChange[], outcomes: Array<ContactOutcome | AppError>): NewConsent[] {
  return outcomes.flatMap((outcome, index) => {
    const consent = changes[index]?.consent;
    if (!consent || outcome instanceof AppError || !outcome.after) return [];
    const { _id: contactId, email } = outcome.after;
    return [{ ...consent, contactId, email }];
  });
}

/** When a window passes next, and when facts were compared. */
const NO_NEWS: ReadonlySet<string> = new Set(['windowDueAt', 'factsAt', 'isQuiet'] satisfies Array<keyof Contact>);

/** Every field is compared: changes that share a transaction share its time, so `updatedAt` may be the same. */
function isNews({ before, after }: ContactOutcome): boolean {
  if (!before || !after) return before !== after;
  return Object.keys(changedFields(before, after)).some((field) => !NO_NEWS.has(field));
}

/** Lists that were deleted after the request had found them. */
export async function findGone(
  deps: PeopleDeps,
  session: Session | undefined,
  projectId: ObjectId,
  changes: ReadonlyArray<Pick<ContactChange, 'addListIds'>>,
): Promise<Set<string>> {
  const named = changes.flatMap(({ addListIds = [] }) => addListIds.map((id) => [id.toHexString(), id] as const));
  const ids = new Map(named);
  if (ids.size === 0) return new Set();
  const found = await deps.db.contactLists
    .find({ projectId, _id: { $in: [...ids.values()] } }, { session, projection: { _id: 1 } })
    .toArray();
  for (const { _id } of found) ids.delete(_id.toHexString());
  return new Set(ids.keys());
}

/** Reads by id and by every address named, so that contacts that already have an address are seen. */
export async function readDrafts(
  deps: PeopleDeps,
  session: Session | undefined,
  projectId: ObjectId,
  changes: ContactChange[],
): Promise<Drafts> {
  const ids = changes.flatMap(({ contactId }) => contactId ?? []);
  const emails = changes.flatMap(({ email, set }) => [email, set?.email].filter((text) => typeof text === 'string'));
  const { contacts } = deps.db;
  const found: Contact[] = [];
  if (ids.length > 0)
    found.push(...(await contacts.find({ _id: { $in: ids }, projectId }, { session, hint: '_id_' }).toArray()));
  if (emails.length > 0)
    found.push(...(await contacts.find({ projectId, email: { $in: emails } }, { session, hint: 'email' }).toArray()));
  const stored = new Map(found.map((contact) => [contact._id.toHexString(), contact]));
  const drafts: Drafts = { byId: new Map(), byEmail: new Map(), stored };
  for (const contact of stored.values()) {
    drafts.byId.set(contact._id.toHexString(), contact);
    drafts.byEmail.set(contact.email, contact);
  }
  return drafts;
}

async function writeContacts(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  { byId, stored }: Drafts,
): Promise<void> {
  const writes: AnyBulkWriteOperation<Contact>[] = [];
  const deleted: ObjectId[] = [];
  const moved: Array<{ before: Contact; update: UpdateFilter<Contact> }> = [];
  const alike = new Map<string, { update: UpdateFilter<Contact>; ids: ObjectId[] }>();
  const breathe = breather();
  for (const [id, before] of stored) {
    await breathe();
    const after = byId.get(id);
    if (!after) deleted.push(before._id);
    if (!after || after === before) continue;
    const update = updateOf(before, after);
    if (after.email !== before.email) {
      moved.push({ before, update });
      continue;
    }
    const key = JSON.stringify(update);
    const group = alike.get(key) ?? { update, ids: [] };
    group.ids.push(before._id);
    alike.set(key, group);
  }
  const { contacts } = deps.db;
  if (deleted.length > 0) await contacts.deleteMany({ _id: { $in: deleted }, projectId }, { session });
  // A new address may move a sharded contact to another shard, which takes a write of its own that names the old address.
  for (const { before, update } of moved)
    await contacts.updateOne({ _id: before._id, projectId, email: before.email }, update, { session });
  // One write for all contacts with equal changes: 500 that join a list cost a fifth of 500 writes.
  for (const { update, ids } of alike.values())
    writes.push(
      ids.length === 1
        ? { updateOne: { filter: { _id: ids[0] as ObjectId, projectId }, update } }
        : { updateMany: { filter: { _id: { $in: ids }, projectId }, update } },
    );
  for (const [id, after] of byId) if (!stored.has(id)) writes.push({ insertOne: { document: after } });
  if (writes.length > 0) await contacts.bulkWrite(writes, { session, ordered: true });
}

/** Fields that a change may remove. */
const OPTIONAL = ['windowDueAt', 'isQuiet'] as const satisfies Array<keyof Contact>;

/** Lists are added with a push, so that contacts with different other lists still share a write. */
function updateOf(before: Contact, after: Contact): UpdateFilter<Contact> {
  const { listIds, ...set } = changedFields(before, after);
  const gone = OPTIONAL.filter((field) => before[field] !== undefined && after[field] === undefined);
  const unset = gone.length > 0 ? { $unset: Object.fromEntries(gone.map((field) => [field, '' as const])) } : {};
  if (!listIds) return Object.keys(set).length > 0 ? { $set: set, ...unset } : unset;
  const isKept = before.listIds.every((id, index) => listIds[index]?.equals(id));
  if (!isKept) return { $set: { ...set, listIds }, ...unset };
  return { $set: set, ...unset, $push: { listIds: { $each: listIds.slice(before.listIds.length) } } };
}

function changedFields(before: Contact, after: Contact): Partial<Contact> {
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => value !== before[field as keyof Contact]),
  ) as Partial<Contact>;
}
