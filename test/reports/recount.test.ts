// Promise: counts are exact.
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { settleCampaignOrphans } from '../../core/campaigns/run/orphans.ts';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { recomputeOpens } from '../../core/mail/feedback/recompute-opens.ts';
import { claimedUpTo, claimPart } from '../../core/mail/ledger/blocks/claim.ts';
import { ClaimCloser } from '../../core/mail/ledger/blocks/close.ts';
import type { Block } from '../../core/mail/ledger/blocks/model.ts';
import { writeRows } from '../../core/mail/ledger/blocks/write-rows.ts';
import { claimMessages } from '../../core/mail/ledger/claim.ts';
import { type Claimed, type Ledger, type OpenClaim, type Outcome, openLedger } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { type Effects, OutcomeWriter } from '../../core/mail/ledger/record-outcomes.ts';
import { settleOrphans } from '../../core/mail/ledger/settle-orphans.ts';
import { BROWSER, bareCampaign } from '../feedback/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { someOf } from '../support/random.ts';
import { plainClicks, plainCounts, storedClicks, storedCounts } from './support.ts';

const TAGS = ['kind:news', 'season:spring'];
const DOMAIN = 'news.example.com';
const PEOPLE = 60;
const MAILS = 12;
const reply = { code: 250, enhanced: null, text: 'ok' };
const busy = { code: 421, enhanced: '4.7.0', text: 'try later' };
const refusal = { code: 550, enhanced: '5.1.1', text: 'no such user' };

const outcomes: Record<string, Outcome> = {
  sent: { kind: 'sent', reply },
  bounced: { kind: 'bounced', reply: refusal, reason: 'no such user' },
  failed: { kind: 'failed', reason: 'not to be sent' },
  deferred: { kind: 'deferred', reply: busy, reason: 'try later', delayMs: 0 },
  lost: { kind: 'deferred', reply: null, reason: 'connection lost', delayMs: 0 },
  unknown: { kind: 'unknown', reason: 'no answer', retryMs: null },
  back: { kind: 'back', delayMs: 0 },
};

interface Process {
  ledger: Ledger;
  isAlive: boolean;
  claims: Array<{ claim: OpenClaim; left: Claimed[]; isClosed: boolean }>;
  rows: Claimed[];
}

const process = fc.nat(2);
const as = fc.constantFrom(...Object.keys(outcomes));
/** Few, so that the same mail is met again. */
const who = fc.nat(11);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), process, count: fc.integer({ min: 1, max: 25 }) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      ...{ kind: fc.constant('end' as const), process, as },
      ...{ count: fc.integer({ min: 1, max: 25 }), isRepeated: fc.boolean() },
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'kill' as const), process }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), isKnown: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claimRows' as const), process, count: fc.nat(10) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('endRows' as const),
      process,
      as,
      count: fc.nat(10),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('bounce' as const, 'delivery' as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('open' as const, 'click' as const, 'unsubscribe' as const, 'complaint' as const),
      ...{ who, agoMs: fc.nat(3_600_000) },
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('retry' as const, 'judge' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(1_800_000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('count' as const), dies: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recount' as const), dies: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

describe('The counts of the series and a recount from the ledger', function () {
  this.timeout(300_000);
  const environment = useEnvironment();

  it('agree for any order of claims, outcomes, kills, repeats, retries, reports, opens and counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (order) => {
        const run = await begin(await environment.newTenant('Counted'));
        for (const one of order) await run.take(one);
        await run.finish();
      }),
      { numRuns: someOf(25), endOnFailure: true },
    );
  });

  async function begin(tenant: Tenant) {
    const deps: Deps = { ...environment.deps, log: { ...environment.deps.log, warn() {} } };
    const { db } = deps;
    const projectId = tenant.project._id;
    const run = new ObjectId();
    const frozenAt = new Date(Date.now() - 60_000);
    const freeze = { at: frozenAt, run, isDone: true, frozen: { total: PEOPLE, inBlocks: PEOPLE } };
    const campaign = await bareCampaign(environment, tenant, { status: 'sending', freeze, tags: TAGS } as never);
    const campaignId = campaign._id;
    await db.campaignContents.insertOne({
      ...{ _id: campaignId, projectId, domainName: DOMAIN, frozenAt: new Date(), tags: TAGS },
      html: '<a href="https://shop.example.com/">Shop</a>',
    } as never);
    const blocks = [0, 1].map((n): Block => {
      const count = PEOPLE / 2;
      const recipients = Array.from({ length: count }, (_, index) => ({
        contactId: new ObjectId(),
        email: `p${n}${String(index).padStart(3, '0')}@${index % 3 === 0 ? 'gmail.com' : 'example.org'}`,
      }));
      const ends = { first: recipients[0]!.email, last: recipients.at(-1)!.email };
      return { _id: new ObjectId(), projectId, campaignId, run, n, fromSeq: 1 + n * count, count, ...ends, recipients };
    });
    await db.campaignBlocks.insertMany(blocks);
    const mails = Array.from({ length: MAILS }, (_, index): Message => {
      const lane = index % 2 === 0 ? 'transactional' : 'automation';
      const tagged = index % 3 === 0 ? { tags: ['kind:news', `mail:${index % 5}`] } : {};
      const of = { ...tagged, ...(index % 4 === 1 ? { automationId: campaignId } : {}) };
      const email = `m${index}@${index % 3 === 0 ? 'gmail.com' : 'example.net'}`;
      const dueAt = new Date(Date.now() - 1_000);
      return { _id: new ObjectId(), projectId, lane, state: 'queued', email, senderDomain: DOMAIN, dueAt, ...of };
    });
    await db.messages.insertMany(mails);
    const quiet: Effects = { suppress: async () => undefined, publish: async () => undefined };
    const processes = Array.from({ length: 3 }, fresh);

    function fresh(): Process {
      return { ledger: openLedger(), isAlive: true, claims: [], rows: [] };
    }

    async function claim(from: Process, count: number): Promise<void> {
      if (!from.isAlive) return;
      for (const block of blocks) {
        const place = await claimedUpTo(deps, block);
        if (place >= block.count) continue;
        const to = Math.min(block.count, place + count);
        const made = await claimPart(deps, from.ledger, { block, from: place, to, frozenAt, tags: TAGS });
        if (made) from.claims.push({ claim: made, left: [...made.recipients], isClosed: false });
        return;
      }
    }

    /** A killed process may write as well, before or after others have settled its claim. */
    async function end(from: Process, count: number, kind: string, isRepeated: boolean): Promise<void> {
      const held = from.claims.find(({ left }) => left.length > 0);
      if (!held) return;
      const ended = held.left.splice(0, count).map((one) => ({ held: one, outcome: outcomes[kind]! }));
      await writeRows(deps, from.ledger, ended);
      if (!isRepeated) return;
      environment.clock.advance(1_000_000);
      await writeRows(deps, from.ledger, ended);
    }

    async function close(from: Process): Promise<void> {
      const whole = from.claims.filter((one) => one.left.length === 0 && !one.isClosed);
      const closer = new ClaimCloser(deps, from.ledger);
      for (const held of whole) {
        held.isClosed = true;
        closer.add(held.claim);
      }
      await closer.closeAll();
    }

    async function kill(from: Process): Promise<void> {
      from.isAlive = false;
      const past = new Date(Date.now() - 1_000);
      const ours = { projectId, owner: from.ledger.owner };
      await db.campaignClaims.updateMany({ ...ours, leaseUntil: { $exists: true } }, { $set: { leaseUntil: past } });
      await db.messages.updateMany({ ...ours, state: 'committing' }, { $set: { dueAt: past } });
    }

    /** `isKnown`: the relay says that it took the mail. */
    async function settle(isKnown: boolean): Promise<void> {
      const evidence = { isKnown, accepted: async () => true };
      const asking = { ...deps, evidence, config: { ...deps.config, smtpEvidenceDelaySeconds: 0 } };
      await settleCampaignOrphans(asking, campaign as never);
      const ids = mails.map(({ _id }) => _id);
      const alive = openLedger();
      for (const one of processes)
        for (const [id, held] of one.isAlive ? one.ledger.held : []) alive.held.set(id, held);
      const parts = { messageIdOf: async (id: ObjectId) => `<${id}@x>`, publish: async () => undefined };
      await settleOrphans(asking, alive, { projectId, ids, ...parts });
    }

    async function claimRows(from: Process, count: number): Promise<void> {
      if (!from.isAlive) return;
      const open = { projectId, state: { $in: ['queued' as const, 'deferred' as const] } };
      const found = await db.messages.find(open).sort({ _id: 1 }).limit(count).toArray();
      const ids = found.map(({ _id }) => _id);
      from.rows.push(...(await claimMessages(deps, from.ledger, { projectId, ids, due: false })).held);
    }

    async function endRows(from: Process, count: number, kind: string, isRepeated: boolean): Promise<void> {
      const ended = from.rows.splice(0, count).map((held) => ({ held, outcome: outcomes[kind]! }));
      if (ended.length === 0) return;
      for (let times = 0; times < (isRepeated ? 2 : 1); times += 1) {
        const writer = new OutcomeWriter(deps, from.ledger, quiet);
        await Promise.all(ended.map((one) => writer.write(one)));
      }
    }

    async function rowOf(index: number): Promise<Message | null> {
      const rows = await db.messages.find({ projectId }).sort({ _id: 1 }).toArray();
      return rows[(index * 7) % Math.max(1, rows.length)] ?? null;
    }

    async function report(index: number, action: 'failed' | 'delivered'): Promise<void> {
      const row = await rowOf(index);
      if (!row) return;
      const said = { recipient: row.email, code: 550, enhanced: '5.2.2', text: 'mailbox full' };
      await applyReports(deps, { projectId, messageId: row._id }, [{ action, ...said } as never]);
    }

    async function signal(
      kind: 'open' | 'click' | 'unsubscribe' | 'complaint',
      index: number,
      agoMs: number,
    ): Promise<void> {
      const row = await rowOf(index);
      if (!row) return;
      const at = new Date(environment.clock.now().getTime() + 1_000_000 - agoMs);
      const seen = { agent: BROWSER, purpose: '', method: 'GET', url: 'https://shop.example.com/', reason: 'x' };
      await writeSignals(deps, [{ kind, projectId, messageId: row._id, at, ...seen }]);
    }

    async function retry(): Promise<void> {
      const again = { state: 'queued' as const };
      await db.messages.updateMany({ projectId, state: 'failed' }, { $set: again, $unset: { endedAt: '' } });
    }

    /** The process that counts is stopped before its transaction is committed. */
    async function count(dies: boolean): Promise<void> {
      if (dies) await countProject(dying(deps, 'engagements', 'find'), projectId).catch(ignoreDeath);
      else await countProject(deps, projectId);
    }

    async function recount(dies: boolean): Promise<void> {
      if (dies) {
        await recountProject(dying(deps, 'reportCounts', 'bulkWrite'), tenant.project).catch(ignoreDeath);
        const over = { pausedUntil: new Date(Date.now() - 1_000) };
        const isPaused = { _id: projectId, projectId, pausedUntil: { $exists: true } };
        await db.reportStates.updateOne(isPaused, { $set: over });
      } else expect((await recountProject(deps, tenant.project)).kind).to.equal('recounted');
    }

    async function take(one: Step): Promise<void> {
      switch (one.kind) {
        case 'claim':
          return claim(processes[one.process]!, one.count);
        case 'end':
          return end(processes[one.process]!, one.count, one.as, one.isRepeated);
        case 'close':
          return close(processes[one.process]!);
        case 'kill': {
          await kill(processes[one.process]!);
          return void processes.push(...processes.splice(one.process, 1, fresh()));
        }
        case 'settle':
          return settle(one.isKnown);
        case 'claimRows':
          return claimRows(processes[one.process]!, one.count);
        case 'endRows':
          return endRows(processes[one.process]!, one.count, one.as, one.isRepeated);
        case 'bounce':
          return report(one.who, 'failed');
        case 'delivery':
          return report(one.who, 'delivered');
        case 'retry':
          return retry();
        case 'judge':
          return void (await recomputeOpens(
            { ...deps, config: { ...deps.config, automatedOpenSeconds: 1_200 } },
            { projectId },
          ));
        case 'wait':
          return environment.clock.advance(one.ms);
        case 'count':
          return count(one.dies);
        case 'recount':
          return recount(one.dies);
        default:
          return signal(one.kind, one.who, one.agoMs);
      }
    }

    /** Late outcomes of killed processes come, all claims are settled, and all that waits is counted. */
    async function finish(): Promise<void> {
      for (const from of processes) {
        while (from.claims.some(({ left }) => left.length > 0)) await end(from, PEOPLE, 'sent', false);
        await endRows(from, PEOPLE, 'sent', false);
        if (from.isAlive) await close(from);
        await kill(from);
      }
      await settle(true);
      expect(await db.campaignClaims.countDocuments({ projectId, leaseUntil: { $exists: true } })).to.equal(0);
      await db.messages.updateMany({ projectId, countDueAt: { $exists: true } }, { $set: { countDueAt: new Date(0) } });
      await countProject(deps, projectId);
      const waiting = { projectId, countDueAt: { $exists: true } };
      for (const collection of [db.messages, db.engagements, db.campaignClaims])
        expect(await (collection as typeof db.messages).countDocuments(waiting)).to.equal(0);
      const plain = await plainCounts(deps, tenant, () => DOMAIN);
      expect(await storedCounts(deps, tenant)).to.deep.equal(plain);
      const clicks = await plainClicks(deps, tenant);
      expect(await storedClicks(deps, tenant)).to.deep.equal(clicks);
      expect((await recountProject(deps, tenant.project)).kind).to.equal('recounted');
      expect(await storedCounts(deps, tenant)).to.deep.equal(plain);
      expect(await storedClicks(deps, tenant)).to.deep.equal(clicks);
    }

    return { take, finish };
  }
});

class Death extends Error {}

function ignoreDeath(error: unknown): void {
  if (!(error instanceof Death)) throw error;
}

/** As a process that ends before it reads from this collection, or when it has written to it. */
function dying(deps: Deps, collection: 'engagements' | 'reportCounts', call: 'find' | 'bulkWrite'): Deps {
  const whole = deps.db[collection];
  const dead = new Proxy(whole, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== call) return typeof value === 'function' ? value.bind(target) : value;
      return (...given: unknown[]) => {
        if (call === 'find') throw new Death();
        return (value as (...all: unknown[]) => Promise<unknown>).apply(target, given).then(() => {
          throw new Death();
        });
      };
    },
  });
  return { ...deps, db: { ...deps.db, [collection]: dead } };
}
