import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { blast, type Ledger } from '../raw-blast.ts';

const GROUP = 64;
const GROUP_WAIT_MS = 10;

/**
 * A raw blast that keeps a ledger, with nothing else around it: for each recipient a durable claim before the dot and a durable outcome with
 * the relay's reply after it, in groups of 64 (w: majority), and for each group the campaign's status and the suppressions. One process, an
 * index for counts, no lease, no second look. Its rate is the ceiling of this machine for any sender that keeps such a ledger.
 */
export async function bareLane(
  { mongo }: Pick<Deps, 'mongo'>,
  port: number,
  connections: number,
  count: number,
  text: string,
): Promise<number> {
  const database = mongo.db(`bare_${new ObjectId().toHexString()}`);
  const messages = database.collection('messages');
  const [projectId, campaignId, owner] = [new ObjectId(), new ObjectId(), new ObjectId().toHexString()];
  await messages.createIndex({ campaignId: 1, state: 1, seq: 1 });
  await database.collection('suppressions').createIndex({ projectId: 1, email: 1 });
  await database.collection('campaigns').insertOne({ _id: campaignId, status: 'sending' });
  const emailAt = (seq: number) => `u${seq}@example.test`;
  const ids = Array.from({ length: count }, () => new ObjectId());
  for (let from = 0; from < count; from += 1_000)
    await messages.insertMany(
      ids.slice(from, from + 1_000).map((_id, index) => {
        const seq = from + index;
        return { _id, projectId, campaignId, email: emailAt(seq), state: 'queued', seq };
      }),
      { ordered: false },
    );

  const began = performance.now();
  const { ledger, drained } = openLedger();
  await blast(port, connections, count, () => text, undefined, ledger);
  await drained();
  const perSecond = count / ((performance.now() - began) / 1_000);
  await database.dropDatabase();
  return perSecond;

  function openLedger(): { ledger: Ledger; drained(): Promise<void> } {
    const ready: number[] = [];
    const ended: Array<{ id: ObjectId; reply: string }> = [];
    const writing = new Set<Promise<unknown>>();
    let claimed = 0;
    let claiming: Promise<void> | null = null;
    let timer: NodeJS.Timeout | undefined;

    function flush(): void {
      clearTimeout(timer);
      timer = undefined;
      const group = ended.splice(0);
      if (group.length === 0) return;
      const own = group.map(({ id }) => id);
      const replies = { $literal: group.map(({ reply }) => reply) };
      const reply = { $arrayElemAt: [replies, { $indexOfArray: [{ $literal: own }, '$_id'] }] };
      const write = messages
        .updateMany({ _id: { $in: own }, owner }, [{ $set: { state: 'sent', sentAt: '$$NOW', reply } }])
        .finally(() => writing.delete(write));
      writing.add(write);
    }

    async function claim(): Promise<void> {
      const from = claimed;
      claimed = Math.min(count, claimed + GROUP);
      const own = ids.slice(from, claimed);
      const filter = { _id: { $in: own }, state: 'queued' };
      const { modifiedCount } = await messages.updateMany(filter, {
        $set: { state: 'committing', owner, at: new Date() },
      });
      const emails = own.map((_, index) => emailAt(from + index));
      const [campaign, hits] = await Promise.all([
        database.collection('campaigns').findOne({ _id: campaignId }),
        database
          .collection('suppressions')
          .find({ projectId, email: { $in: emails } })
          .toArray(),
      ]);
      if (modifiedCount !== own.length || campaign?.status !== 'sending' || hits.length > 0)
        throw new Error('Somebody else is in the bare ledger.');
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
          ended.push({ id: ids[seq] as ObjectId, reply });
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
