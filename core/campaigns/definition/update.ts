import { nextUpdate, refuseUnseen } from '../../base/database/seen.ts';
import { conflict, invalid } from '../../base/errors.ts';
import { type By, type Origin, refuseAuthor } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { requestRun, wakeStarts } from '../../jobs/starts.ts';
import { referToTemplate } from '../../templates/find.ts';
import type { CampaignsDeps } from '../deps.ts';
import { firstOf, localTimeOf, refuseOver } from '../local-time/given.ts';
import type { Campaign } from '../model.ts';
import { isEditable, isPausedBeforeStart, OVER, PUBLISHED, stateConflict } from '../status.ts';
import { moveCampaign } from '../transition.ts';
import { refuseUnfit } from '../variants/given.ts';
import { referToVariants } from '../variants/ready.ts';
import { findCampaign } from './campaigns.ts';
import { type RelatedCampaign, relatedCampaign } from './expand.ts';
import { holdNamedGroup, requireLists } from './holds.ts';
import {
  broughtBy,
  type CampaignInput,
  htmlBrought,
  namedFields,
  type PlannedCampaign,
  plainFields,
  refuseManyPictures,
  requirePublishable,
  templateWrite,
} from './input.ts';
import { publishes, refusePast, timingOf } from './timing.ts';

const TRIES_MAX = 5;

/**
 * Every field of creation in draft and scheduled; rate and plan also while sending or paused. Retried when a concurrent update
 * wins.
 */
export async function updateCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  input: CampaignInput,
  origin: Origin,
): Promise<RelatedCampaign> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await findCampaign(deps, project, campaignId);
    refuseUnseen('campaign', before, input.updatedAt);
    const planned = await changedCampaign(deps, project, before, input, origin);
    const template = await templateWrite(deps, project, planned, { input, before: before.variants }, origin);
    const { templateId, variants } = template;
    const after = { ...planned.campaign, templateId, ...(variants === undefined ? {} : { variants }) };
    const updated = await store(deps, project, before, after, async (session) => {
      await holdNamedGroup(deps, session, project, after.status === 'scheduled' ? after : input);
      await template.write(session);
    });
    if (updated) return updated;
  }
  throw conflict('INVALID_STATE', 'The campaign is being changed by other calls; read it again and repeat.');
}

/** The campaign with the changes of this call, if it allows them. Nothing is written. */
export async function changedCampaign(
  deps: CampaignsDeps,
  project: Project,
  before: Campaign,
  input: CampaignInput,
  origin: By,
): Promise<PlannedCampaign> {
  if (PUBLISHED.includes(before.status)) refuseAuthor(origin, 'changePublished');
  if (publishes(input)) refuseAuthor(origin, 'publish');
  const isOpen = isEditable(before);
  if (!isOpen) refuseLateChanges(before, input);
  const brought = await broughtBy(deps, project, input);
  const plain = { ...before, ...plainFields(before, input) };
  const now = deps.clock.now();
  const timing = isOpen ? timingOf(plain, input, now, deps.config.sendNowDelay) : lateTiming(plain, input, now);
  const after: Campaign = {
    ...plain,
    ...timing,
    ...(await namedFields(deps, project, plain, input)),
    updatedAt: nextUpdate(before, now),
  };
  if (isOpen) {
    refuseUnfit(after, htmlBrought(brought));
    await refuseManyPictures(deps, { campaign: after, ...brought });
  }
  if (after.status === 'scheduled') refuseAuthor(origin, 'publish');
  // Lists that a call names replace the people of another campaign.
  if (after.audience && (after.toLists.length > 0 || after.sendToGlobalList)) after.audience = null;
  if (after.status === 'scheduled') await requirePublishable(deps, project, { campaign: after, ...brought });
  return { campaign: after, ...brought };
}

/** Writes only the differences: releases change the state of the plan at the same time. null: a concurrent change won. */
async function store(
  deps: CampaignsDeps,
  project: Project,
  before: Campaign,
  after: Campaign,
  commitWith: (session: Session) => Promise<void>,
): Promise<RelatedCampaign | null> {
  const { _id, projectId, status, updatedAt } = before;
  const names = Object.keys(after).filter((name) => name !== 'gradual') as Array<keyof Campaign>;
  const differing = names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]] as const);
  const wakeRun = after.status !== 'draft' || status === 'scheduled';
  const filter = { _id, projectId, status, updatedAt };
  const update = {
    $set: {
      ...Object.fromEntries(differing),
      ...planChanges(before, after),
    },
  };
  let related: RelatedCampaign | null = null;
  const updated = await moveCampaign(deps, filter, update, async (session, written) => {
    if (wakeRun) await requestRun(deps, 'campaign', before, { session });
    if (after.status === 'scheduled') await requireLists(deps, session, after);
    await commitWith(session);
    if (after.status === 'scheduled' || (after.templateId !== before.templateId && after.templateId !== ''))
      await referToTemplate(deps, session, { _id: projectId }, after.templateId, 'templateId');
    if (after.status === 'scheduled' || after.variants !== before.variants) await referToVariants(deps, session, after);
    related = await relatedCampaign(deps, project, written, session);
  });
  if (updated && wakeRun) wakeStarts(deps, 'campaign', projectId);
  return updated && related;
}

function planChanges({ gradual: before }: Campaign, { gradual: after }: Campaign): Record<string, unknown> {
  if (after === before) return {};
  if (after === null || before === null) return { gradual: after };
  const { emailsPerDay, growth, timezone, startAt } = after;
  return {
    'gradual.emailsPerDay': emailsPerDay,
    'gradual.growth': growth,
    'gradual.timezone': timezone,
    'gradual.startAt': startAt,
  };
}

function refuseLateChanges(before: Campaign, input: CampaignInput): void {
  const { status, sendMode } = before;
  if (OVER.includes(status)) throw stateConflict('changed', status);
  const allowed = [
    'sendRatePerSecond',
    'gradual',
    ...(isPausedBeforeStart(before) ? ['scheduledAt', 'localTime'] : []),
  ];
  const { updatedAt: _, ...changes } = input;
  const given = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const refused = given.filter((name) => !allowed.includes(name));
  if (refused.length > 0)
    throw conflict(
      'INVALID_STATE',
      `A campaign that is ${status} takes changes of ${allowed.join(' and ')} only; pause and duplicate it for others.`,
      `${refused.join(', ')}: cannot be changed now`,
    );
  // A campaign has a plan from its beginning; without one, everything would be sent at once.
  if (input.gradual !== undefined && sendMode !== 'gradual')
    throw conflict(
      'INVALID_STATE',
      `A campaign that is ${status} cannot become gradual.`,
      'gradual: cannot be changed now',
    );
  if (input.gradual === null)
    throw invalid('The plan of a gradual campaign can be changed, not taken away.', 'gradual: must be an object');
}

function lateTiming(campaign: Campaign, input: CampaignInput, now: Date): Partial<Campaign> {
  const { scheduledAt } = input;
  if (input.localTime) {
    const localTime = localTimeOf(campaign, input);
    if (localTime) refuseOver(localTime, now, campaign.test);
    const at = localTime && firstOf(localTime, now, campaign.test);
    return { localTime, scheduledAt: at, startsAt: at, sendNow: false, sendMode: 'scheduled' };
  }
  if (!scheduledAt) return {};
  const at = new Date(scheduledAt);
  refusePast(at, now, 'scheduledAt');
  const sendMode = campaign.sendMode === 'immediate' ? ('scheduled' as const) : campaign.sendMode;
  return { scheduledAt: at, startsAt: at, sendNow: false, sendMode, localTime: null };
}
