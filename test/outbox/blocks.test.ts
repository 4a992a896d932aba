import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { claimedUpTo, claimPart } from '../../core/mail/ledger/blocks/claim.ts';
import { ClaimCloser } from '../../core/mail/ledger/blocks/close.ts';
import { unclaimedRange } from '../../core/mail/ledger/blocks/counts.ts';
import type { Block, BlockClaim } from '../../core/mail/ledger/blocks/model.ts';
import { recipientId } from '../../core/mail/ledger/blocks/recipient-id.ts';
import { dotGuard } from '../../core/mail/ledger/claim.ts';
import { type Claimed, type Ledger, type OpenClaim, openLedger } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { type Effects, OutcomeWriter } from '../../core/mail/ledger/record-outcomes.ts';
import { renewLeases } from '../../core/mail/ledger/renew.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

describe('Blocks of recipients', () => {
  const environment = useEnvironment();
  let deps: Deps;
  let projectId: ObjectId;
  const frozenAt = new Date('2026-05-04T10:00:00Z');
  const quiet: Effects = { suppress: async () => undefined, publish: async () => undefined };
  const sent = { kind: 'sent', reply: { code: 250, enhanced: null, text: 'ok' } } as const;

  before(async () => {
    projectId = environment.own.project._id;
    deps = environment.deps;
  });

  const claims = () => deps.db.campaignClaims;
  const rows = (campaignId: ObjectId) =>
    deps.db.messages.find({ projectId, campaignId }).sort({ seq: 1 }).toArray() as Promise<Message[]>;
  const stored = ({ place }: OpenClaim) => claims().findOne({ _id: place._id, projectId }) as Promise<BlockClaim>;

  function block(count: number, { n = 0, fromSeq = 1, campaignId = new ObjectId() } = {}): Block {
    const recipients = Array.from({ length: count }, (_, index) => ({
      contactId: new ObjectId(),
      email: `p${index}@example.com`,
    }));
    const run = new ObjectId();
    const [first, last] = [recipients[0]!.email, recipients.at(-1)!.email];
    return { _id: new ObjectId(), projectId, campaignId, run, n, fromSeq, count, first, last, recipients };
  }

  const claim = (ledger: Ledger, of: Block, from: number, to: number) =>
    claimPart(deps, ledger, { block: of, from, to, frozenAt });

  /** As a process would whose claim's lease has ended: it settles what has no row. */
  async function takeOver(taken: OpenClaim): Promise<void> {
    const change = { $set: { owner: 'settler', lostBy: taken.place.owner } };
    await claims().updateOne({ _id: taken.place._id, projectId }, change);
  }

  async function settleAs(held: Claimed, state: Message['state'], owner: string): Promise<void> {
    const { campaignId, contactId, email } = held.about!;
    const settled = { campaignId: campaignId!, contactId: contactId!, email, seq: held.part!.seq };
    await deps.db.messages.insertOne({ _id: held._id, projectId, lane: 'campaign', state, owner, ...settled });
  }

  it('a part is claimed by one of twenty that ask for it at once, and the others learn where the next one begins', async () => {
    const of = block(256);
    const ledgers = Array.from({ length: 20 }, () => openLedger());
    const found = await Promise.all(ledgers.map((ledger) => claim(ledger, of, 0, 64)));
    const won = found.flatMap((one) => one ?? []);
    expect(won).to.have.length(1);
    expect((await stored(won[0]!)).owner).to.equal(won[0]!.place.owner);
    expect(await claimedUpTo(deps, of)).to.equal(64);
  });

  it('parts of different sizes follow each other, and never overlap', async () => {
    const of = block(200);
    const processes = [3, 17, 64, 40].map((size) => ({ size, ledger: openLedger() }));
    const all: OpenClaim[] = [];
    await Promise.all(
      processes.map(async ({ size, ledger }) => {
        for (let from = await claimedUpTo(deps, of); from < of.count; from = await claimedUpTo(deps, of)) {
          const won = await claim(ledger, of, from, Math.min(of.count, from + size));
          if (won) all.push(won);
        }
      }),
    );
    const taken = all.flatMap(({ recipients }) => recipients.map(({ part }) => part!.seq));
    expect(taken.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it('a part that is written and closed is not claimed again', async () => {
    const of = block(4);
    const ledger = openLedger();
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const won = (await claim(ledger, of, 0, 4))!;
    await Promise.all(won.recipients.map((held) => writer.write({ held, outcome: sent })));
    await writer.drained();
    expect(await stored(won))
      .to.have.property('endedAt')
      .that.is.a('date');
    expect(await stored(won)).not.to.have.property('leaseUntil');
    expect(ledger.blocks.size).to.equal(0);
    expect(await claim(openLedger(), of, 0, 4)).to.equal(null);
    expect(await claimedUpTo(deps, of)).to.equal(4);
  });

  it('a claim whose answer was lost is found by its own id, and worked on', async () => {
    const of = block(8);
    const lossy = Object.create(claims()) as ReturnType<typeof claims>;
    let lost = 0;
    lossy.findOneAndUpdate = (async (...args: Parameters<typeof lossy.findOneAndUpdate>) => {
      const answer = await claims().findOneAndUpdate(...args);
      if (lost++ === 0) throw new Error('connection reset');
      return answer;
    }) as typeof lossy.findOneAndUpdate;
    const broken = { ...deps, db: { ...deps.db, campaignClaims: lossy } };
    const ledger = openLedger();
    const won = await claimPart(broken, ledger, { block: of, from: 0, to: 8, frozenAt });
    expect(won?.recipients).to.have.length(8);
    expect(await claims().countDocuments({ projectId, campaignId: of.campaignId })).to.equal(1);
    expect((await stored(won!)).owner).to.equal(ledger.owner);
  });

  it('a claim whose answer was lost is left alone when it was taken over before it was found', async () => {
    const of = block(8);
    const lossy = Object.create(claims()) as ReturnType<typeof claims>;
    lossy.findOneAndUpdate = (async (...args: Parameters<typeof lossy.findOneAndUpdate>) => {
      await claims().findOneAndUpdate(...args);
      await claims().updateOne({ projectId, campaignId: of.campaignId }, { $set: { owner: 'settler' } });
      lossy.findOneAndUpdate = claims().findOneAndUpdate.bind(claims());
      throw new Error('connection reset');
    }) as typeof lossy.findOneAndUpdate;
    const broken = { ...deps, db: { ...deps.db, campaignClaims: lossy } };
    expect(await claimPart(broken, openLedger(), { block: of, from: 0, to: 8, frozenAt })).to.equal(null);
    expect((await claims().findOne({ projectId, campaignId: of.campaignId }))?.owner).to.equal('settler');
  });

  it('rows are inserted with their outcome, and take their times from the claim', async () => {
    const of = block(6, { fromSeq: 257 });
    const ledger = openLedger();
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const won = (await claim(ledger, of, 0, 6))!;
    const no = { code: 550, enhanced: '5.1.1', text: 'no such user' };
    const busy = { code: 450, enhanced: null, text: 'greylisted' };
    const outcomes = [
      sent,
      { kind: 'bounced', reply: no, reason: 'bad_mailbox' },
      { kind: 'deferred', reply: busy, reason: 'temporary', delayMs: 300_000 },
      { kind: 'unknown', reason: 'no answer', retryMs: null },
      { kind: 'back', delayMs: 0 },
      { kind: 'suppressed', by: { groupId: 'G', reason: 'MANUAL' } },
    ] as const;
    await Promise.all(won.recipients.map((held, index) => writer.write({ held, outcome: outcomes[index]! })));
    const found = await rows(of.campaignId);
    expect(found.map(({ state }) => state)).to.deep.equal([
      'sent',
      'bounced',
      'deferred',
      'unknown',
      'queued',
      'suppressed',
    ]);
    expect(found.map(({ seq }) => seq)).to.deep.equal([257, 258, 259, 260, 261, 262]);
    for (const [index, row] of found.entries()) {
      const { contactId, email } = of.recipients[index]!;
      expect(row._id).to.deep.equal(recipientId(frozenAt, of.campaignId, contactId));
      expect(row).to.deep.include({ contactId, email, owner: ledger.owner, lane: 'campaign' });
      expect(row.claimedAt).to.deep.equal(won.place.claimedAt);
      expect(row.firstAt).to.deep.equal(won.place.claimedAt);
    }
    expect(found[0]).to.deep.include({ reply: sent.reply }).and.not.have.any.keys('dueAt', 'timeline', 'reason');
    expect(found[0]).to.include.keys('sentAt', 'endedAt');
    expect(found[2]).to.include({ deferrals: 1 }).and.not.have.property('endedAt');
    expect(found[2]!.dueAt!.getTime()).to.be.closeTo(Date.now() + 300_000, 5_000);
    expect(found[3]).not.to.have.property('dueAt');
    expect(found[5]!.timeline?.[0]).to.include({ type: 'suppressed', reason: 'MANUAL' });
  });

  it('suppressions come before the rows, events after them, and the claim is closed last', async () => {
    const of = block(3);
    const ledger = openLedger();
    const order: string[] = [];
    const watch = async (step: string, won: OpenClaim) => {
      const { endedAt } = await stored(won);
      order.push(`${step}: ${(await rows(of.campaignId)).length} rows, ${endedAt ? 'closed' : 'open'}`);
    };
    let failures = 1;
    const won = (await claim(ledger, of, 0, 3))!;
    const writer = new OutcomeWriter(deps, ledger, {
      suppress: () => watch('suppress', won),
      publish: async () => {
        await watch('publish', won);
        if (failures-- > 0) throw new Error('the event log is not there');
      },
    });
    await Promise.all(won.recipients.map((held) => writer.write({ held, outcome: sent })));
    await writer.drained();
    await watch('end', won);
    expect(order).to.deep.equal([
      'suppress: 0 rows, open',
      'publish: 3 rows, open',
      'suppress: 3 rows, open',
      'publish: 3 rows, open',
      'end: 3 rows, closed',
    ]);
  });

  it('an answer of the relay turns what was settled as unknown for this process into sent, bounced or failed, and nothing else', async () => {
    const of = block(6);
    const ledger = openLedger();
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const won = (await claim(ledger, of, 0, 6))!;
    const [late, denied, later, doubt, foreign, retried] = won.recipients as [
      Claimed,
      Claimed,
      Claimed,
      Claimed,
      Claimed,
      Claimed,
    ];
    await takeOver(won);
    for (const held of [late, denied, later, doubt]) await settleAs(held, 'unknown', ledger.owner);
    await settleAs(foreign, 'unknown', 'another');
    await settleAs(retried, 'queued', ledger.owner);
    const reply = { code: 554, enhanced: null, text: 'no' };
    await Promise.all([
      writer.write({ held: late, outcome: sent }),
      writer.write({ held: denied, outcome: { kind: 'failed', reply, reason: 'no' } }),
      writer.write({ held: later, outcome: { kind: 'deferred', reply, reason: 'later', delayMs: 1_000 } }),
      writer.write({ held: doubt, outcome: { kind: 'back', delayMs: 0 } }),
      writer.write({ held: foreign, outcome: sent }),
      writer.write({ held: retried, outcome: sent }),
    ]);
    const states = (await rows(of.campaignId)).map(({ state }) => state);
    expect(states).to.deep.equal(['sent', 'failed', 'unknown', 'unknown', 'unknown', 'queued']);
  });

  it('a claim that was taken over is not renewed: no dot follows, and what was not sent is left to the other process', async () => {
    let now = 0;
    const ledger = openLedger(() => now);
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const [lost, kept] = [block(2), block(2)];
    const [one, two] = [(await claim(ledger, lost, 0, 2))!, (await claim(ledger, kept, 0, 2))!];
    await takeOver(one);
    const before = (await stored(one)).leaseUntil;
    now = 15_000;
    await renewLeases(deps, ledger);
    now = 25_000;
    expect((await stored(one)).leaseUntil).to.deep.equal(before);
    expect([one.isLost, two.isLost]).to.deep.equal([true, false]);
    expect(dotGuard(ledger, one.recipients[0]!)()).to.equal(false);
    expect(dotGuard(ledger, two.recipients[0]!)()).to.equal(true);
    await Promise.all(one.recipients.map((held) => writer.write({ held, outcome: { kind: 'back', delayMs: 0 } })));
    await writer.drained();
    expect(await rows(lost.campaignId)).to.deep.equal([]);
    expect(await stored(one)).not.to.have.property('endedAt');
    expect([...ledger.blocks.values()]).to.deep.equal([two]);
  });

  it('a renewal does not open a claim again that is closed', async () => {
    const ledger = openLedger();
    const won = (await claim(ledger, block(1), 0, 1))!;
    const closed = { $set: { endedAt: new Date() }, $unset: { leaseUntil: '' as const } };
    await claims().updateOne({ _id: won.place._id, projectId }, closed);
    await renewLeases(deps, ledger);
    expect(await stored(won)).not.to.have.property('leaseUntil');
  });

  it('no dot follows when the row says that it waits', async () => {
    const ledger = openLedger();
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const won = (await claim(ledger, block(1), 0, 1))!;
    const written = writer.write({ held: won.recipients[0]!, outcome: { kind: 'back', delayMs: 0 } });
    expect(dotGuard(ledger, won.recipients[0]!)()).to.equal(false);
    await written;
  });

  it('many claims are closed by one update', async () => {
    const ledger = openLedger();
    let updates = 0;
    const counting = Object.create(claims()) as ReturnType<typeof claims>;
    counting.updateMany = (...args) => {
      updates += 1;
      return claims().updateMany(...args);
    };
    const writer = new OutcomeWriter({ ...deps, db: { ...deps.db, campaignClaims: counting } }, ledger, quiet);
    const of = block(12);
    const parts = [];
    for (let from = 0; from < 12; from += 2) parts.push((await claim(ledger, of, from, from + 2))!);
    await Promise.all(
      parts.flatMap(({ recipients }) => recipients).map((held) => writer.write({ held, outcome: sent })),
    );
    await until(
      () => claims().countDocuments({ projectId, campaignId: of.campaignId, endedAt: { $exists: true } }),
      (closed) => closed === 6,
    );
    expect(updates).to.equal(1);
  });

  it('a claim is closed soon, also after one that was lost', async () => {
    const ledger = openLedger();
    const closer = new ClaimCloser(deps, ledger);
    const [lost, kept] = [(await claim(ledger, block(1), 0, 1))!, (await claim(ledger, block(1), 0, 1))!];
    lost.isLost = true;
    closer.add(lost);
    expect([...ledger.blocks.values()]).to.deep.equal([kept]);
    // Longer than claims are gathered: nothing shows that this time is over.
    await sleep(300);
    closer.add(kept);
    await until(
      () => stored(kept),
      ({ endedAt }) => endedAt !== undefined,
    );
  });

  it('the unclaimed recipients begin in the first block after which something is missing', async () => {
    const campaignId = new ObjectId();
    const of = { projectId, campaignId };
    const [one, two, three] = [0, 1, 2].map((n) => block(256, { n, fromSeq: 256 * n + 1, campaignId })) as Block[];
    expect(await unclaimedRange(deps, of, 600)).to.deep.equal({ fromSeq: 1, toSeq: 600 });
    await claim(openLedger(), one!, 0, 256);
    await claim(openLedger(), three!, 0, 88);
    expect(await unclaimedRange(deps, of, 600)).to.deep.equal({ fromSeq: 1, toSeq: 600 });
    await claim(openLedger(), two!, 0, 100);
    expect(await unclaimedRange(deps, of, 600)).to.deep.equal({ fromSeq: 257, toSeq: 600 });
    expect(await unclaimedRange(deps, of, 356)).to.equal(null);
    await claim(openLedger(), two!, 100, 256);
    expect(await unclaimedRange(deps, of, 600)).to.equal(null);
    expect(await unclaimedRange(deps, of, 601)).to.deep.equal({ fromSeq: 513, toSeq: 601 });
  });
});
