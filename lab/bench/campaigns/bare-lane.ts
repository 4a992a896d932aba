import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { rateOf } from '../run.ts';
import { blast, type Ledger } from '../smtp/raw-blast.ts';

const GROUP = 64;
const GROUP_WAIT_MS = 25;

/**
 * A raw blast that keeps a ledger, with nothing else around it: a durable claim for each 64 recipients before their dots, a row for each
 * recipient with the relay's reply after it, inserted in groups of 64 (w: majority), and for each claim the campaign's status and the
 * suppressions. One process, an index for counts, no lease, no second look. Its rate is the ceiling of this machine for one process that
 * keeps such a ledger.
 */
export async function bareLane(
  { mongo }: Pick<Deps, 'mongo'>,
  port: number,
  connections: number,
  count: number,
  text: string,
): Promise<number> {
  const database = mongo.db(`bare_${new ObjectId().toHexString()}`);
  const [rows, claims] = [database.collection('messages'), database.collection('claims')];
  const [projectId, campaignId, owner] = [new ObjectId(), new ObjectId(), new ObjectId().toHexString()];
  await rows.createIndex({ campaignId: 1, state: 1, seq: 1 });
  await claims.createIndex({ campaignId: 1, from: 1 }, { unique: true });
  await database.collection('suppressions').createIndex({ projectId: 1, email: 1 });
  await database.collection('campaigns').insertOne({ _id: campaignId, status: 'sending' });
  const emailAt = (seq: number) => `u${seq}@example.test`;

  const { ledger, drained } = openLedger();
  const perSecond = await rateOf(count, async () => {
    await blast(port, connections, count, () => text, undefined, ledger);
    await drained();
  });
  await database.dropDatabase();
  return perSecond;

  function openLedger(): { ledger: Ledger; drained(): Promise<void> } {
    const ready: number[] = [];
    let ended: object[] = [];
    const writing = new Set<Promise<unknown>>();
    let claimed = 0;
    let claiming: Promise<void> | null = null;
    let timer: NodeJS.Timeout | undefined;

    function flush(): void {
      clearTimeout(timer);
      timer = undefined;
      if (ended.length === 0) return;
      const write = rows.insertMany(ended, { ordered: false }).finally(() => writing.delete(write));
      writing.add(write);
      ended = [];
    }

    async function claim(): Promise<void> {
      const from = claimed;
      claimed = Math.min(count, claimed + GROUP);
      await claims.insertOne({ projectId, campaignId, from, to: claimed, owner, at: new Date() });
      const emails = Array.from({ length: claimed - from }, (_, index) => emailAt(from + index));
      const [campaign, hits] = await Promise.all([
        database.collection('campaigns').findOne({ _id: campaignId }),
        database
          .collection('suppressions')
          .find({ projectId, email: { $in: emails } })
          .toArray(),
      ]);
      if (campaign?.status !== 'sending' || hits.length > 0) throw new Error('Somebody else is in the bare ledger.');
      for (let seq = from; seq < claimed; seq += 1) ready.push(seq);
    }

    function claimAhead(): Promise<void> {
      claiming ??= claim().finally(() => {
        claiming = null;
      });
      return claiming;
    }

    async function wait(): Promise<number | null> {
      while (ready.length === 0 && (claimed < count || claiming)) await claimAhead();
      return ready.shift() ?? null;
    }

    return {
      ledger: {
        take() {
          if (ready.length <= GROUP / 2 && claimed < count) void claimAhead();
          return ready.shift() ?? wait();
        },
        done(seq, reply) {
          // The answer to QUIT.
          if (reply.startsWith('221')) return;
          const at = new Date();
          const facts = { projectId, campaignId, contactId: campaignId, lane: 'campaign', email: emailAt(seq), seq };
          ended.push({ ...facts, owner, claimedAt: at, firstAt: at, state: 'sent', reply, sentAt: at, endedAt: at });
          if (ended.length >= GROUP) flush();
          else timer ??= setTimeout(flush, GROUP_WAIT_MS);
        },
      },
      async drained() {
        flush();
        await Promise.all(writing);
      },
    };
  }
}
