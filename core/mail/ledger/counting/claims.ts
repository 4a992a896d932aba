import type { ObjectId } from 'mongodb';
import type { LedgerDeps } from '../ledger.ts';
import type { Message } from '../model.ts';
import { type CountedRow, countedFacts, FACT_FIELDS } from './facts.ts';
import { providerOf } from './mailbox-providers.ts';
import { type Cell, Tally } from './tally.ts';

export type CountedMail = Pick<Message, 'email' | 'provider'> & CountedRow;

/**
 * The counts of the rows of a claim, for claims that were taken over, and for rows of unknown time. Changes since then wait in the rows
 * until the claim is closed, so they are not among it.
 */
export async function countRowsOf(
  { db }: Pick<LedgerDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
): Promise<Cell[]> {
  const rows = await db.messages
    .find<CountedMail>({ _id: { $in: ids }, projectId }, { projection: { email: 1, provider: 1, ...FACT_FIELDS } })
    .toArray();
  const tally = new Tally();
  for (const row of rows) tally.add(countedFacts(row), providerIn(row), row.email);
  return tally.cells();
}

/** An erased address has left its provider behind. */
export function providerIn({ email, provider }: Pick<Message, 'email' | 'provider'>): string {
  return provider ?? providerOf(email);
}
