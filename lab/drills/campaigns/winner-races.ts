import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import { createCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import type { Campaign, VariantId } from '../../../core/campaigns/model.ts';
import { variantAt } from '../../../core/campaigns/variants/places.ts';
import { requestRun, wakeStarts } from '../../../core/jobs/starts.ts';
import type { Engagement } from '../../../core/mail/messages/model.ts';
import { type DrillContext, origin } from '../../rig/context.ts';
import { send } from '../../rig/traffic/calls.ts';
import { campaignTo, makeList } from '../../rig/traffic/people.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';
import { readCampaign } from './campaigns.ts';
import { subjectOf } from './variant-facts.ts';

export interface WinnerFacts {
  /** Campaigns whose winner was asked for by both APIs, while the run was to decide. */
  races: number;
  /** Answers that are neither 200 with the variant that won nor 409 with another one. */
  wrongAnswers: number;
  /** Campaigns without exactly one event of the decision, or with one of another variant. */
  wrongEvents: number;
}

export const TEST = { metric: 'humanClicks', decideAfterMinutes: 1, giveUpAfterMinutes: 1_440, onTie: 'hold' };
export const variantsOf = (...ids: VariantId[]) => ids.map((id) => ({ subject: subjectOf(id) }));

const WITHIN_MS = 300_000;
const AGAIN_MS = 100;
const MINUTE_MS = 60_000;
const PEOPLE_IN_RACE = 12;

export async function untilMeasured(context: DrillContext, _id: ObjectId): Promise<void> {
  const isMeasured = async () => (await readCampaign(context, _id)).freeze?.testedAt !== undefined;
  await until('the test is over', isMeasured, WITHIN_MS, AGAIN_MS);
}

/** So many of those who got each variant click, half an hour after delivery, in a browser. */
export async function clickOn(
  { deps, project }: DrillContext,
  campaign: Campaign,
  shares: Partial<Record<VariantId, number>>,
): Promise<void> {
  const of = { projectId: project._id, campaignId: campaign._id };
  const variantOf = variantAt(campaign);
  const rows = await deps.db.messages.find({ ...of, state: 'sent', seq: { $gte: 1 } }).toArray();
  const at = new Date();
  const deliveredAt = new Date(at.getTime() - 30 * MINUTE_MS);
  const click = { at, deliveredAt, url: 'https://shop.example.com/', agent: 'Mozilla/5.0 Firefox/120' };
  const writes = Object.entries(shares).flatMap(([variant, share]) => {
    const got = rows.filter(({ seq = 0 }) => variantOf(seq) === variant);
    return got.slice(0, Math.ceil(got.length * share)).map(
      ({ _id }): AnyBulkWriteOperation<Engagement> => ({
        updateOne: { filter: { _id, ...of }, update: { $set: { clickedAt: at, clicks: [click] } }, upsert: true },
      }),
    );
  });
  await deps.db.engagements.bulkWrite(writes);
}

/** The minutes until the decision are made none: the end of the test is put back, and the run looks at once. */
export async function letDecide({ deps, project }: DrillContext, { _id }: Campaign): Promise<void> {
  const testedAt = new Date(Date.now() - 2 * MINUTE_MS);
  const of = { _id, projectId: project._id };
  await deps.db.campaigns.updateOne(of, { $set: { 'freeze.testedAt': testedAt } });
  await requestRun(deps, 'campaign', of);
  wakeStarts(deps, 'campaign', project._id);
}

/** Both APIs are asked for a winner at the same moment, each for another one, while the run may decide too. */
export async function raceForWinner(
  context: DrillContext,
  apis: readonly string[],
  { _id }: Campaign,
  wanted: readonly VariantId[],
): Promise<Omit<WinnerFacts, 'races'>> {
  const answers = await Promise.all(wanted.map((variantId, index) => choose(context, apis[index]!, _id, variantId)));
  await until('there is a winner', async () => Boolean((await readCampaign(context, _id)).winner), WITHIN_MS);
  const { winner, projectId } = await readCampaign(context, _id);
  const events = await context.deps.db.projectEvents.find({ projectId, type: 'campaign.variant_decided' }).toArray();
  const own = events.filter(({ data }) => data.campaignId === _id.toHexString());
  const isRight = (status: number, index: number) => status === (wanted[index] === winner?.variantId ? 200 : 409);
  return {
    wrongAnswers: answers.filter((status, index) => !isRight(status, index)).length,
    wrongEvents: own.length === 1 && own[0]?.data.variantId === winner?.variantId ? 0 : 1,
  };
}

/** Small campaigns, one after the other, each decided by both APIs and the run at once. */
export async function raceOften(context: DrillContext, apis: readonly string[], races: number): Promise<WinnerFacts> {
  const found: WinnerFacts = { races, wrongAnswers: 0, wrongEvents: 0 };
  const { listId } = await makeList(context, 'race', PEOPLE_IN_RACE);
  const campaigns = await atOnce(races, () => launch(context, listId));
  for (const { _id } of campaigns) {
    await untilMeasured(context, _id);
    const campaign = await readCampaign(context, _id);
    await clickOn(context, campaign, { A: 1 });
    const [, { wrongAnswers, wrongEvents }] = await Promise.all([
      letDecide(context, campaign),
      raceForWinner(context, apis, campaign, ['A', 'B']),
    ]);
    found.wrongAnswers += wrongAnswers;
    found.wrongEvents += wrongEvents;
  }
  const ids = campaigns.map(({ _id }) => _id);
  const sent = { _id: { $in: ids }, projectId: context.project._id, status: 'sent' as const };
  const areSent = async () => (await context.deps.db.campaigns.countDocuments(sent)) === races;
  await until('the campaigns of the races are sent', areSent, WITHIN_MS, AGAIN_MS);
  return found;
}

async function launch({ deps, project }: DrillContext, listId: string): Promise<Campaign> {
  const fields = {
    ...{ ...campaignTo(listId), htmlTemplate: '<p><a href="https://shop.example.com/">Look</a></p>' },
    ...{ variants: variantsOf('A', 'B'), test: { ...TEST, share: 50, minPerVariant: 1 } },
  };
  const input = fields as Parameters<typeof createCampaign>[2];
  return (await createCampaign(deps, project, input, origin())).campaign;
}

/** The status of the first answer that a repeat does not mend. */
async function choose(context: DrillContext, url: string, _id: ObjectId, variantId: VariantId): Promise<number> {
  for (;;) {
    const answer = await send(context, `${url}/campaigns/${_id.toHexString()}/winner`, { variantId });
    await answer.body?.cancel();
    if (answer.status !== 503) return answer.status;
    await pause(AGAIN_MS);
  }
}
