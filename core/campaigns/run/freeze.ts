import { type Filter, ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import { insertNew } from '../../base/idempotent-insert.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import { GLOBAL_LIST, goesToEverybody } from '../../contacts/lists/global-list.ts';
import type { Contact } from '../../contacts/model.ts';
import { publishSuppressed } from '../../messages/events.ts';
import type { Message } from '../../outbox/model.ts';
import { ALL_STATES, states } from '../../outbox/states.ts';
import { goneGroups } from '../../suppressions/groups.ts';
import { stoppedBy } from '../../suppressions/rules.ts';
import { suppressionsAgainst } from '../../suppressions/suppressions.ts';
import type { Campaign, CampaignFreeze } from '../model.ts';
import { ledgerCounts, refreshCounts } from '../numbers/counts.ts';
import { correctSettling, removeExcluded } from './exclusions.ts';

const BATCH = 1_000;
const WRITES_MAX = 3;
/** How often the progress is stored, in batches. */
const KEEP_EVERY = 10;

export interface FreezeControl {
  signal: AbortSignal;
  onProgress(written: number): void;
}

/**
 * Writes one message for each contact of the audience: lists and segments less excluded ones, one per address, suppressed
 * contacts with the entry that stops the mail. May be repeated from any point: ids are derived from campaign and contact.
 * Exclusions are checked again at the end, before the first mail.
 */
export async function freezeAudience(
  deps: Deps,
  campaign: Campaign,
  { signal, onProgress }: FreezeControl,
): Promise<void> {
  const freeze = campaign.freeze ?? (await beginFreeze(deps, campaign));
  if (freeze.isDone) return;
  const place = { ...freeze, seq: await nextSeq(deps, campaign) };
  await correctSettling(deps, campaign, campaign.toLists, signal);
  for (;;) {
    await freezeLists(deps, campaign, place, { signal, onProgress });
    if (signal.aborted) return;
    // Messages inserted before a crash are not in our count, so the ledger may have more, but never fewer.
    const { total } = await ledgerCounts(deps, campaign);
    if (total >= place.written) return finish(deps, campaign, place, signal);
    deps.log.error(
      { campaignId: campaign._id, total, written: place.written },
      'recipients are missing; writing all of them again',
    );
    Object.assign(place, { list: 0, after: null, written: 0 });
  }
}

/** Without `isDone` when an excluded segment changed during the freeze: the run waits for it and repeats the end. */
async function finish(deps: Deps, campaign: Campaign, place: Place, signal: AbortSignal): Promise<void> {
  const onRemoval = async (count: number) => {
    place.written -= count;
    await keepPlace(deps, campaign, place);
  };
  const idOf = (contactId: ObjectId) => recipientId(place.at, campaign._id, contactId);
  if (!(await removeExcluded(deps, campaign, { idOf, signal, onRemoval }))) return;
  const counted = await ledgerCounts(deps, campaign);
  await keepPlace(deps, campaign, { ...place, written: counted.total, isDone: true });
  await refreshCounts(deps, campaign, counted);
}

async function freezeLists(deps: Deps, campaign: Campaign, place: Place, control: FreezeControl): Promise<void> {
  const lists = listsOf(campaign);
  for (; place.list < lists.length; place.list += 1, place.after = null) {
    await freezeList(deps, campaign, lists[place.list] as string, place, control);
    if (control.signal.aborted) return;
  }
}

interface Place extends CampaignFreeze {
  seq: number;
}

async function beginFreeze(deps: Deps, { _id, projectId }: Campaign): Promise<CampaignFreeze> {
  const freeze: CampaignFreeze = { at: deps.clock.now(), list: 0, after: null, written: 0, isDone: false };
  const begun = await deps.db.campaigns.findOneAndUpdate(
    { _id, projectId, freeze: null },
    { $set: { freeze } },
    { returnDocument: 'after' },
  );
  return begun?.freeze ?? (await deps.db.campaigns.findOne({ _id, projectId }))?.freeze ?? freeze;
}

/** A contact in several lists gets the same id again, which the second insert ignores. */
async function freezeList(
  deps: Deps,
  campaign: Campaign,
  listId: string,
  place: Place,
  { signal, onProgress }: FreezeControl,
): Promise<void> {
  const underWay: Array<{ last: string; write: Promise<number> }> = [];
  let batches = 0;
  // Batches are acknowledged in order, so everything below `after` is written.
  const acknowledge = async () => {
    const { last, write } = underWay.shift() as (typeof underWay)[number];
    place.written += await write;
    place.after = last;
    batches += 1;
    onProgress(place.written);
    if (batches % KEEP_EVERY === 0) await keepPlace(deps, campaign, place);
  };
  try {
    for await (const contacts of batchesOf(deps, campaign, listId, place.after)) {
      if (signal.aborted) break;
      const write = writeMessages(deps, await messagesOf(deps, campaign, place, contacts));
      write.catch(() => {});
      underWay.push({ last: (contacts.at(-1) as Reader).email, write });
      if (underWay.length >= WRITES_MAX) await acknowledge();
    }
    while (underWay.length > 0) await acknowledge();
  } finally {
    await Promise.allSettled(underWay.map(({ write }) => write));
  }
  await keepPlace(deps, campaign, place);
}

type Reader = Pick<Contact, '_id' | 'email'>;

async function* batchesOf(
  deps: Deps,
  campaign: Campaign,
  listId: string,
  after: string | null,
): AsyncGenerator<Reader[]> {
  const { filter, hint } = membersOf(campaign, listId, after);
  const cursor = deps.db.contacts.find(filter, { projection: { email: 1 }, hint, batchSize: BATCH }).sort({ email: 1 });
  let batch: Reader[] = [];
  for await (const contact of cursor) {
    batch.push(contact);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function membersOf(
  { projectId, excludeLists }: Campaign,
  listId: string,
  after: string | null,
): { filter: Filter<Contact>; hint: string } {
  const excluded = (type: 'list' | 'segment') =>
    excludeLists.filter((entry) => entry.type === type).map(({ id }) => new ObjectId(id));
  const [lists, segments] = [excluded('list'), excluded('segment')];
  const left: Filter<Contact> = {
    projectId,
    ...(after === null ? {} : { email: { $gt: after } }),
    ...(lists.length > 0 || segments.length > 0
      ? { $nor: [{ listIds: { $in: lists } }, { segmentIds: { $in: segments } }] }
      : {}),
  };
  if (listId === GLOBAL_LIST) return { filter: left, hint: 'email' };
  const [id, isSegment] = [new ObjectId(listId.replace('segment:', '')), listId.startsWith('segment:')];
  return isSegment
    ? { filter: { ...left, segmentIds: id }, hint: 'segment' }
    : { filter: { ...left, listIds: id }, hint: 'list' };
}

/** The global list has every contact, so no other list needs to be read. */
function listsOf(campaign: Campaign): string[] {
  if (goesToEverybody(campaign)) return [GLOBAL_LIST];
  return campaign.toLists
    .filter(({ id }) => parseId(id) !== null)
    .map(({ id, type }) => (type === 'segment' ? `segment:${id}` : id));
}

async function messagesOf(deps: Deps, campaign: Campaign, place: Place, contacts: Reader[]): Promise<Message[]> {
  const { _id: campaignId, projectId, unsubscribeGroupId } = campaign;
  const emails = contacts.map(({ email }) => email);
  const [entries, gone] = await Promise.all([
    suppressionsAgainst(deps, projectId, emails),
    goneGroups(deps, projectId, [unsubscribeGroupId]),
  ]);
  const mail = { marketing: true, groupId: unsubscribeGroupId, isGroupGone: gone.size > 0, bypass: false };
  return contacts.map(({ _id, email }) => {
    place.seq += 1;
    const hit = stoppedBy(entries.get(email) ?? [], mail);
    const message: Message = {
      _id: recipientId(place.at, campaignId, _id),
      projectId,
      lane: 'campaign',
      state: hit ? states.suppressed : states.queued,
      email,
      campaignId,
      contactId: _id,
      seq: place.seq,
    };
    return hit ? { ...message, suppressedBy: { groupId: hit.groupId, reason: hit.reason } } : message;
  });
}

/** The id of a contact's message in a campaign, always the same. */
export function recipientId(frozenAt: Date, campaignId: ObjectId, contactId: ObjectId): ObjectId {
  return derivedId(frozenAt, 'campaign', campaignId.toHexString(), contactId.toHexString());
}

/**
 * Events of suppressed contacts are published before the progress is stored, so that none is lost; a repeat is the same event.
 */
async function writeMessages(deps: Deps, messages: Message[]): Promise<number> {
  const inserted = await insertNew(deps, deps.db.messages.collectionName, messages);
  const [first] = messages;
  if (first) await publishSuppressed(deps, first.projectId, messages);
  return inserted;
}

/** After a restart numbers continue above the highest written: they order ranges, and need not be unique. */
async function nextSeq(deps: Deps, { _id, projectId }: Campaign): Promise<number> {
  const highest = await Promise.all(
    ALL_STATES.map((state) =>
      deps.db.messages.findOne(
        { campaignId: _id, projectId, state },
        { sort: { seq: -1 }, projection: { seq: 1 }, hint: 'campaign' },
      ),
    ),
  );
  return Math.max(0, ...highest.map((message) => message?.seq ?? 0));
}

async function keepPlace(
  deps: Deps,
  { _id, projectId }: Campaign,
  { at, list, after, written, isDone }: CampaignFreeze,
): Promise<void> {
  await deps.db.campaigns.updateOne(
    { _id, projectId, 'freeze.isDone': false },
    { $set: { freeze: { at, list, after, written, isDone } } },
  );
}
