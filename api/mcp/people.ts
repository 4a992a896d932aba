import { ObjectId } from 'mongodb';
import { activatable } from '../../core/automations/lifecycle.ts';
import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { countAudience } from '../../core/campaigns/audience/count.ts';
import { findCampaign, plannedCampaign } from '../../core/campaigns/definition/campaigns.ts';
import type { CampaignInput } from '../../core/campaigns/definition/input.ts';
import { changedCampaign } from '../../core/campaigns/definition/update.ts';
import type { Campaign, CampaignStatus } from '../../core/campaigns/model.ts';
import { type LedgerCounts, ledgerCounts } from '../../core/campaigns/numbers/counts.ts';
import { RETRYABLE, stateConflict } from '../../core/campaigns/status.ts';
import { getMigration } from '../../core/migrations/migrations.ts';
import { GLOBAL_LIST } from '../../core/people/global-list.ts';
import { findList } from '../../core/people/lists/lists.ts';
import type { OperationName } from '../../schemas/operations.ts';
import { countAddresses } from './addresses.ts';
import type { Input } from './arguments.ts';

/** Mail to several people, which the user of the client has to confirm. */
export interface Mailing {
  people: number;
  /** Completes "This call sends to 12 people: ...". */
  what: string;
}

interface Tenant {
  deps: Deps;
  project: Project;
}
type Plan = (tenant: Tenant, input: Input) => Promise<Mailing | null>;

const NAME_SHOWN_MAX = 80;

/**
 * Operations whose effect may be mail to several people. null: this call has no such effect. Campaigns and automations are asked about
 * whatever the number is, since contacts may join until they send. A call that would be refused is refused here, before the question.
 */
export const mailings: Partial<Record<OperationName, Plan>> = {
  'mails.send': async (_, { body }) => several(countAddresses(body), 'one mail'),
  'mails.bulk': async (_, { body }) => several(countAddresses(body), 'a mail to each'),
  'inbound.reply': async (_, { body }) => several(1 + countAddresses(body), 'a reply with copies'),
  'campaigns.test': async (_, { body }) => several(countAddresses(body), 'a test of a campaign'),
  'campaigns.create': async ({ deps, project }, { body }) => {
    const input = body as Parameters<typeof plannedCampaign>[2];
    const origin = { at: deps.clock.now(), seed: new ObjectId() };
    return published(deps, (await plannedCampaign(deps, project, input, origin)).campaign);
  },
  'campaigns.update': async (tenant, { params, body }) => {
    const { deps, project } = tenant;
    const before = await findCampaign(deps, project, params.campaignId ?? '');
    return published(deps, (await changedCampaign(deps, project, before, body as CampaignInput, {})).campaign);
  },
  'campaigns.resume': async (tenant, { params }) => {
    const campaign = await campaignIn(tenant, params, ['paused'], 'resumed');
    const people = await remaining(tenant.deps, campaign, ({ pending }) => pending);
    return { people, what: `the rest of the campaign ${quoted(campaign.name)}` };
  },
  'campaigns.retry': async (tenant, { params, body }) => {
    const { states } = body as { states: ('failed' | 'unknown')[] };
    const campaign = await campaignIn(tenant, params, RETRYABLE, 'retried');
    const people = await remaining(tenant.deps, campaign, (counts) =>
      states.reduce((sum, state) => sum + counts[state], counts.pending),
    );
    return { people, what: `the campaign ${quoted(campaign.name)}, again` };
  },
  'automations.activate': async ({ deps, project }, { params }) => {
    const { name, entryCriteria } = await activatable(deps, project, params.automationId ?? '');
    const { contactCount } = await findList(deps, project, entryCriteria.listId ?? GLOBAL_LIST);
    return { people: contactCount, what: `mails of the automation ${quoted(name)}, to those who enter it from now on` };
  },
  'migrations.retry': async ({ deps, project }, { params }) => {
    const { runWorkflow, phases } = await getMigration(deps, project, params.migrationId ?? '');
    const people = phases.find(({ name }) => name === 'contacts')?.total ?? 0;
    return runWorkflow ? { people, what: 'mails of automations, to contacts of this migration' } : null;
  },
};

async function published(deps: Deps, campaign: Campaign): Promise<Mailing | null> {
  const { status, name, startsAt } = campaign;
  if (status !== 'scheduled') return null;
  const time = startsAt && startsAt > deps.clock.now() ? startsAt.toISOString() : 'now';
  return { people: await countAudience(deps, campaign), what: `the campaign ${quoted(name)}, ${time}` };
}

/** Of the ledger, once the audience is written down. */
async function remaining(deps: Deps, campaign: Campaign, part: (counts: LedgerCounts) => number): Promise<number> {
  return campaign.freeze?.isDone ? part(await ledgerCounts(deps, campaign)) : countAudience(deps, campaign);
}

async function campaignIn(
  { deps, project }: Tenant,
  { campaignId = '' }: Record<string, string>,
  statuses: readonly CampaignStatus[],
  wanted: string,
): Promise<Campaign> {
  const campaign = await findCampaign(deps, project, campaignId);
  if (!statuses.includes(campaign.status)) throw stateConflict(wanted, campaign.status);
  return campaign;
}

function several(people: number, what: string): Mailing | null {
  return people > 1 ? { people, what } : null;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}...` : name);
}
