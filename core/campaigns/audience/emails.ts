import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import type { PageOf } from '../../base/paging.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type { Email } from '../../mail/messages/copies.ts';
import { type EmailFilter, idsWithin, listEmails, queryOf } from '../../mail/messages/emails.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { isInBlocks, pageWithWaiting, type Search } from './waiting.ts';

/** Mails that have a row, newest first; of a campaign also those that wait to be sent, behind the others. */
export async function listEmailsOf(deps: CampaignsDeps, project: Project, filter: EmailFilter): Promise<PageOf<Email>> {
  // A campaign's mail is of no key.
  if (filter.keyId !== undefined) return listEmails(deps, project, filter);
  const _id = filter.campaignId === undefined ? null : parseId(filter.campaignId);
  const campaign = _id && (await deps.db.campaigns.findOne({ _id, projectId: project._id }));
  if (!campaign || !isInBlocks(campaign)) return listEmails(deps, project, filter);
  const search = {
    rows: queryOf(project, filter),
    sort: { _id: -1 as const },
    waiting: waitingIn(filter, campaign),
  };
  const page = await pageWithWaiting(deps, campaign, search, filter);
  return { ...page, entries: page.entries.map((message) => ({ message, copies: [] })) };
}

function waitingIn(filter: EmailFilter, { freeze, tags = [] }: Campaign): Search['waiting'] {
  const { status = 'queued', batchId, automationId, email, tag } = filter;
  if (status !== 'queued' || batchId !== undefined || automationId !== undefined) return 'none';
  if (tag !== undefined && !tags.includes(tag)) return 'none';
  if (!idsWithin(filter, freeze!.at)) return 'none';
  return email === undefined ? 'all' : { email: normalizeEmail(email) ?? '' };
}
