import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { joined, openRanges, type Seqs, sizeOf } from '../../mail/ledger/blocks/counts.ts';
import { ALL_STATES, type MessageState, states } from '../../mail/ledger/states.ts';
import { humanLinks } from '../../mail/messages/clicks.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import { keptUntil } from '../definition/kept.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, VariantCounts } from '../model.ts';
import { comparedOf, drawnVariant, totalsOf } from '../variants/places.ts';

type Db = Pick<CampaignsDeps, 'db' | 'mongo' | 'config'>;
type Name = Exclude<keyof VariantCounts, 'total'>;

const LEFT = ALL_STATES.filter((state) => state !== states.sent && state !== states.bounced);
const AT_ONCE = 1_000;
const EVENT = 'event:';
const kept = oncePerCore((_deps: Pick<CampaignsDeps, 'state'>) => costlyCache<VariantCounts[]>({ sizeMax: 100 }));

/** Counted again for each reader where that is fast, else some moments old; as last counted once retention may have removed rows. */
export async function shownVariantCounts(
  deps: Db & Pick<CampaignsDeps, 'state' | 'clock'>,
  campaign: Campaign,
): Promise<VariantCounts[]> {
  const until = keptUntil(deps, campaign);
  const stored = campaign.freeze?.variantCounts;
  if (stored && until && until <= deps.clock.now()) return stored;
  return kept(deps).get(`${campaign._id} ${campaign.updatedAt.getTime()}`, () => countVariants(deps, campaign));
}

/** Stores the numbers that are shown when retention has begun to remove what is counted. */
export async function refreshVariantCounts(deps: Db & Pick<CampaignsDeps, 'clock'>, campaign: Campaign): Promise<void> {
  const { _id, projectId, variants, freeze } = campaign;
  const until = keptUntil(deps, campaign);
  if (!variants || !freeze?.isDone || !until || until <= deps.clock.now()) return;
  const variantCounts = await countVariants(deps, campaign);
  const frozen = { _id, projectId, 'freeze.isDone': true };
  await deps.db.campaigns.updateOne(frozen, { $set: { 'freeze.variantCounts': variantCounts } });
}

/** In the order of the variants: the compared people alone, and of them no act of a machine. */
export async function countVariants(deps: Db, campaign: Campaign): Promise<VariantCounts[]> {
  const none = { sent: 0, humanOpens: 0, humanClicks: 0, unsubscribes: 0, bounces: 0, events: 0 };
  if (!campaign.freeze?.isDone) return (campaign.variants ?? []).map(() => ({ total: 0, ...none }));
  const counts = totalsOf(campaign).map((total) => ({ total, ...none }));
  const drawn = drawnVariant(campaign);
  const size = comparedOf(campaign);
  const add = (name: Name, seq: number | undefined, more = 1) => {
    const found = seq !== undefined && seq >= 1 && seq <= size ? counts[drawn(seq)] : undefined;
    if (found) found[name] += more;
  };
  await countSent(deps, campaign, counts, add);
  await countEngaged(deps, campaign, add);
  await countEvents(deps, campaign, add);
  return counts;
}

type Add = (name: Name, seq: number | undefined, more?: number) => void;

/** Everybody who is claimed, less those whose row is missing or says otherwise, which are few; in one snapshot. */
async function countSent(deps: Db, campaign: Campaign, counts: VariantCounts[], add: Add): Promise<void> {
  const { _id: campaignId, projectId, freeze } = campaign;
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    const claimed = await claimedOf(deps, campaign, session);
    const all = sizeOf(claimed) === comparedOf(campaign);
    if (all) for (const count of counts) count.sent = count.total;
    else await eachSeq(claimed, (seq) => add('sent', seq));
    const open = freeze?.run ? await openRanges(deps, { projectId, campaignId }, session) : [];
    await eachSeq(open, (seq) => add('sent', seq, -1));
    for (const { fromSeq, toSeq } of open)
      await eachRow(deps, campaign, { states: ALL_STATES, fromSeq, toSeq, session }, (seq) => add('sent', seq));
    await eachRow(deps, campaign, { states: LEFT, session }, (seq) => add('sent', seq, -1));
    await eachRow(deps, campaign, { states: [states.bounced], session }, (seq) => add('bounces', seq));
  } finally {
    await session.endSession();
  }
}

/** Of the compared people; once its blocks are gone everybody has a row. */
async function claimedOf({ db }: Db, campaign: Campaign, session: Session): Promise<Seqs[]> {
  const { _id: campaignId, projectId, freeze } = campaign;
  const size = comparedOf(campaign);
  if (size === 0) return [];
  if (!freeze?.run) return [{ fromSeq: 1, toSeq: size }];
  const people = { $sum: { $subtract: ['$to', '$from'] } };
  const claims = await db.campaignClaims
    .aggregate<{ fromSeq: number; people: number }>(
      [
        { $match: { projectId, campaignId } },
        { $group: { _id: '$n', fromSeq: { $min: '$fromSeq' }, people } },
        { $match: { fromSeq: { $lte: size } } },
      ],
      { hint: 'place', session },
    )
    .toArray();
  return joined(claims.map(({ fromSeq, people }) => ({ fromSeq, toSeq: Math.min(size, fromSeq + people - 1) })));
}

async function eachSeq(ranges: readonly Seqs[], take: (seq: number) => void): Promise<void> {
  const pause = breather();
  for (const { fromSeq, toSeq } of ranges)
    for (let seq = fromSeq; seq <= toSeq; seq += 1) {
      take(seq);
      if (seq % AT_ONCE === 0) await pause();
    }
}

interface Rows {
  states: readonly MessageState[];
  session: Session;
  fromSeq?: number;
  toSeq?: number;
}

/** From keys alone. */
async function eachRow(
  { db }: Db,
  campaign: Campaign,
  { states: some, session, fromSeq = 1, toSeq = comparedOf(campaign) }: Rows,
  take: (seq: number) => void,
): Promise<void> {
  const { _id: campaignId, projectId } = campaign;
  const rows = db.messages.find(
    { campaignId, projectId, state: { $in: [...some] }, seq: { $gte: fromSeq, $lte: toSeq } },
    { projection: { _id: 0, seq: 1 }, hint: 'campaign', batchSize: AT_ONCE, session },
  );
  while (await rows.hasNext()) for (const { seq = 0 } of rows.readBufferedDocuments()) take(seq);
}

type Acted = Pick<Engagement, '_id' | 'humanOpenedAt' | 'unsubscribedAt' | 'clicks' | 'laterClicks'>;

async function countEngaged(deps: Db, { _id: campaignId, projectId }: Campaign, add: Add): Promise<void> {
  const projection = { humanOpenedAt: 1, unsubscribedAt: 1, clicks: 1, laterClicks: 1 } as const;
  const acted = deps.db.engagements.find<Acted>(
    { projectId, campaignId },
    { projection, hint: 'campaign', batchSize: AT_ONCE },
  );
  const seconds = deps.config.automatedOpenSeconds;
  while (await acted.hasNext()) {
    const found = acted.readBufferedDocuments() as Acted[];
    const places = await placesOf(
      deps,
      projectId,
      found.map(({ _id }) => _id),
    );
    for (const engagement of found) {
      const seq = places.get(engagement._id.toHexString());
      if (engagement.humanOpenedAt) add('humanOpens', seq);
      if (engagement.unsubscribedAt) add('unsubscribes', seq);
      if (humanLinks(engagement, seconds).size > 0) add('humanClicks', seq);
    }
  }
}

/** Each person once, by the facts that segments ask about too. */
async function countEvents(deps: Db, campaign: Campaign, add: Add): Promise<void> {
  const { _id: campaignId, projectId, test, freeze } = campaign;
  if (!test?.metric.startsWith(EVENT) || !freeze) return;
  const eventName = test.metric.slice(EVENT.length);
  const rows = deps.db.messages.find(
    { campaignId, projectId, state: states.sent, seq: { $gte: 1, $lte: comparedOf(campaign) } },
    { projection: { seq: 1, contactId: 1, sentAt: 1 }, hint: 'campaign', batchSize: AT_ONCE },
  );
  while (await rows.hasNext()) {
    const some = rows.readBufferedDocuments();
    const contactId = { $in: some.flatMap((row) => row.contactId ?? []) };
    const acts = await deps.db.contactFacts
      .find({ projectId, contactId, kind: 'event', at: { $gte: freeze.at }, eventName }, { hint: 'contact' })
      .project<{ contactId: ObjectId; at: Date }>({ contactId: 1, at: 1 })
      .toArray();
    const byContact = Map.groupBy(acts, (act) => act.contactId.toHexString());
    for (const { contactId: whose, sentAt, seq } of some) {
      const own = (whose && byContact.get(whose.toHexString())) ?? [];
      if (sentAt && own.some(({ at }) => at >= sentAt)) add('events', seq);
    }
  }
}

async function placesOf({ db }: Db, projectId: ObjectId, ids: ObjectId[]) {
  const rows = await db.messages
    .find({ _id: { $in: ids }, projectId }, { projection: { seq: 1 }, hint: '_id_' })
    .toArray();
  return new Map(rows.map(({ _id, seq }) => [_id.toHexString(), seq]));
}
