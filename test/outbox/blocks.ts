import { ObjectId } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import type { Campaign } from '../../core/campaigns/model.ts';
import type { Block, BlockClaim } from '../../core/mail/ledger/blocks/model.ts';
import { recipientId } from '../../core/mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { bareCampaign } from '../feedback/support.ts';
import type { Environment } from '../support/environment.ts';

export interface ClaimedBlock {
  campaign: Pick<Campaign, '_id' | 'projectId'>;
  block: Block;
  claim: BlockClaim;
  /** Derived, for each position of the block. */
  ids: ObjectId[];
  /** The row of a position, as the sender inserts it. */
  row(position: number, fields?: Partial<Message>): Message;
}

/** A campaign with one block, and a claim on some of it by a process that sends, or has died. */
export async function claimedBlock(
  environment: Environment,
  fields: Partial<BlockClaim> = {},
  { count = 8, status = 'sending' as Campaign['status'] } = {},
): Promise<ClaimedBlock> {
  const { deps, own } = environment;
  const projectId = own.project._id;
  const [run, at] = [new ObjectId(), new Date(Date.now() - 60_000)];
  const freeze = { at, run, isDone: true, frozen: { total: count, inBlocks: count } };
  const campaign = await bareCampaign(environment, own, { status, freeze } as unknown as Partial<Campaign>);
  const recipients = Array.from({ length: count }, () => {
    const contactId = new ObjectId();
    return { contactId, email: `p-${contactId}@example.com` };
  }).toSorted((a, b) => (a.email < b.email ? -1 : 1));
  const block: Block = {
    _id: new ObjectId(),
    projectId,
    campaignId: campaign._id,
    run,
    n: 0,
    fromSeq: 1,
    count,
    first: recipients[0]!.email,
    last: recipients.at(-1)!.email,
    recipients,
  };
  const claim: BlockClaim = {
    _id: new ObjectId(),
    projectId,
    campaignId: campaign._id,
    n: 0,
    from: 0,
    to: count,
    fromSeq: 1 + (fields.from ?? 0),
    frozenAt: at,
    owner: new ObjectId().toHexString(),
    claimedAt: new Date(Date.now() - 40_000),
    leaseUntil: new Date(Date.now() + 30_000),
    ...fields,
  };
  await deps.db.campaignBlocks.insertOne(block);
  await deps.db.campaignClaims.insertOne(claim);
  const ids = recipients.map(({ contactId }) => recipientId(at, campaign._id, contactId));
  return { campaign, block, claim, ids, row };

  function row(position: number, more: Partial<Message> = {}): Message {
    const { contactId, email } = recipients[position]!;
    const { owner, claimedAt } = claim;
    return {
      _id: ids[position]!,
      projectId,
      lane: 'campaign',
      state: 'sent',
      email,
      campaignId: campaign._id,
      contactId,
      seq: block.fromSeq + position,
      owner,
      claim: 1,
      claimedAt,
      firstAt: claimedAt,
      sentAt: new Date(),
      endedAt: new Date(),
      reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
      ...more,
    };
  }
}

/** The collections as a settler sees them in whose way `hook` comes right before each take-over of a claim. */
export function beforeTakeOver(db: Collections, hook: () => unknown): Collections {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'campaignClaims') return Reflect.get(target, name);
      const claims = target.campaignClaims;
      return {
        aggregate: claims.aggregate.bind(claims),
        updateOne: claims.updateOne.bind(claims),
        async findOneAndUpdate(...given: Parameters<typeof claims.findOneAndUpdate>) {
          await hook();
          return claims.findOneAndUpdate(...given);
        },
      };
    },
  });
}

export async function closeClaim({ deps }: Environment, { _id, projectId }: BlockClaim): Promise<void> {
  await deps.db.campaignClaims.updateOne(
    { _id, projectId },
    { $set: { endedAt: new Date() }, $unset: { leaseUntil: '' } },
  );
}
