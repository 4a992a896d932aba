import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import { findCampaign } from '../definition/campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { type Acted, actedIn, type ClickedLink, figures, indexOf } from './figures.ts';
import { type Behind, type Person, peopleOf, refuseLink } from './list.ts';
import { everyRow, ROWS_AT_ONCE } from './rows.ts';
import { withoutAct } from './without.ts';

/** Recipients who were suppressed at the freeze have negative numbers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** All people behind a figure, in batches by position, so that a slow reader holds neither memory nor a cursor. */
export async function everyPersonOf(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  behind: Behind,
): Promise<AsyncGenerator<Person[]>> {
  refuseLink(behind);
  const campaign = await findCampaign(deps, project, campaignId);
  return people(deps, campaign, behind);
}

async function* people(deps: CampaignsDeps, campaign: Campaign, behind: Behind): AsyncGenerator<Person[]> {
  for await (const ids of everyId(deps, campaign, behind)) yield await peopleOf(deps, campaign, ids);
}

async function* everyId(deps: CampaignsDeps, campaign: Campaign, { did, ...link }: Behind): AsyncGenerator<ObjectId[]> {
  const figure = figures[did];
  if (figure.kind === 'acted') yield* everyActed(deps, campaign, figure, link);
  else if (figure.kind === 'inStates')
    for (const state of figure.states)
      for await (const rows of everyRow(deps, campaign, state, { after: BEFORE_ALL, fields: { _id: 1, seq: 1 } }))
        yield rows.map(({ _id }) => _id);
  else for await (const { ids } of withoutAct(deps, campaign, figure.act)) yield ids;
}

async function* everyActed(
  { db }: CampaignsDeps,
  campaign: Campaign,
  act: Acted,
  link: ClickedLink,
): AsyncGenerator<ObjectId[]> {
  const all = actedIn(campaign, act, link);
  for (let last: Engagement | undefined; ; ) {
    const found: Engagement[] = await db.engagements
      .find(last ? { $and: [all, behindOf(act, last)] } : all, {
        projection: { [act.at]: 1 },
        hint: indexOf(act, link),
      })
      .sort({ [act.at]: -1, _id: -1 })
      .limit(ROWS_AT_ONCE)
      .toArray();
    if (found.length > 0) yield found.map(({ _id }) => _id);
    if (found.length < ROWS_AT_ONCE) return;
    last = found.at(-1);
  }
}

function behindOf({ at }: Acted, last: Engagement) {
  const time = last[at];
  return { [at]: { $lte: time }, $or: [{ [at]: { $lt: time } }, { _id: { $lt: last._id } }] };
}
