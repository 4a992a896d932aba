import type { ObjectId } from 'mongodb';
import type { Figure } from '../../../schemas/campaigns/people.ts';
import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from '../../base/paging.ts';
import type { Message } from '../../mail/ledger/model.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import { findCampaign } from '../definition/campaigns.ts';
import { keptUntil } from '../definition/kept.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { type Acted, actedIn, type ClickedLink, figures, type InStates, indexOf } from './figures.ts';
import { totalOf } from './totals.ts';
import { pageWithout } from './without.ts';

export interface Person {
  message: Message;
  engagement: Engagement | null;
}

export interface Behind extends ClickedLink {
  did: Figure;
}

interface PeoplePage extends PageOf<Person> {
  keptUntil: Date | null;
}

type Window = { skip: number; limit: number };

/** One page of the people that a figure of a campaign counts. */
export async function listPeople(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  { page = 1, limit = 20, ...behind }: Behind & Page,
): Promise<PeoplePage> {
  refuseLink(behind);
  const campaign = await findCampaign(deps, project, campaignId);
  const [ids, total] = await Promise.all([
    idsOf(deps, campaign, behind, { skip: skipOf(page, limit), limit }),
    totalOf(deps, campaign, behind.did, behind),
  ]);
  const entries = await peopleOf(deps, campaign, ids);
  return { entries, pagination: paginationOf(page, limit, total), keptUntil: keptUntil(deps, campaign) };
}

export function refuseLink({ did, position, url }: Behind): void {
  if (position === undefined && url === undefined) return;
  const given = position === undefined ? 'url' : 'position';
  if (did !== 'clicked')
    throw invalid('A link can be named for the people who clicked it.', `${given}: is allowed with did=clicked only`);
  if (position !== undefined && url !== undefined)
    throw invalid('Name the link by its position or by an address.', 'url: cannot be combined with position');
}

function idsOf(deps: CampaignsDeps, campaign: Campaign, { did, ...link }: Behind, window: Window): Promise<ObjectId[]> {
  const figure = figures[did];
  switch (figure.kind) {
    case 'acted':
      return idsOfActed(deps, campaign, figure, window, link);
    case 'inStates':
      return idsOfRows(deps, campaign, figure, window);
    case 'didNot':
      return pageWithout(deps, campaign, figure.act, window);
  }
}

/** The last one first. */
async function idsOfActed(
  { db }: CampaignsDeps,
  campaign: Campaign,
  act: Acted,
  { skip, limit }: Window,
  link: ClickedLink,
): Promise<ObjectId[]> {
  const found = await db.engagements
    .find(actedIn(campaign, act, link), {
      projection: { _id: 1 },
      hint: indexOf(act, link),
      maxTimeMS: READ_TIME_MAX_MS,
    })
    .sort({ [act.at]: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}

/** In the order of sending. */
async function idsOfRows(
  { db }: CampaignsDeps,
  { _id, projectId }: Campaign,
  { states }: InStates,
  { skip, limit }: Window,
): Promise<ObjectId[]> {
  const found = await db.messages
    .find(
      { campaignId: _id, projectId, state: { $in: states } },
      { projection: { _id: 1 }, hint: 'campaign', maxTimeMS: READ_TIME_MAX_MS },
    )
    .sort({ state: 1, seq: 1 })
    .skip(skip)
    .limit(limit)
    .toArray();
  return found.map(({ _id: id }) => id);
}

/** Rows with their engagements, in the order of the ids. A row that retention has removed in between is left out. */
export async function peopleOf({ db }: CampaignsDeps, { projectId }: Campaign, ids: ObjectId[]): Promise<Person[]> {
  const some = { _id: { $in: ids }, projectId };
  const [messages, engagements] = await Promise.all([
    db.messages.find(some, { projection: { content: 0, timeline: 0 }, hint: '_id_' }).toArray(),
    db.engagements.find(some, { projection: { opens: 0, clicks: 0 }, hint: '_id_' }).toArray(),
  ]);
  const messageOf = new Map(messages.map((message) => [message._id.toHexString(), message]));
  const engagementOf = new Map(engagements.map((engagement) => [engagement._id.toHexString(), engagement]));
  return ids.flatMap((id) => {
    const message = messageOf.get(id.toHexString());
    return message ? [{ message, engagement: engagementOf.get(id.toHexString()) ?? null }] : [];
  });
}
