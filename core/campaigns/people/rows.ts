import type { Document } from 'mongodb';
import type { Message } from '../../mail/ledger/model.ts';
import type { MessageState } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';

type Db = Pick<CampaignsDeps, 'db'>;
export type Tenant = Pick<Campaign, '_id' | 'projectId'>;

export const ROWS_AT_ONCE = 1_000;

/**
 * The rows of a campaign in one state behind a `seq`, in the order of sending. `seq` is not unique, so the last one of a full batch is left
 * for the next batch.
 */
async function rowsBehind<Row extends Partial<Message> = Message>(
  { db }: Db,
  { _id, projectId }: Tenant,
  state: MessageState,
  after: number,
  fields?: Document,
): Promise<Row[]> {
  const found = (await db.messages
    .find(
      { campaignId: _id, projectId, state, seq: { $gt: after } },
      { projection: fields ?? { content: 0 }, hint: 'campaign' },
    )
    .sort({ seq: 1 })
    .limit(ROWS_AT_ONCE)
    .toArray()) as Row[];
  const last = found.at(-1)?.seq;
  const isCut = found.length === ROWS_AT_ONCE && found[0]?.seq !== last;
  return isCut ? found.filter(({ seq }) => seq !== last) : found;
}

/** All of them, in batches. */
export async function* everyRow<Row extends Partial<Message> = Message>(
  deps: Db,
  campaign: Tenant,
  state: MessageState,
  { after = -1, fields }: { after?: number | undefined; fields?: Document } = {},
): AsyncGenerator<Row[]> {
  for (let seq = after; ; ) {
    const batch = await rowsBehind<Row>(deps, campaign, state, seq, fields);
    if (batch.length === 0) return;
    yield batch;
    seq = batch.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER;
  }
}
