import type { Filter, ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import { parseId } from '../../base/ids.ts';
import { correctSegment } from '../../contacts/lists/recompute.ts';
import type { Contact } from '../../contacts/model.ts';
import { FROZEN_STATES } from '../../outbox/states.ts';
import type { AudienceEntry, Campaign } from '../model.ts';
import { segmentsIn } from './segments.ts';

const MEMBERS_AT_ONCE = 1_000;

interface Exclusion {
  /** The message of a contact in this campaign. */
  idOf(contactId: ObjectId): ObjectId;
  signal: AbortSignal;
  /** Called before this many recipients are removed: the freeze must not take them for lost. */
  onRemoval(count: number): Promise<void>;
}

/**
 * Removes recipients who joined an excluded list or segment while the audience was written. Nothing has been sent yet. Returns
 * false when the filter of an excluded segment changed during the removal: then it has to be done again.
 */
export async function removeExcluded(deps: Deps, campaign: Campaign, exclusion: Exclusion): Promise<boolean> {
  const { excludeLists } = campaign;
  const before = await generationsOf(deps, campaign);
  await correctSettling(deps, campaign, excludeLists, exclusion.signal);
  for (const entry of excludeLists) await removeMembers(deps, campaign, entry, exclusion);
  return before !== null && before === (await generationsOf(deps, campaign)) && !exclusion.signal.aborted;
}

/** A change of a contact that read a former filter may have left a wrong mark, until the recompute's second pass finds it. */
export async function correctSettling(
  deps: Deps,
  { projectId }: Campaign,
  entries: AudienceEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const segment of await segmentsIn(deps, projectId, entries, ['settling']))
    await correctSegment(deps, segment, signal);
}

/** null while one of them is computed. */
async function generationsOf(deps: Deps, { projectId, excludeLists }: Campaign): Promise<string | null> {
  const segments = await segmentsIn(deps, projectId, excludeLists, ['running', 'settling', 'completed']);
  if (segments.some(({ recompute }) => recompute?.status === 'running')) return null;
  return segments.map(({ _id, recompute }) => `${_id.toHexString()} ${recompute?.generation}`).join();
}

async function removeMembers(
  deps: Deps,
  campaign: Campaign,
  { id, type }: AudienceEntry,
  exclusion: Exclusion,
): Promise<void> {
  const listId = parseId(id);
  if (!listId) return;
  const { projectId } = campaign;
  const members: Filter<Contact> =
    type === 'segment' ? { projectId, segmentIds: listId } : { projectId, listIds: listId };
  const cursor = deps.db.contacts.find(members, { projection: { _id: 1 }, hint: type, batchSize: MEMBERS_AT_ONCE });
  let batch: ObjectId[] = [];
  for await (const { _id } of cursor) {
    if (exclusion.signal.aborted) return;
    batch.push(_id);
    if (batch.length < MEMBERS_AT_ONCE) continue;
    await removeRecipients(deps, campaign, batch, exclusion);
    batch = [];
  }
  await removeRecipients(deps, campaign, batch, exclusion);
}

async function removeRecipients(
  deps: Deps,
  { _id: campaignId, projectId }: Campaign,
  contactIds: ObjectId[],
  { idOf, onRemoval }: Exclusion,
): Promise<void> {
  const ids = contactIds.map(idOf);
  const waiting = {
    _id: { $in: ids },
    projectId,
    campaignId,
    state: { $in: FROZEN_STATES },
  };
  const count = await deps.db.messages.countDocuments(waiting, { hint: '_id_' });
  if (count === 0) return;
  await onRemoval(count);
  await deps.db.messages.deleteMany(waiting, { hint: '_id_' });
}
