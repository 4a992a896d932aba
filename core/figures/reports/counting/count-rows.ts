import type { ObjectId } from 'mongodb';
import { distinctIds } from '../../../base/ids.ts';
import { type CountedMail, providerIn } from '../../../mail/ledger/counting/claims.ts';
import { FACT_FIELDS, type Fact, waitingFacts } from '../../../mail/ledger/counting/facts.ts';
import { countRowsLater, markRowsCounted } from '../../../mail/ledger/counting/mark-counted.ts';
import { type Cell, Tally } from '../../../mail/ledger/counting/tally.ts';
import type { Message } from '../../../mail/ledger/model.ts';
import type { Origin } from '../documents.ts';
import { sourceOf } from '../parts.ts';
import { campaignOrigins } from './campaign-origins.ts';
import type { CountDeps, Counting } from './counting.ts';

const AT_ONCE_MAX = 512;

export type OriginRow = Pick<
  Message,
  '_id' | 'lane' | 'campaignId' | 'automationId' | 'senderDomain' | 'tags' | 'seq' | 'linkSetId' | 'sentAt'
>;
export type Row = OriginRow & CountedMail;

export const ORIGIN_FIELDS = {
  ...{ lane: 1, campaignId: 1, automationId: 1, senderDomain: 1, tags: 1, seq: 1 },
  ...{ email: 1, provider: 1, linkSetId: 1, sentAt: 1 },
} as const;
export const ROW_FIELDS = { ...ORIGIN_FIELDS, ...FACT_FIELDS } as const;

/**
 * Changes of rows. A row whose claim is open waits until it is closed: the process that closes it may have to know which of a row's
 * outcomes was there at first.
 */
export async function countRows(deps: CountDeps, counting: Counting): Promise<boolean> {
  const { projectId, session, documents } = counting;
  const { messages } = deps.db;
  const rows = await messages
    .find(
      { projectId, countDueAt: { $exists: true }, $expr: { $lte: ['$countDueAt', '$$NOW'] } },
      { session, hint: 'counted', projection: ROW_FIELDS },
    )
    .limit(AT_ONCE_MAX)
    .toArray();
  if (rows.length === 0) return false;
  const isOpen = await rowsOfClaims(deps, counting, rows, ['open']);
  const [open, ready] = [rows.filter(isOpen), rows.filter((row) => !isOpen(row))];
  const originOf = await originsOf(deps, projectId, ready, session);
  for (const row of ready) {
    for (const cell of tallied(row, waitingFacts(row))) documents.add(originOf(row), cell);
  }
  const idsOf = (some: Row[]) => some.map(({ _id }) => _id);
  await markRowsCounted(deps, projectId, idsOf(ready), session);
  await countRowsLater(deps, projectId, idsOf(open), session);
  return rows.length === AT_ONCE_MAX;
}

export function tallied(row: Pick<Message, 'email' | 'provider'>, facts: Fact[]): Cell[] {
  const tally = new Tally();
  tally.add(facts, providerIn(row), row.email);
  return tally.cells();
}

/** The source, the domain and the tags of a row. */
export async function originsOf(
  deps: Pick<CountDeps, 'db'>,
  projectId: ObjectId,
  rows: readonly OriginRow[],
  session?: Counting['session'],
): Promise<(row: OriginRow) => Origin> {
  const ids = distinctIds(
    rows.flatMap(({ campaignId, senderDomain }) => (campaignId && !senderDomain ? campaignId : [])),
  );
  const originOf = await campaignOrigins(deps, projectId, ids, session);
  return (row) => {
    const { campaignId, senderDomain, tags = [] } = row;
    const domain = senderDomain ?? (campaignId ? originOf(campaignId).domain : null);
    return { source: sourceOf(row), domain, tags };
  };
}

/** Marks of claims, with the indexes of those that have them. */
const MARKS = { open: 'leaseUntil', counted: 'countDueAt' } as const;

/** Whether a row is of a recipient of a claim that is open, or with 'counted' of one that is closed and not counted. */
export async function rowsOfClaims(
  { db }: Pick<CountDeps, 'db'>,
  { projectId, session }: { projectId: ObjectId; session?: Counting['session'] },
  rows: readonly Row[],
  indexes: ReadonlyArray<keyof typeof MARKS>,
): Promise<(row: Row) => boolean> {
  const campaignIds = distinctIds(rows.flatMap(({ campaignId }) => campaignId ?? []));
  if (campaignIds.length === 0) return () => false;
  const options = {
    projection: { campaignId: 1, from: 1, to: 1, fromSeq: 1 },
    ...(session ? { session } : {}),
  } as const;
  const claims: Seats[] = [];
  for (const hint of indexes) {
    const marked = { projectId, campaignId: { $in: campaignIds }, [MARKS[hint]]: { $exists: true } };
    claims.push(...(await db.campaignClaims.find(marked, { ...options, hint }).toArray()));
  }
  return within(claims);
}

interface Seats {
  campaignId: ObjectId;
  from: number;
  to: number;
  fromSeq: number;
}

/** Whether a row is of a recipient of one of these claims. */
function within(claims: readonly Seats[]): (row: Pick<Message, 'campaignId' | 'seq'>) => boolean {
  const byCampaign = Map.groupBy(claims, ({ campaignId }) => campaignId.toHexString());
  return ({ campaignId, seq = 0 }) =>
    byCampaign.get(String(campaignId))?.some(({ from, to, fromSeq }) => seq >= fromSeq && seq < fromSeq + to - from) ??
    false;
}
