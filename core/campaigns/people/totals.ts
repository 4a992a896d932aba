import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { batched } from '../../base/work/batched.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { ALL_STATES, type MessageState, states } from '../../mail/ledger/states.ts';
import { keptUntil } from '../definition/kept.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { type Acted, actedIn, type ClickedLink, type DidNot, figures, type InStates, indexOf } from './figures.ts';
import { ROWS_AT_ONCE, type Tenant } from './rows.ts';

type TotalDeps = Pick<CampaignsDeps, 'db' | 'state' | 'config' | 'clock'>;
type Figure = keyof typeof figures;

const KEPT_MAX = 1_000;
/** Totals that are counted faster are counted for each call. */
const KEEP_FROM_MS = 50;
const NOT_DELIVERED: readonly MessageState[] = ALL_STATES.filter((state) => state !== states.sent);

const kept = oncePerCore((_deps: TotalDeps) => costlyCache<number>({ sizeMax: KEPT_MAX, keepFromMs: KEEP_FROM_MS }));

export function totalOf(deps: TotalDeps, campaign: Campaign, did: Figure, link: ClickedLink = {}): Promise<number> {
  const { position = '', url = '' } = link;
  const key = `${campaign._id.toHexString()} ${campaign.updatedAt.getTime()} ${did} ${position} ${url}`;
  return kept(deps).get(key, () => counted(deps, campaign, did, link));
}

function counted(deps: TotalDeps, campaign: Campaign, did: Figure, link: ClickedLink): Promise<number> {
  const figure = figures[did];
  switch (figure.kind) {
    case 'acted':
      return countActed(deps, campaign, figure, link);
    case 'inStates':
      return countRows(deps, campaign, figure);
    case 'didNot':
      return countDidNot(deps, campaign, figure);
  }
}

function countActed({ db }: TotalDeps, campaign: Tenant, act: Acted, link?: ClickedLink): Promise<number> {
  return db.engagements.countDocuments(actedIn(campaign, act, link), { hint: indexOf(act, link) });
}

async function countRows(deps: TotalDeps, campaign: Campaign, { states: wanted }: InStates): Promise<number> {
  const isAllSent = wanted === (figures.sent as InStates).states;
  if (isAllSent && isFinal(deps, campaign)) return campaign.counts.sent;
  return countIn(deps, campaign, wanted);
}

/**
 * Each recipient has an outcome, and the campaign stored the numbers of the moment at which that was so: from then on mail that was sent
 * may bounce, which leaves the sum as it is.
 */
function isFinal(deps: TotalDeps, campaign: Campaign): boolean {
  const { status, counts } = campaign;
  const until = keptUntil(deps, campaign);
  const isKept = until !== null && deps.clock.now() < until;
  return status === 'sent' && counts.unknown === 0 && counts.pending === 0 && isKept;
}

function countIn({ db }: TotalDeps, { _id, projectId }: Tenant, wanted: readonly MessageState[]): Promise<number> {
  return db.messages.countDocuments({ campaignId: _id, projectId, state: { $in: wanted } }, { hint: 'campaign' });
}

/** Delivered mail, less the engagements of delivered mail: those of mail that bounced afterwards are not among them. */
async function countDidNot(deps: TotalDeps, campaign: Campaign, { act }: DidNot): Promise<number> {
  const [sent, bounced, actedAll] = await Promise.all([
    countRows(deps, campaign, figures.sent as InStates),
    countIn(deps, campaign, [states.bounced]),
    countActed(deps, campaign, act),
  ]);
  return sent - bounced - (actedAll - (await actedUndelivered(deps, campaign, act, actedAll)));
}

/** Few: of the engagements and the rows that were not delivered, the smaller part is looked up in the other one. */
async function actedUndelivered(deps: TotalDeps, campaign: Tenant, act: Acted, actedAll: number): Promise<number> {
  if (actedAll === 0) return 0;
  const { db } = deps;
  // Suppressed at the freeze: they have negative numbers, and no mail.
  const rows = { campaignId: campaign._id, projectId: campaign.projectId, state: { $in: NOT_DELIVERED } };
  const undelivered = { ...rows, seq: { $gte: 0 } };
  const onlyId = { projection: { _id: 1 } as const };
  if ((await db.messages.countDocuments(undelivered, { hint: 'campaign' })) <= actedAll)
    return sumOf(db.messages.find(undelivered, { ...onlyId, hint: 'campaign' }), (ids) =>
      db.engagements.countDocuments({ ...actedIn(campaign, act), _id: { $in: ids } }, { hint: '_id_' }),
    );
  return sumOf(db.engagements.find(actedIn(campaign, act), { ...onlyId, hint: act.index }), (ids) =>
    db.messages.countDocuments({ _id: { $in: ids }, ...rows }, { hint: '_id_' }),
  );
}

async function sumOf(
  found: AsyncIterable<{ _id: ObjectId }>,
  count: (ids: ObjectId[]) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for await (const batch of batched(found, ROWS_AT_ONCE)) sum += await count(batch.map(({ _id }) => _id));
  return sum;
}
