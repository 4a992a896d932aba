import { parseId } from '../../base/ids.ts';
import { IdSet } from '../../base/work/id-set.ts';
import { correctSegment } from '../../people/lists/recompute.ts';
import type { Contact } from '../../people/model.ts';
import { membersOf } from '../../people/search.ts';
import { segmentsIn } from '../definition/segments.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign } from '../model.ts';

const MEMBERS_AT_ONCE = 1_000;

/**
 * Recipients who joined an excluded list or segment while the audience was written. Nothing has been sent yet. null when the filter of
 * an excluded segment changed in between: then the freeze has to be done again.
 */
export async function joinedExcluded(
  deps: CampaignsDeps,
  campaign: Campaign,
  recipients: IdSet,
  signal: AbortSignal,
): Promise<IdSet | null> {
  const { excludeLists } = campaign;
  const joined = new IdSet();
  const before = await generationsOf(deps, campaign);
  await correctSettling(deps, campaign, excludeLists, signal);
  for (const entry of excludeLists)
    for await (const members of membersIn(deps, campaign, entry)) {
      if (signal.aborted) return null;
      for (const { _id } of members) if (recipients.has(_id)) joined.add(_id);
    }
  return before !== null && before === (await generationsOf(deps, campaign)) && !signal.aborted ? joined : null;
}

/** A change of a contact that read a former filter may have left a wrong mark, until the recompute's second pass finds it. */
export async function correctSettling(
  deps: CampaignsDeps,
  { projectId }: Campaign,
  entries: AudienceEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const segment of await segmentsIn(deps, projectId, entries, ['settling']))
    await correctSegment(deps, segment, signal);
}

/** null while one of them is computed. */
async function generationsOf(deps: CampaignsDeps, { projectId, excludeLists }: Campaign): Promise<string | null> {
  const segments = await segmentsIn(deps, projectId, excludeLists, ['running', 'settling', 'completed']);
  if (segments.some(({ recompute }) => recompute?.status === 'running')) return null;
  return segments.map(({ _id, recompute }) => `${_id.toHexString()} ${recompute?.generation}`).join();
}

async function* membersIn(
  deps: CampaignsDeps,
  { projectId }: Campaign,
  { id, type }: AudienceEntry,
): AsyncGenerator<Array<Pick<Contact, '_id'>>> {
  const _id = parseId(id);
  if (!_id) return;
  const { filter, hint } = membersOf({ _id, projectId, type });
  const cursor = deps.db.contacts.find(filter, { projection: { _id: 1 }, hint, batchSize: MEMBERS_AT_ONCE });
  while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
}
