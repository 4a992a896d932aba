import type { Filter, Sort } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from '../../base/paging.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { type OfRun, type Placed, placedByAddress, type Waiting, waitingOf } from '../../mail/ledger/blocks/read.ts';
import { recipientId } from '../../mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignFreeze } from '../model.ts';

type OfBlocks = Pick<Campaign, '_id' | 'projectId' | 'tags'> & {
  freeze: CampaignFreeze & { run: NonNullable<CampaignFreeze['run']> };
};

/** Whether recipients of the campaign may be waiting in blocks. */
export function isInBlocks<T extends Pick<Campaign, '_id' | 'projectId' | 'freeze' | 'tags'>>(
  campaign: T,
): campaign is T & OfBlocks {
  return campaign.freeze?.run !== undefined;
}

export function blocksOf({ _id, projectId, freeze }: OfBlocks): OfRun {
  return { projectId, campaignId: _id, run: freeze.run, ...releasesOf(freeze) };
}

/** Where addresses begin again, for `placedByAddress`. */
export function releasesOf({ releases }: CampaignFreeze): Pick<OfRun, 'releases'> {
  return releases ? { releases: releases.map(({ fromSeq }) => fromSeq) } : {};
}

/** The message that a recipient of a block will have. */
export function messageOf(
  { _id: campaignId, projectId, freeze, tags }: OfBlocks,
  { contactId, email, seq }: Placed,
): Message {
  const id = recipientId(freeze.at, campaignId, contactId);
  const whose = { campaignId, contactId, ...taggedWith(tags), seq };
  return { _id: id, projectId, lane: 'campaign', state: states.queued, email, ...whose };
}

export interface Search {
  rows: Filter<Message>;
  sort: Sort;
  hint?: string;
  /** Of those without a row: all, those with an address, or none. */
  waiting: 'all' | 'none' | { email: string };
}

/** One page of rows and then of recipients without a row, and an exact total; of one moment. */
export async function pageWithWaiting(
  deps: CampaignsDeps,
  campaign: OfBlocks,
  { rows, sort, hint, waiting }: Search,
  { page = 1, limit = 20 }: Page,
): Promise<PageOf<Message>> {
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    const options = { session, maxTimeMS: READ_TIME_MAX_MS, ...(hint ? { hint } : {}) };
    const skip = skipOf(page, limit);
    // The first read sets the moment of the others.
    const count = await deps.db.messages.countDocuments(rows, options);
    const [entries, left] = await Promise.all([
      deps.db.messages
        .find(rows, { ...options, projection: { content: 0 } })
        .sort(sort)
        .skip(skip)
        .limit(limit)
        .toArray(),
      waitingFor(deps, campaign, waiting, session),
    ]);
    const placed = await left.slice(Math.max(0, skip - count), limit - entries.length);
    const messages = [...entries, ...placed.map((one) => messageOf(campaign, one))];
    return { entries: messages, pagination: paginationOf(page, limit, count + left.total) };
  } finally {
    await session.endSession();
  }
}

async function waitingFor(
  deps: CampaignsDeps,
  campaign: OfBlocks,
  which: Search['waiting'],
  session: Session,
): Promise<Waiting> {
  if (which === 'all') return waitingOf(deps, blocksOf(campaign), session);
  const found = which === 'none' ? [] : await withoutRow(deps, campaign, which.email, session);
  return { total: found.length, slice: async (skip, limit) => found.slice(skip, skip + limit) };
}

async function withoutRow(deps: CampaignsDeps, campaign: OfBlocks, email: string, session: Session): Promise<Placed[]> {
  const placed = await placedByAddress(deps, blocksOf(campaign), email, session);
  const ids = placed.map((one) => messageOf(campaign, one)._id);
  const own = { _id: { $in: ids }, projectId: campaign.projectId };
  const rows = await deps.db.messages.find(own, { projection: { _id: 1 }, session }).toArray();
  const known = new Set(rows.map(({ _id }) => _id.toHexString()));
  return placed.filter((_, index) => !known.has((ids[index] as Message['_id']).toHexString()));
}
