// Promise: counts are exact.
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { ledgerCounts } from '../../../core/campaigns/numbers/counts.ts';
import { settleCampaignOrphans } from '../../../core/campaigns/run/orphans.ts';
import { transition } from '../../../core/campaigns/transition.ts';
import { claimedUpTo, claimPart } from '../../../core/mail/ledger/blocks/claim.ts';
import { writeRows } from '../../../core/mail/ledger/blocks/write-rows.ts';
import {
  type Claimed,
  type Ledger,
  type OpenClaim,
  type Outcome,
  openLedger,
} from '../../../core/mail/ledger/ledger.ts';
import { someOf } from '../../support/random.ts';
import { useHands } from '../support.ts';

const PEOPLE = 290;
const reply = { code: 250, enhanced: null, text: 'ok' };
const refusal = { code: 550, enhanced: '5.1.1', text: 'no such user' };

const outcomes: Record<string, Outcome> = {
  sent: { kind: 'sent', reply },
  bounced: { kind: 'bounced', reply: refusal, reason: 'no such user' },
  failed: { kind: 'failed', reason: 'not to be sent' },
  deferred: { kind: 'deferred', reply: null, reason: 'try later', delayMs: 0 },
  unknown: { kind: 'unknown', reason: 'no answer', retryMs: null },
  queued: { kind: 'back', delayMs: 0 },
};
const MAY_BE_SENT: Array<string | undefined> = [undefined, 'queued', 'deferred'];
const PROVES = ['sent', 'bounced', 'failed'];

/** A process that claims and writes; one that was killed may still write. */
interface Process {
  ledger: Ledger;
  isAlive: boolean;
  claims: Array<{ claim: OpenClaim; left: Claimed[]; isClosed: boolean }>;
}

type Step =
  | { kind: 'claim'; process: number; size: number }
  | { kind: 'end'; process: number; count: number; as: string; isRepeated: boolean }
  | { kind: 'close' | 'kill'; process: number }
  | { kind: 'settle' | 'pause' | 'resume' | 'drive' }
  | { kind: 'retry'; states: Array<'failed' | 'unknown'> };

const process = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), process, size: fc.integer({ min: 1, max: 64 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      process,
      count: fc.integer({ min: 1, max: 64 }),
      as: fc.constantFrom(...Object.keys(outcomes)),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'kill' as const), process }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('settle' as const, 'pause' as const, 'resume' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drive' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('retry' as const),
      states: fc.subarray(['failed' as const, 'unknown' as const], { minLength: 1 }),
    }),
  },
);

describe('Counts, recipients and the ledger of a campaign', function () {
  this.timeout(300_000);
  const { stage, hands } = useHands();
  let list: string;
  before(async () => {
    list = await stage.list(PEOPLE, (i) => `p${String(i).padStart(4, '0')}@example.org`);
  });

  it('agree after every step, for any order of claims, outcomes, kills, pauses and retries', async () => {
    const steps = fc.array(step, { minLength: 4, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        const run = await begin();
        for (const one of order) {
          await run.take(one);
          await run.agree();
        }
        await run.finish();
      }),
      { numRuns: someOf(15), endOnFailure: true },
    );
  });

  /** A campaign, three processes, and by place in the audience the state that each recipient must have; absent: waiting. */
  async function begin() {
    const { deps } = stage;
    const id = await stage.launch({ toLists: [list], thresholdPreset: 'aggressive' });
    await hands.advance(id);
    await hands.freeze(id);
    const of = { projectId: stage.own.project._id, campaignId: new ObjectId(id) };
    const blocks = await deps.db.campaignBlocks.find(of).sort({ n: 1 }).toArray();
    const frozenAt = (await stage.stored(id)).freeze!.at;
    const expected = new Map<number, string>();
    /** How many mails each place must have got: only the hands send. */
    const mails = new Map<number, number>();
    const processes: Process[] = Array.from({ length: 3 }, () => fresh());
    const ledger = { ...hands.sending.deps };

    function fresh(): Process {
      return { ledger: openLedger(), isAlive: true, claims: [] };
    }

    async function claim(from: Process, size: number): Promise<void> {
      if (!from.isAlive || (await stage.stored(id)).status !== 'sending' || !(await stage.stored(id)).freeze?.run)
        return;
      for (const block of blocks) {
        const place = await claimedUpTo(deps, block);
        if (place >= block.count) continue;
        const to = Math.min(block.count, place + size);
        const made = await claimPart(ledger, from.ledger, { block, from: place, to, frozenAt });
        if (made) from.claims.push({ claim: made, left: [...made.recipients], isClosed: false });
        return;
      }
    }

    /** Outcomes of the process's oldest claim; a killed one may write them as well, before or after others settled it. */
    async function end(from: Process, count: number, as: string, isRepeated: boolean): Promise<void> {
      const held = from.claims.find(({ left }) => left.length > 0);
      if (!held) return;
      const ended = held.left.splice(0, count).map((one) => ({ held: one, outcome: outcomes[as]! }));
      await writeRows(ledger, from.ledger, ended);
      if (isRepeated) await writeRows(ledger, from.ledger, ended);
      for (const { held: one } of ended) {
        const { seq } = one.part!;
        const now = expected.get(seq);
        if (now === undefined || (now === 'unknown of it' && PROVES.includes(as))) expected.set(seq, as);
      }
    }

    async function close(from: Process): Promise<void> {
      for (const held of from.claims.filter((one) => one.left.length === 0 && !one.isClosed)) {
        held.isClosed = true;
        const { _id, projectId } = held.claim.place;
        const ours = { _id, projectId, owner: from.ledger.owner };
        await deps.db.campaignClaims.updateOne(ours, { $set: { endedAt: new Date() }, $unset: { leaseUntil: '' } });
      }
    }

    async function kill(index: number): Promise<void> {
      const from = processes[index]!;
      from.isAlive = false;
      const ours = { ...of, owner: from.ledger.owner, leaseUntil: { $exists: true } };
      await deps.db.campaignClaims.updateMany(ours, { $set: { leaseUntil: new Date(Date.now() - 1_000) } });
    }

    async function settle(): Promise<void> {
      await settleCampaignOrphans(ledger, await stage.stored(id));
      for (const { isAlive, claims } of processes)
        for (const { left } of isAlive ? [] : claims)
          for (const { part } of left) if (!expected.has(part!.seq)) expected.set(part!.seq, 'unknown of it');
    }

    async function move(status: 'paused' | 'sending', from: string): Promise<void> {
      const campaign = await stage.stored(id);
      if (campaign.status === from) await transition(deps, campaign, { status }, { wakeRun: false });
    }

    /** All that can be sent is sent, and what is left belongs to living processes. */
    async function drive(): Promise<void> {
      if ((await stage.stored(id)).status !== 'sending') return;
      await settle();
      for (const from of processes.filter(({ isAlive }) => isAlive)) {
        await end(from, PEOPLE, 'failed', false);
        while (from.claims.some(({ left }) => left.length > 0)) await end(from, PEOPLE, 'failed', false);
        await close(from);
      }
      // Bounces may pause it by themselves.
      for (let turns = 0; (await hands.drive(id)).kind !== 'end'; turns += 1) {
        expect(turns, 'it does not end').to.be.lessThan(20);
        if ((await stage.stored(id)).status === 'paused') await stage.act(id, 'resume');
      }
      for (let seq = 1; seq <= PEOPLE; seq += 1) {
        if (!MAY_BE_SENT.includes(expected.get(seq))) continue;
        expected.set(seq, 'sent');
        mails.set(seq, (mails.get(seq) ?? 0) + 1);
      }
    }

    async function retry(which: Array<'failed' | 'unknown'>): Promise<void> {
      const { status } = await stage.stored(id);
      if (status !== 'sent' && status !== 'failed') return;
      await stage.act(id, 'retry', { states: which });
      const isAsked = (state: string) => which.some((one) => state === one || state === `${one} of it`);
      for (const [seq, state] of expected) if (isAsked(state)) expected.set(seq, 'queued');
    }

    async function take(one: Step): Promise<void> {
      switch (one.kind) {
        case 'claim':
          return claim(processes[one.process]!, one.size);
        case 'end':
          return end(processes[one.process]!, one.count, one.as, one.isRepeated);
        case 'close':
          return close(processes[one.process]!);
        case 'kill':
          return kill(one.process);
        case 'settle':
          return settle();
        case 'pause':
          return move('paused', 'sending');
        case 'resume':
          return move('sending', 'paused');
        case 'drive':
          return drive();
        case 'retry':
          return retry(one.states);
      }
    }

    async function agree(): Promise<void> {
      const counts = await ledgerCounts(deps, await stage.stored(id));
      const states = [...expected.values()].map((state) => state.replace(' of it', ''));
      const count = (...names: string[]) => states.filter((state) => names.includes(state)).length;
      const waiting = PEOPLE - states.length;
      expect(counts).to.include({
        total: PEOPLE,
        suppressed: 0,
        sent: count('sent', 'bounced'),
        bounced: count('bounced'),
        failed: count('failed'),
        unknown: count('unknown'),
        deferred: count('deferred'),
        pending: waiting + count('queued', 'deferred'),
      });
      const path = `/campaigns/${id}/recipients?limit=1`;
      const totals = await Promise.all(
        ['', 'queued', 'sent', 'bounced', 'failed', 'unknown', 'deferred'].map(async (status) => {
          const { body } = await stage.own.client.get(status ? `${path}&status=${status}` : path);
          return body.data.pagination.total as number;
        }),
      );
      const listed = ['sent', 'bounced', 'failed', 'unknown', 'deferred'].map((status) => count(status));
      expect(totals).to.deep.equal([PEOPLE, waiting + count('queued'), ...listed]);
      expect((await stage.audience(id)).length).to.equal(PEOPLE);
    }

    /** All that is left is sent, and each recipient has got exactly the mails that were due. */
    async function finish(): Promise<void> {
      for (const [index, { isAlive }] of processes.entries()) if (isAlive) await kill(index);
      await move('sending', 'paused');
      await drive();
      await agree();
      expect(['sent', 'failed']).to.include((await stage.stored(id)).status);
      const arrived = await stage.arrived(id);
      const rows = await stage.messages(id);
      const got = rows.map(({ seq, email }) => [seq, arrived.get(email) ?? 0]);
      expect(got).to.deep.equal(rows.map(({ seq }) => [seq, mails.get(seq!) ?? 0]));
    }

    return { take, agree, finish };
  }
});
