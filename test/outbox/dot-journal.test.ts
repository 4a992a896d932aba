// Promise: nothing is lost.
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { settleCampaignOrphans } from '../../core/campaigns/run/orphans.ts';
import { claimMessages, dotGuard, sendClaimed } from '../../core/mail/ledger/claim.ts';
import { type DotJournals, JOURNAL_WAIT_MS, keepsJournal } from '../../core/mail/ledger/dot-journal.ts';
import { type Ledger, openLedger } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import type { Connection, Delivery, Lane } from '../../core/mail/ledger/relay.ts';
import { settleOrphans } from '../../core/mail/ledger/settle-orphans.ts';
import { withDotJournal } from '../../core/mail/ledger/with-dot-journal.ts';
import { createDotJournals } from '../../platform/dots/journals.ts';
import { useEnvironment } from '../support/environment.ts';
import { beforeTakeOver, type ClaimedBlock, claimedBlock } from './blocks.ts';

const ENDED_MS = 1_000;

describe('The dot journal', () => {
  const environment = useEnvironment();
  let dataDir: string;
  let deps: Deps;
  const projectId = () => environment.own.project._id;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'everpost-dots-'));
  });
  after(async () => {
    rmSync(dataDir, { recursive: true, force: true });
  });
  beforeEach(() => {
    deps = {
      ...environment.deps,
      log: { ...environment.deps.log, warn() {} },
      dots: journals('boot-a'),
    };
  });

  const messages = () => environment.deps.db.messages;
  const journals = (bootId: string) => createDotJournals({ dataDir, log: environment.deps.log, bootId });
  const read = (id: ObjectId) => messages().findOne({ _id: id, projectId: projectId() }) as Promise<Message>;
  const agoMs = (ms: number) => new Date(Date.now() - ms);
  const elsewhere = (): Deps => ({ ...deps, dots: journals('boot-b') });

  /** Mails that a process has claimed, of which it has written the final dots of the first `begun`; then it was killed. */
  async function killed(count: number, begun: number, { lane = 'automation' as Lane, endedMs = ENDED_MS } = {}) {
    const docs = Array.from({ length: count }, (_, index): Message => {
      const _id = new ObjectId();
      return {
        _id,
        projectId: projectId(),
        lane,
        state: 'queued',
        email: `p${index}@example.com`,
        dueAt: agoMs(1_000),
      };
    });
    await messages().insertMany(docs);
    const ids = docs.map(({ _id }) => _id);
    const ledger = withDotJournal(openLedger(), deps.dots);
    const { held } = await claimMessages(deps, ledger, { projectId: projectId(), ids, due: true });
    for (const one of held.slice(0, begun)) expect(dotGuard(ledger, one)()).to.equal(true);
    const late = { claimedAt: agoMs(endedMs + 30_000), dueAt: agoMs(endedMs) };
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: late });
    return { ids: held.map(({ _id }) => _id), ledger };
  }

  const parts = { messageIdOf: async (id: ObjectId) => `<${id}@ours.test>`, publish: async () => undefined };
  const settle = (ids: ObjectId[], by = deps, ledger = openLedger()) =>
    settleOrphans(by, ledger, { projectId: projectId(), ids, ...parts });
  const statesOf = async (ids: ObjectId[]) => Promise.all(ids.map(async (id) => (await read(id)).state));

  it('Mail whose dot was never begun is queued again, in any lane; the rest is unknown.', async () => {
    for (const lane of ['automation', 'campaign'] as const) {
      const { ids } = await killed(4, 1, { lane });
      expect(await settle(ids)).to.deep.equal({ sent: 0, queued: 3, unknown: 1, later: 0 });
      expect(await statesOf(ids)).to.deep.equal(['unknown', 'queued', 'queued', 'queued']);
      const { timeline = [], orphaned } = await read(ids[1]!);
      expect(timeline.map(({ reason }) => reason)).to.deep.equal([
        'The sending process ended, and the relay did not have the mail.',
      ]);
      expect(orphaned).to.equal(1);
    }
  });

  it('Evidence is asked only about dots that were begun.', async () => {
    const { ids } = await killed(3, 1);
    const asked: string[] = [];
    const accepted = async (id: string) => asked.push(id) > 0;
    await settle(ids, { ...deps, evidence: { isKnown: true, accepted } });
    expect(asked).to.deep.equal([`<${ids[0]}@ours.test>`]);
    expect(await statesOf(ids)).to.deep.equal(['sent', 'queued', 'queued']);
  });

  it('Evidence about a mail to several counts where the relay had refused none of them before the dot.', async () => {
    const one = { name: null, state: 'queued' as const, reply: null, reason: null };
    const recipients = [
      { ...one, kind: 'to' as const, email: 'to@example.com' },
      { ...one, kind: 'cc' as const, email: 'cc@example.com' },
    ];
    for (const smtpEvidenceDelaySeconds of [30, 90]) {
      const { ids, ledger } = await killed(2, 0, { lane: 'transactional' });
      await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { recipients } });
      for (const [index, held] of [...ledger.held.values()].entries())
        expect(dotGuard(ledger, held)(index === 1)).to.equal(true);
      const evidence = { isKnown: true, accepted: async () => true };
      const asking = { ...deps, evidence, config: { ...deps.config, smtpEvidenceDelaySeconds } };
      await settle(ids, asking);
      if (smtpEvidenceDelaySeconds === 90) {
        expect(await statesOf(ids)).to.deep.equal(['unknown', 'queued']);
        const due = { $set: { dueAt: agoMs(100) } };
        await messages().updateMany({ _id: ids[0]!, projectId: projectId() }, due);
        await settle([ids[0]!], asking);
      }
      expect(await statesOf(ids)).to.deep.equal(['sent', 'queued']);
      expect((await read(ids[0]!)).recipients?.map(({ state }) => state)).to.deep.equal(['sent', 'sent']);
    }
  });

  const answered = (...codes: number[]): Delivery => ({
    kind: 'answered',
    phase: 'dot',
    answered: true,
    recipients: codes.map((code) => ({ code, enhanced: null, text: '', accepted: code === 250 })),
    replies: [],
    fault: null,
  });
  /** Sends each claimed mail over a connection whose relay ends the dialogue like this. */
  async function sendAll(ledger: Ledger, deliveries: Delivery[]) {
    for (const [index, held] of [...ledger.held.values()].entries()) {
      const connection: Connection = {
        async send(_envelope, _message, beforeDot) {
          expect(beforeDot()).to.equal(true);
          return deliveries[index]!;
        },
        takesEightBit: true,
        isPreferred: () => true,
        release() {},
      };
      await sendClaimed(connection, ledger, { held, envelope: { from: '', to: [] }, bytes: '' });
    }
  }

  it('An answer of the relay counts, though the outcome was not stored: taken is sent, refused is queued again.', async () => {
    const { ids, ledger } = await killed(5, 0);
    const silent: Delivery = { ...answered(0), kind: 'unknown', answered: false };
    const closing: Delivery = { ...answered(421), kind: 'relay' };
    await sendAll(ledger, [answered(250), answered(550), answered(250, 550), silent, closing]);
    const nobodyAsks = { isKnown: false, accepted: () => Promise.reject(new Error('nobody asks')) };
    await settle(ids, { ...deps, evidence: nobodyAsks });
    expect(await statesOf(ids)).to.deep.equal(['sent', 'queued', 'unknown', 'unknown', 'queued']);
    const { sentAt, claimedAt, endedAt, timeline } = await read(ids[0]!);
    expect(sentAt).to.deep.equal(claimedAt);
    expect(endedAt).to.be.instanceOf(Date);
    expect(timeline?.map(({ type, reason }) => [type, reason])).to.deep.equal([
      ['resolved', 'The relay took it, as the sending process noted before it ended.'],
    ]);
  });

  it('A dot of an earlier attempt of the same process does not count for a later one.', async () => {
    const { ids, ledger } = await killed(1, 1);
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { state: 'deferred' } });
    ledger.held.clear();
    await claimMessages(deps, ledger, { projectId: projectId(), ids, due: true });
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { dueAt: agoMs(ENDED_MS) } });
    await settle(ids);
    expect(await statesOf(ids)).to.deep.equal(['queued']);
  });

  const untrusted: Array<[string, (ledger: Ledger) => Deps]> = [
    ['of another boot', elsewhere],
    [
      'that is cut short',
      ({ owner }) => {
        truncateSync(join(dataDir, 'dots', owner), 80);
        return deps;
      },
    ],
    [
      'that is missing',
      ({ dots }) => {
        dots?.remove();
        return deps;
      },
    ],
  ];
  for (const [name, spoil] of untrusted)
    it(`With a journal ${name} mail is left alone for a minute, and then settled without it.`, async () => {
      const { ids, ledger } = await killed(2, 0);
      const by = spoil(ledger);
      expect(await settle(ids, by)).to.deep.equal({ sent: 0, queued: 0, unknown: 0, later: 0 });
      expect(await statesOf(ids)).to.deep.equal(['committing', 'committing']);
      const { dueAt, orphanedAt } = await read(ids[0]!);
      expect(dueAt!.getTime()).to.be.within(Date.now() + 1_000, Date.now() + 6_000);
      expect(orphanedAt!.getTime()).to.be.within(Date.now() - ENDED_MS - 5_000, Date.now() - ENDED_MS);
      const due = { dueAt: agoMs(100) };
      await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: due });
      expect(await settle(ids, by)).to.have.property('unknown', 0);
      const minuteAgo = agoMs(JOURNAL_WAIT_MS + 1_000);
      await messages().updateMany(
        { _id: { $in: ids }, projectId: projectId() },
        { $set: { ...due, orphanedAt: minuteAgo, claimedAt: agoMs(JOURNAL_WAIT_MS + 30_000) } },
      );
      expect(await settle(ids, by)).to.have.property('unknown', 2);
      expect(await read(ids[0]!)).to.not.have.property('orphanedAt');
    });

  it('Mail that one process has left alone is settled by the next that can read the journal.', async () => {
    const { ids } = await killed(2, 1);
    await settle(ids, elsewhere());
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { dueAt: agoMs(100) } });
    await settle(ids);
    expect(await statesOf(ids)).to.deep.equal(['unknown', 'queued']);
  });

  it('A time at which an earlier claim was left alone does not shorten the minute of a later one.', async () => {
    const { ids } = await killed(1, 0);
    const longAgo = agoMs(10 * JOURNAL_WAIT_MS);
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { orphanedAt: longAgo } });
    await settle(ids, elsewhere());
    expect(await statesOf(ids)).to.deep.equal(['committing']);
  });

  it('Mail of an owner without a journal is settled at once.', async () => {
    const { ids } = await killed(1, 0);
    await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { owner: 'an-owner' } });
    await settle(ids, elsewhere());
    expect(await statesOf(ids)).to.deep.equal(['unknown']);
  });

  it('A decision holds only for the lease on which it was made: dots may have been begun under a later one.', async () => {
    const { ids, ledger } = await killed(1, 0);
    const [held] = [...ledger.held.values()];
    const dots: DotJournals = {
      ...deps.dots,
      async read(owner) {
        const begun = await deps.dots.read(owner);
        // The owner was only late: it renews, sends, and ends before the decision is written.
        expect(dotGuard(ledger, held!)()).to.equal(true);
        await messages().updateMany({ _id: { $in: ids }, projectId: projectId() }, { $set: { dueAt: agoMs(1) } });
        return begun;
      },
    };
    await settle(ids, { ...deps, dots });
    expect(await statesOf(ids)).to.deep.equal(['committing']);
  });

  it('The dot is noted before it leaves, and the lease is looked at after that.', async () => {
    let now = 0;
    const ledger = openLedger(() => now);
    const noted: ObjectId[] = [];
    let stoppedMs = 0;
    ledger.dots = {
      note({ _id }) {
        noted.push(_id);
        now += stoppedMs;
        return true;
      },
      remove() {},
    };
    const docs = [0, 1].map(
      (index): Message => ({
        _id: new ObjectId(),
        projectId: projectId(),
        lane: 'automation',
        state: 'queued',
        email: `p${index}@example.com`,
        dueAt: agoMs(1_000),
      }),
    );
    await messages().insertMany(docs);
    const ids = docs.map(({ _id }) => _id);
    const { held } = await claimMessages(deps, ledger, { projectId: projectId(), ids, due: true });
    expect(dotGuard(ledger, held[0]!)()).to.equal(true);
    stoppedMs = 25_000;
    expect(dotGuard(ledger, held[1]!)()).to.equal(false);
    expect(held.map(({ dotWritten }) => dotWritten)).to.deep.equal([true, false]);
    expect(noted).to.deep.equal(held.map(({ _id }) => _id));
  });

  it('A dot that cannot be noted does not leave, and one after the lease is not noted.', async () => {
    let now = 0;
    const ledger = openLedger(() => now);
    let count = 0;
    ledger.dots = {
      note() {
        count += 1;
        return false;
      },
      remove() {},
    };
    const lease = { safeUntilMs: 10, check: null };
    const facts = { projectId: projectId(), claim: 1, part: null, stopped: null, about: null };
    const held = { _id: new ObjectId(), lease, dotWritten: false, ...facts };
    expect(dotGuard(ledger, held)()).to.equal(false);
    now = 11;
    expect(dotGuard(ledger, held)()).to.equal(false);
    expect([count, held.dotWritten]).to.deep.equal([1, false]);
  });

  describe('for claims of blocks', () => {
    const settleBlock = ({ campaign }: ClaimedBlock, by = deps) => settleCampaignOrphans(by, campaign as never);
    const states = async ({ ids }: ClaimedBlock) =>
      Promise.all(ids.map(async (_id) => (await messages().findOne({ _id, projectId: projectId() }))?.state ?? null));

    /** A claim of eight, of which the dots of these positions were begun. */
    async function killedBlock(positions: number[], lostMs = ENDED_MS, accepted: number[] = []) {
      const ledger = withDotJournal(openLedger(), deps.dots);
      const block = await claimedBlock(environment, { owner: ledger.owner, leaseUntil: agoMs(lostMs) });
      for (const position of accepted) ledger.dots!.note({ _id: block.ids[position]!, claim: 1 }, 'accepted');
      for (const position of positions) ledger.dots!.note({ _id: block.ids[position]!, claim: 1 }, 'begun');
      return { block, ledger };
    }

    it('Recipients whose dot was never begun wait again; only the others are unknown.', async () => {
      const { block, ledger } = await killedBlock([2, 5]);
      expect(keepsJournal(ledger.owner)).to.equal(true);
      await messages().insertOne(block.row(2));
      await settleBlock(block);
      const queued = Array(8).fill('queued');
      expect(await states(block)).to.deep.equal(queued.with(2, 'sent').with(5, 'unknown'));
    });

    it('Recipients whose mail the relay took are sent, with the time of the claim.', async () => {
      const { block } = await killedBlock([2], ENDED_MS, [5]);
      await settleBlock(block);
      expect(await states(block)).to.deep.equal(Array(8).fill('queued').with(2, 'unknown').with(5, 'sent'));
      expect(await read(block.ids[5]!)).to.deep.include({ sentAt: block.claim.claimedAt, owner: block.claim.owner });
    });

    it('A settler that cannot read the journal leaves the claim alone for a minute; one that can settles it.', async () => {
      const { block } = await killedBlock([0]);
      await settleBlock(block, elsewhere());
      expect(await states(block)).to.deep.equal(Array(8).fill(null));
      const { _id } = block.claim;
      const claim = await environment.deps.db.campaignClaims.findOne({ _id, projectId: projectId() });
      expect(claim?.owner).to.equal(block.claim.owner);
      await settleBlock(block);
      expect(await states(block)).to.deep.equal(Array(8).fill('queued').with(0, 'unknown'));
    });

    it('After a minute it is settled without the journal.', async () => {
      const { block } = await killedBlock([0], JOURNAL_WAIT_MS + 1_000);
      await settleBlock(block, elsewhere());
      expect(await states(block)).to.deep.equal(Array(8).fill('unknown'));
    });

    it('The journal is read after the claim was taken over: a dot that was begun until then counts.', async () => {
      const { block, ledger } = await killedBlock([]);
      const slow = beforeTakeOver(deps.db, () => ledger.dots!.note({ _id: block.ids[3]!, claim: 1 }, 'begun'));
      await settleBlock(block, { ...deps, db: slow });
      expect(await states(block)).to.deep.equal(Array(8).fill('queued').with(3, 'unknown'));
    });

    it('The next settler reads the journal of the process that sent, not that of the settler before it.', async () => {
      const { block, ledger } = await killedBlock([4]);
      const { _id } = block.claim;
      const taken = { owner: new ObjectId().toHexString(), lostBy: ledger.owner };
      await environment.deps.db.campaignClaims.updateOne({ _id, projectId: projectId() }, { $set: taken });
      await settleBlock(block);
      expect(await states(block)).to.deep.equal(Array(8).fill('queued').with(4, 'unknown'));
    });
  });
});
