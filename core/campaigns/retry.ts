import { conflict } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { HOUR_MS } from '../base/time/durations.ts';
import { goneGroups } from '../consent/suppressions/find-groups.ts';
import { holdGroup } from '../consent/suppressions/groups.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import type { Message } from '../mail/ledger/model.ts';
import { queueAgain } from '../mail/messages/of-campaigns.ts';
import { presentContacts } from '../people/contacts/present.ts';
import { decide, type Settled, settle } from './control.ts';
import { findCampaign } from './definition/campaigns.ts';
import { keptUntil } from './definition/kept.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign } from './model.ts';
import { everyRow } from './people/rows.ts';
import { RETRYABLE, sendingStatus, stateConflict } from './status.ts';
import type { CommitWith } from './transition.ts';

type RetriedState = 'failed' | 'unknown';

/** A removal that begins while messages are queued again would not see the retry. */
const REMOVAL_MARGIN_MS = HOUR_MS;

/**
 * Sends again only failed or unknown messages, over the same ledger. The messages are queued before the status changes, so that
 * every run finds them; none is sent until it has changed. Mail of deleted contacts stays failed.
 */
export async function retryCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  retried: RetriedState[],
): Promise<Settled> {
  const campaign = await findCampaign(deps, project, campaignId);
  if (!RETRYABLE.includes(campaign.status)) throw stateConflict('retried', campaign.status);
  refuseRemoved(deps, campaign);
  const { unsubscribeGroupId: groupId } = campaign;
  if ((await goneGroups(deps, project._id, [groupId])).size > 0) throw groupGone();
  await queueAllAgain(deps, campaign, retried);
  const commitWith: CommitWith = async (session) => {
    if (groupId) await holdGroup(deps, session, project, groupId);
    await requestRun(deps, 'metrics', campaign, { session });
  };
  const moved = await decide(deps, project, campaignId, { from: RETRYABLE, word: 'retried', commitWith }, (before) => ({
    status: sendingStatus(before),
    sentAt: null,
    failureReason: null,
    // Its audience was never written: it begins again, and what it names is checked and held again.
    ...(before.freeze?.isDone ? {} : { startedAt: null }),
  }));
  wakeStarts(deps, 'metrics', project._id);
  return settle(deps, moved);
}

/** The numbers of messages that retention may have removed are known from the campaign alone, and a retry would count them again. */
function refuseRemoved(deps: CampaignsDeps, campaign: Campaign): void {
  const until = campaign.freeze?.isDone ? keptUntil(deps, campaign) : null;
  if (until && until.getTime() - REMOVAL_MARGIN_MS <= deps.clock.now().getTime())
    throw conflict(
      'INVALID_STATE',
      `The mails of the campaign are kept until ${until.toISOString()}: it cannot be retried any more.`,
    );
}

function groupGone() {
  return conflict(
    'INVALID_STATE',
    'The suppression group that this campaign names was deleted, and with it the record of the people who had left it. Duplicate the campaign and name another group.',
    'unsubscribeGroupId: was deleted',
  );
}

async function queueAllAgain(deps: CampaignsDeps, campaign: Campaign, retried: RetriedState[]): Promise<void> {
  for (const state of retried)
    for await (const batch of everyRow<Retried>(deps, campaign, state, { fields: { contactId: 1, seq: 1 } }))
      await queueBatch(deps, campaign, state, batch);
}

type Retried = Pick<Message, '_id' | 'contactId' | 'seq'>;

/** Mail of contacts deleted during the retry is failed by the deletion; contacts deleted before are found missing here. */
async function queueBatch(
  deps: CampaignsDeps,
  { projectId }: Campaign,
  state: RetriedState,
  batch: Retried[],
): Promise<void> {
  const contactIds = batch.flatMap(({ contactId }) => contactId ?? []);
  const present = await presentContacts(deps, projectId, contactIds);
  const ids = batch.flatMap(({ _id, contactId }) => (contactId && present.has(contactId.toHexString()) ? _id : []));
  await queueAgain(deps, projectId, state, ids);
}
