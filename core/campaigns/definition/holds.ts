import { conflict, notFound } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Project, Session } from '../../base/model.ts';
import { holdGroup } from '../../consent/suppressions/groups.ts';
import { holdListsByIds } from '../../people/lists/lists.ts';
import type { StoredList } from '../../people/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign } from '../model.ts';
import { PUBLISHED } from '../status.ts';

type Naming = Pick<Campaign, 'projectId' | 'toLists' | 'excludeLists' | 'audience'>;

/**
 * Runs in the transaction that publishes or starts a campaign and returns the ids of named lists that are gone. The update makes
 * this transaction conflict with one that removes such a list: the repeated one sees the result of the other.
 */
export async function holdLists(deps: CampaignsDeps, session: Session, campaign: Naming): Promise<Set<string>> {
  const { projectId, toLists, excludeLists, audience } = campaign;
  const ids = [...toLists, ...excludeLists].flatMap(({ id }) => parseId(id) ?? []);
  const named = new Map([...ids, ...(audience?.listIds ?? [])].map((id) => [id.toHexString(), id]));
  if (named.size === 0) return new Set();
  const query = { projectId, _id: { $in: [...named.values()] } };
  await holdListsByIds(deps, session, projectId, query._id.$in);
  const found = await deps.db.contactLists.find(query, { session, projection: { _id: 1 } }).toArray();
  for (const { _id } of found) named.delete(_id.toHexString());
  return new Set(named.keys());
}

/** The same for a call that publishes: a list that is gone is 404 with its field. */
export async function requireLists(deps: CampaignsDeps, session: Session, campaign: Naming): Promise<void> {
  const gone = await holdLists(deps, session, campaign);
  const isGone = ({ id }: AudienceEntry) => gone.has(id);
  if (campaign.toLists.some(isGone)) throw notFound('CONTACT_LIST', 'toLists');
  if (campaign.excludeLists.some(isGone)) throw notFound('CONTACT_LIST', 'excludeLists');
}

/** Runs in the transaction that removes the list. Once the audience is written, nothing needs the list any more. */
export async function refuseHeld(deps: CampaignsDeps, session: Session, list: StoredList): Promise<void> {
  const { _id, projectId, name, type } = list;
  const id = _id.toHexString();
  const campaign = await deps.db.campaigns.findOne(
    {
      projectId,
      // A draft holds no list: publishing it checks that its lists exist.
      status: { $in: PUBLISHED },
      'freeze.isDone': { $ne: true },
      $or: [{ 'toLists.id': id }, { 'excludeLists.id': id }, { 'audience.listIds': _id }],
    },
    { session, projection: { name: 1, status: 1 } },
  );
  if (!campaign) return;
  const what = `The ${type === 'segment' ? 'segment' : 'list'} "${name}"`;
  throw conflict(
    'INVALID_STATE',
    `${what} is named by the campaign "${campaign.name}" (${campaign.status}), whose audience is not written yet; take it out there, abort the campaign, or wait until it is sending.`,
    `campaign ${campaign._id.toHexString()}: names it`,
  );
}

/** Keeps a group that a call names from being deleted between its look-up and the commit. */
export async function holdNamedGroup(
  deps: CampaignsDeps,
  session: Session,
  project: Pick<Project, '_id'>,
  { unsubscribeGroupId }: { unsubscribeGroupId?: string | null | undefined },
): Promise<void> {
  if (unsubscribeGroupId) await holdGroup(deps, session, project, unsubscribeGroupId);
}
