import { oncePerCore } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { openRanges, sizeOf } from '../../mail/ledger/blocks/counts.ts';
import { ALL_STATES, states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, Release } from '../model.ts';
import { OVER } from '../status.ts';

/** The people of a zone, of a campaign at local time. */
export interface ZoneProgress extends Omit<Release, 'fromSeq' | 'isTest'> {
  sent: number;
}

/** The people of a test, who get a variant before the winner is known. */
export interface TestProgress extends Pick<ZoneProgress, 'total' | 'sent'> {
  /** When they may get it; null before the audience is written down. */
  at: Date | null;
}

type Db = Pick<CampaignsDeps, 'db' | 'mongo'>;
type Counted = Pick<Campaign, '_id' | 'projectId' | 'freeze'>;

const LEFT = ALL_STATES.filter((state) => state !== states.sent && state !== states.bounced);
/** Smaller campaigns are counted for each watcher. */
const KEPT_FROM_TOTAL = 5_000;
const kept = oncePerCore((_deps: Pick<CampaignsDeps, 'state'>) => costlyCache<number[]>({ sizeMax: 100 }));

/** As last counted. */
export function storedZones({ freeze }: Pick<Campaign, 'freeze'>): ZoneProgress[] {
  return zonesOf(withSent(freeze?.releases, freeze?.sentByRelease));
}

/** As they are now; of a campaign that is over as last counted, since retention removes what is counted. */
export async function shownReleases(
  deps: Db & Pick<CampaignsDeps, 'state'>,
  campaign: Campaign,
): Promise<{ zones: ZoneProgress[]; tested: TestProgress }> {
  const all = await shownSent(deps, campaign);
  const ofTest = all.filter(({ isTest }) => isTest);
  const sum = (name: 'total' | 'sent') => ofTest.reduce((before, { [name]: own }) => before + own, 0);
  return { zones: zonesOf(all), tested: { at: ofTest[0]?.at ?? null, total: sum('total'), sent: sum('sent') } };
}

async function shownSent(deps: Db & Pick<CampaignsDeps, 'state'>, campaign: Campaign): Promise<SentRelease[]> {
  const { _id, status, updatedAt, freeze } = campaign;
  if (!freeze?.releases || (OVER.includes(status) && !freeze.run))
    return withSent(freeze?.releases, freeze?.sentByRelease);
  const count = () => sentByRelease(deps, campaign);
  const isSmall = (freeze.frozen?.total ?? 0) < KEPT_FROM_TOTAL;
  const sent = isSmall ? await count() : await kept(deps).get(`${_id} ${updatedAt.getTime()}`, count);
  return withSent(freeze.releases, sent);
}

type SentRelease = ZoneProgress & Pick<Release, 'isTest'>;

function withSent(releases: Release[] = [], sent: number[] = []): SentRelease[] {
  return releases.map(({ fromSeq: _, ...release }, index) => ({ ...release, sent: sent[index] ?? 0 }));
}

function zonesOf(releases: SentRelease[]): ZoneProgress[] {
  return releases.flatMap(({ isTest, ...zone }) => (isTest || zone.timezone === '' ? [] : [zone]));
}

/**
 * How many of each release were sent, in one snapshot: those who are claimed, less those whose row is missing or says otherwise, which
 * are few. Rows of what was sent are not read.
 */
export async function sentByRelease(deps: Db, campaign: Counted): Promise<number[]> {
  const releases = campaign.freeze?.releases ?? [];
  if (releases.length === 0) return [];
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    // The first read sets the moment of the others.
    const claimed = await claimedByRelease(deps, campaign, releases, session);
    const [open, left] = await Promise.all([
      openWithoutRow(deps, campaign, releases, session),
      rowsByRelease(deps, campaign, { states: LEFT, releases, session }),
    ]);
    return claimed.map((count, index) => count - (open[index] ?? 0) - (left[index] ?? 0));
  } finally {
    await session.endSession();
  }
}

/** Once its blocks are gone everybody has a row. */
async function claimedByRelease(
  { db }: Db,
  { _id: campaignId, projectId, freeze }: Counted,
  releases: Release[],
  session: Session,
): Promise<number[]> {
  if (!freeze?.run) return releases.map(({ total }) => total);
  const size = { $sum: { $subtract: ['$to', '$from'] } };
  const claims = await db.campaignClaims
    .aggregate<Part>(
      [{ $match: { projectId, campaignId } }, { $group: { _id: '$n', fromSeq: { $min: '$fromSeq' }, size } }],
      { hint: 'place', session },
    )
    .toArray();
  return summed(releases, claims);
}

async function openWithoutRow(deps: Db, campaign: Counted, releases: Release[], session: Session): Promise<number[]> {
  const { _id: campaignId, projectId, freeze } = campaign;
  const open = freeze?.run ? await openRanges(deps, { projectId, campaignId }, session) : [];
  // A range of neighbouring claims may reach into the next release.
  const parts = open.flatMap((range) =>
    releases.flatMap(({ fromSeq, total }) => {
      const part = { fromSeq: Math.max(fromSeq, range.fromSeq), toSeq: Math.min(fromSeq + total - 1, range.toSeq) };
      return part.fromSeq <= part.toSeq ? [{ fromSeq: part.fromSeq, size: sizeOf([part]) }] : [];
    }),
  );
  const all = summed(releases, parts);
  const rows = await Promise.all(
    open.map(({ fromSeq, toSeq }) =>
      rowsByRelease(deps, campaign, { states: ALL_STATES, releases, session, seqs: { $gte: fromSeq, $lte: toSeq } }),
    ),
  );
  return all.map((count, index) => count - rows.reduce((sum, one) => sum + (one[index] ?? 0), 0));
}

interface Part {
  fromSeq: number;
  size: number;
}

interface Rows {
  states: typeof ALL_STATES;
  releases: Release[];
  session: Session;
  seqs?: { $gte: number; $lte?: number };
}

/** From keys alone. */
async function rowsByRelease(
  { db }: Db,
  { _id, projectId }: Counted,
  { states: counted, releases, session, seqs = { $gte: 1 } }: Rows,
): Promise<number[]> {
  const last = releases.at(-1) as Release;
  const boundaries = [...releases.map(({ fromSeq }) => fromSeq), last.fromSeq + last.total];
  const rows = await db.messages
    .aggregate<{ _id: number; size: number }>(
      [
        { $match: { campaignId: _id, projectId, state: { $in: counted }, seq: seqs } },
        { $bucket: { groupBy: '$seq', boundaries, default: 0, output: { size: { $sum: 1 } } } },
      ],
      { hint: 'campaign', session },
    )
    .toArray();
  const byPlace = new Map(rows.map(({ _id: fromSeq, size }) => [fromSeq, size]));
  return releases.map(({ fromSeq }) => byPlace.get(fromSeq) ?? 0);
}

/** `parts`: in any order; none has people of two releases. */
function summed(releases: Release[], parts: Part[]): number[] {
  const sums = releases.map(() => 0);
  let at = 0;
  for (const { fromSeq, size } of parts.toSorted((a, b) => a.fromSeq - b.fromSeq)) {
    while (at + 1 < releases.length && (releases[at + 1] as Release).fromSeq <= fromSeq) at += 1;
    sums[at] = (sums[at] ?? 0) + size;
  }
  return sums;
}
