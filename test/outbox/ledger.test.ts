// Promise: nothing is sent twice.
import { expect } from 'chai';
import { type Filter, type FindOptions, ObjectId } from 'mongodb';
import type { Deps, Evidence } from '../../core/base/deps.ts';
import { orphanOpenMessages } from '../../core/mail/ledger/after-restore.ts';
import { claimMessages, dotGuard } from '../../core/mail/ledger/claim.ts';
import { type Check, type Ledger, openLedger, type Verdict } from '../../core/mail/ledger/ledger.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { applyCheck, type Effects, OutcomeWriter } from '../../core/mail/ledger/record-outcomes.ts';
import type { Lane } from '../../core/mail/ledger/relay.ts';
import { renewLeases } from '../../core/mail/ledger/renew.ts';
import { type SettledRow, settleOrphans } from '../../core/mail/ledger/settle-orphans.ts';
import { useEnvironment } from '../support/environment.ts';

describe('The ledger', () => {
  const environment = useEnvironment();
  let deps: Deps;
  let projectId: ObjectId;
  let evidence: Evidence;

  before(async () => {
    projectId = environment.own.project._id;
  });

  beforeEach(() => {
    evidence = { isKnown: false, accepted: () => Promise.reject(new Error('nobody asks')) };
    deps = {
      ...environment.deps,
      evidence: { isKnown: false, accepted: (id) => evidence.accepted(id) },
    };
  });

  const messages = () => environment.deps.db.messages;
  const read = (id: ObjectId) => messages().findOne({ _id: id, projectId }) as Promise<Message>;
  const ago = (ms: number) => new Date(Date.now() - ms);
  const publish = async () => undefined;
  const quiet: Effects = { suppress: async () => undefined, publish: async () => undefined };

  async function queue(count: number, more: Partial<Message> = {}): Promise<ObjectId[]> {
    const docs: Message[] = Array.from({ length: count }, (_, index) => ({
      _id: new ObjectId(),
      projectId,
      lane: 'automation',
      state: 'queued',
      email: `p${index}@example.com`,
      createdAt: new Date(),
      dueAt: ago(1_000),
      ...more,
    }));
    await messages().insertMany(docs);
    return docs.map(({ _id }) => _id);
  }

  const claim = (ledger: Ledger, ids: ObjectId[], due = true) => claimMessages(deps, ledger, { projectId, ids, due });

  it('gives a message to one of two that claim it at the same time', async () => {
    const ids = await queue(40);
    const [one, two] = [openLedger(), openLedger()];
    const [a, b] = await Promise.all([claim(one, ids), claim(two, ids)]);
    const all = [...a.held, ...b.held].map(({ _id }) => _id.toHexString());
    expect(all).to.have.length(40);
    expect(new Set(all).size).to.equal(40);
    for (const { _id } of a.held) expect(await read(_id)).to.include({ state: 'committing', owner: one.owner });
  });

  it('does not claim what is not due, not open, or of another project', async () => {
    const [later] = await queue(1, { dueAt: new Date(Date.now() + 60_000) });
    const [sent] = await queue(1, { state: 'sent' });
    const [foreign] = await queue(1, { projectId: environment.other.project._id });
    const { held } = await claim(openLedger(), [later!, sent!, foreign!]);
    expect(held).to.deep.equal([]);
  });

  it('does not claim what another process held until its lease ended: the relay may have it', async () => {
    const [lapsed] = await queue(1, { state: 'committing', owner: openLedger().owner, claim: 1, dueAt: ago(1_000) });
    const { held } = await claim(openLedger(), [lapsed!]);
    expect(held).to.deep.equal([]);
    expect(await read(lapsed!)).to.include({ state: 'committing', claim: 1 });
  });

  it('holds only what it won when another process holds the rest', async () => {
    const ids = await queue(5);
    const [one, two] = [openLedger(), openLedger()];
    await claim(one, ids.slice(0, 3));
    const { held } = await claim(two, ids);
    expect(held.map(({ _id }) => _id)).to.have.deep.members(ids.slice(3));
  });

  it('holds of its own earlier claims nothing twice', async () => {
    const ids = await queue(4);
    const ledger = openLedger();
    await claim(ledger, ids.slice(0, 2));
    const { held } = await claim(ledger, ids);
    expect(held.map(({ _id }) => _id)).to.have.deep.members(ids.slice(2));
  });

  it('keeps the first attempt date in every later attempt', async () => {
    const firstAt = new Date('2026-01-02T03:04:05.000Z');
    const [fresh] = await queue(1);
    const [tried] = await queue(1, { state: 'deferred', firstAt });
    const { firstAt: given } = await claim(openLedger(), [fresh!, tried!]);
    expect((await read(fresh!)).firstAt).to.deep.equal(given);
    expect((await read(tried!)).firstAt).to.deep.equal(firstAt);
  });

  it('finds out what it claimed when the answer to the claim was lost', async () => {
    const ids = await queue(3);
    const ledger = openLedger();
    const lossy = Object.create(messages()) as ReturnType<typeof messages>;
    lossy.updateMany = async (...args) => {
      await messages().updateMany(...args);
      throw new Error('connection reset');
    };
    const concerns: unknown[] = [];
    lossy.find = ((filter: Filter<Message>, options: FindOptions) => {
      concerns.push(options.readConcern);
      return messages().find(filter, options);
    }) as typeof lossy.find;
    const broken = { ...deps, db: { ...deps.db, messages: lossy } };
    const { held } = await claimMessages(broken, ledger, { projectId, ids, due: true });
    expect(held.map(({ _id }) => _id)).to.have.deep.members(ids);
    // A primary that is cut off still shows a claim that is rolled back later.
    expect(concerns).to.deep.equal(['majority']);
  });

  it('writes each message its own outcome in one group, and lets go of it', async () => {
    const ids = await queue(6);
    const ledger = openLedger();
    const { held } = await claim(ledger, ids);
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const reply = { code: 250, enhanced: '2.0.0', text: 'queued as $NOW "$$ROOT"' };
    const no = { code: 550, enhanced: '5.1.1', text: 'no such user' };
    const busy = { code: 450, enhanced: null, text: 'greylisted' };
    await Promise.all([
      writer.write({ held: held[0]!, outcome: { kind: 'sent', reply } }),
      writer.write({ held: held[1]!, outcome: { kind: 'bounced', reply: no, reason: 'bad_mailbox' } }),
      writer.write({
        held: held[2]!,
        outcome: { kind: 'deferred', reply: busy, reason: 'temporary', delayMs: 300_000 },
      }),
      writer.write({ held: held[3]!, outcome: { kind: 'unknown', reason: 'no answer', retryMs: null } }),
      writer.write({ held: held[4]!, outcome: { kind: 'back', delayMs: 0 } }),
      writer.write({ held: held[5]!, outcome: { kind: 'suppressed', by: { groupId: 'GLOBAL', reason: 'BOUNCE' } } }),
    ]);
    const [sent, bounced, deferred, unknown, back, suppressed] = await Promise.all(ids.map(read));
    expect(sent).to.deep.include({ state: 'sent', reply }).and.not.have.any.keys('dueAt', 'outcome', 'timeline');
    expect(bounced).to.deep.include({ state: 'bounced', reply: no, reason: 'bad_mailbox' });
    expect(bounced?.timeline?.[0]).to.deep.include({ type: 'bounced', reply: no, reason: 'bad_mailbox' });
    expect(deferred).to.deep.include({ state: 'deferred', reply: busy, deferrals: 1 });
    expect(deferred!.dueAt!.getTime()).to.be.closeTo(Date.now() + 300_000, 5_000);
    expect(deferred?.timeline?.[0]?.claimedAt).to.deep.equal(deferred?.claimedAt);
    expect(unknown).to.include({ state: 'unknown', owner: ledger.owner }).and.not.have.property('dueAt');
    expect(back).to.include({ state: 'queued' });
    expect(back!.dueAt!.getTime()).to.be.at.most(Date.now() + 1_000);
    expect(suppressed).to.deep.include({ state: 'suppressed', suppressedBy: { groupId: 'GLOBAL', reason: 'BOUNCE' } });
    expect(ledger.held.size).to.equal(0);
    expect(writer.unwritten()).to.equal(0);
  });

  it('repeats an outcome until it is written, and what follows from it before that', async () => {
    const [id] = await queue(1);
    const ledger = openLedger();
    const { held } = await claim(ledger, [id!]);
    let tries = 0;
    const writer = new OutcomeWriter(deps, ledger, {
      ...quiet,
      publish: async () => {
        tries += 1;
        if (tries < 3) throw new Error('the database is away');
      },
    });
    await writer.write({ held: held[0]!, outcome: { kind: 'sent', reply: { code: 250, enhanced: null, text: '' } } });
    expect(tries).to.equal(3);
    expect((await read(id!)).state).to.equal('sent');
  });

  it('does not write an outcome over a message that another process has taken', async () => {
    const [id] = await queue(1);
    const ledger = openLedger();
    const { held } = await claim(ledger, [id!]);
    await messages().updateOne({ _id: id!, projectId }, { $set: { owner: 'another', claim: 1 } });
    const outcome = { kind: 'deferred' as const, reply: null, reason: 'late', delayMs: 0 };
    await new OutcomeWriter(deps, ledger, quiet).write({ held: held[0]!, outcome });
    expect(await read(id!)).to.include({ state: 'committing', owner: 'another' });
  });

  it('lets a late 250 turn unknown into sent', async () => {
    const [id] = await queue(1);
    const ledger = openLedger();
    const { held } = await claim(ledger, [id!]);
    await messages().updateOne({ _id: id!, projectId }, { $set: { state: 'unknown' } });
    const reply = { code: 250, enhanced: null, text: 'at last' };
    await new OutcomeWriter(deps, ledger, quiet).write({ held: held[0]!, outcome: { kind: 'sent', reply } });
    expect((await read(id!)).state).to.equal('sent');
  });

  it('lets a late 250 end a requeued message, unless it was claimed again', async () => {
    const reply = { code: 250, enhanced: null, text: 'at last' };
    const refused = { kind: 'failed', reply: { code: 554, enhanced: null, text: 'no' }, reason: 'no' } as const;
    const [late, taken, denied] = (await queue(3, { lane: 'transactional' })) as [ObjectId, ObjectId, ObjectId];
    const ledger = openLedger();
    const { held } = await claim(ledger, [late, taken, denied]);
    await messages().updateMany({ projectId, _id: { $in: [late, taken, denied] } }, { $set: { dueAt: ago(1) } });
    const other = openLedger();
    const ids = [late, taken, denied];
    await settleOrphans(deps, other, { projectId, ids, messageIdOf: async () => null, publish });
    await claim(other, [taken]);
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const sent = { kind: 'sent', reply } as const;
    await Promise.all(held.map((one, n) => writer.write({ held: one, outcome: n === 2 ? refused : sent })));
    expect(await read(late))
      .to.deep.include({ state: 'sent', reply })
      .and.not.have.property('dueAt');
    expect(await read(taken)).to.deep.include({ state: 'committing', owner: other.owner });
    expect(await read(denied)).to.deep.include({ state: 'queued', owner: ledger.owner });
  });

  it('leaves unknown what a campaign has counted as such when its owner gives it back or defers it late; other lanes queue it again', async () => {
    for (const [lane, state] of [
      ['campaign', 'unknown'],
      ['automation', 'queued'],
    ] as const) {
      const ids = await queue(3, { lane, campaignId: new ObjectId() });
      const ledger = openLedger();
      const { held } = await claim(ledger, ids, false);
      for (const one of held) one.about = { lane, email: 'p@example.com' };
      const [stopped, refused, inTime] = ids as [ObjectId, ObjectId, ObjectId];
      const over = { _id: { $in: [stopped, refused] }, projectId };
      await messages().updateMany(over, { $set: { dueAt: ago(1) } });
      await settleOrphans(deps, openLedger(), { projectId, ids, messageIdOf: async () => null, publish });
      expect((await read(stopped)).state).to.equal('unknown');
      const writer = new OutcomeWriter(deps, ledger, quiet);
      const back = { kind: 'back', delayMs: 0 } as const;
      const later = { kind: 'deferred', reply: null, reason: 'later', delayMs: 60_000 } as const;
      await Promise.all(held.map((one, n) => writer.write({ held: one, outcome: n === 1 ? later : back })));
      const states = await Promise.all([stopped, refused, inTime].map(async (id) => (await read(id)).state));
      expect(states).to.deep.equal([state, lane === 'campaign' ? 'unknown' : 'deferred', 'queued']);
    }
  });

  it('looks after the claim: who must not get it is suppressed, failed or queued again', async () => {
    const ids = await queue(4);
    const ledger = openLedger();
    const { held } = await claim(ledger, ids);
    const verdicts: Verdict[] = [
      { kind: 'suppressed', by: { groupId: 'G', reason: 'UNSUBSCRIBE' } },
      { kind: 'failed', reason: 'The project was deleted.' },
      { kind: 'back', delayMs: 0 },
    ];
    const check: Check = async (asked) => new Map(verdicts.map((verdict, index) => [asked[index]!, verdict]));
    const writer = new OutcomeWriter(deps, ledger, quiet);
    const going = applyCheck(held, await check(held), check, writer);
    await writer.drained();
    expect(going).to.deep.equal([held[3]]);
    expect((await Promise.all(ids.map(read))).map(({ state }) => state)).to.deep.equal([
      'suppressed',
      'failed',
      'queued',
      'committing',
    ]);
  });

  it('writes no dot when the lease was not renewed in time, and writes it again after a renewal', async () => {
    let now = 0;
    const ledger = openLedger(() => now);
    const ids = await queue(2);
    const { held } = await claim(ledger, ids);
    const guard = dotGuard(ledger, held[0]!);
    now = 19_999;
    expect(guard()).to.equal(true);
    now = 20_000;
    expect(dotGuard(ledger, held[1]!)()).to.equal(false);
    await renewLeases(deps, ledger);
    expect(dotGuard(ledger, held[1]!)()).to.equal(true);
  });

  it('writes no dot after the machine was suspended, until the database has confirmed the lease', async () => {
    let [now, wall] = [1_000, 500_000];
    const ledger = openLedger(
      () => now,
      () => wall,
    );
    const pass = (ms: number, suspendedMs = 0) => {
      now += ms;
      wall += ms + suspendedMs;
    };
    const ids = await queue(2);
    const { held } = await claim(ledger, ids);
    pass(100);
    expect(dotGuard(ledger, held[0]!)()).to.equal(true);
    pass(100, 60_000);
    expect(dotGuard(ledger, held[0]!)()).to.equal(false);
    await messages().updateOne({ _id: ids[0]!, projectId }, { $set: { owner: 'another' } });
    await renewLeases(deps, ledger);
    expect(dotGuard(ledger, held[0]!)()).to.equal(false);
    expect(dotGuard(ledger, held[1]!)()).to.equal(true);
    // A renewal that was on its way when the machine was suspended says nothing about afterwards.
    const slow = Object.create(messages()) as ReturnType<typeof messages>;
    slow.updateMany = async (...args) => {
      const answer = await messages().updateMany(...args);
      pass(100, 60_000);
      return answer;
    };
    await renewLeases({ ...deps, db: { ...deps.db, messages: slow } }, ledger);
    expect(dotGuard(ledger, held[1]!)()).to.equal(false);
    wall -= 3_600_000;
    await renewLeases(deps, ledger);
    expect(dotGuard(ledger, held[1]!)()).to.equal(true);
  });

  it('does not renew what it has lost, so no dot follows', async () => {
    let now = 0;
    const ledger = openLedger(() => now);
    const ids = await queue(2);
    const { held } = await claim(ledger, ids);
    await messages().updateOne({ _id: ids[0]!, projectId }, { $set: { owner: 'another' } });
    now = 15_000;
    await renewLeases(deps, ledger);
    now = 25_000;
    expect(dotGuard(ledger, held[0]!)()).to.equal(false);
    expect(dotGuard(ledger, held[1]!)()).to.equal(true);
  });

  it('looks again with every renewal: a later suppression stops the dot', async () => {
    const ids = await queue(2);
    const ledger = openLedger();
    const { held } = await claim(ledger, ids);
    let late: Verdict | null = null;
    const check: Check = async ([first]) => new Map(late ? [[first!, late]] : []);
    expect(applyCheck(held, await check(held), check, new OutcomeWriter(deps, ledger, quiet))).to.have.length(2);
    late = { kind: 'suppressed', by: { groupId: 'G', reason: 'MANUAL' } };
    await renewLeases(deps, ledger);
    expect(dotGuard(ledger, held[0]!)()).to.equal(false);
    expect(held[0]!.stopped).to.deep.equal(late);
    expect(dotGuard(ledger, held[1]!)()).to.equal(true);
  });

  describe('settles orphans', () => {
    const orphans = (count: number, lane: Lane, more: Partial<Message> = {}) =>
      queue(count, {
        lane,
        state: 'committing',
        owner: 'gone',
        claim: 7,
        dueAt: ago(1),
        claimedAt: ago(40_000),
        ...more,
      });
    const messageIdOf = async (id: ObjectId) => `<${id}@ours.test>`;
    const settle = (
      ids: ObjectId[],
      ledger = openLedger(),
      publishing: (rows: SettledRow[]) => Promise<void> = publish,
    ) => settleOrphans({ ...deps, evidence }, ledger, { projectId, ids, messageIdOf, publish: publishing });

    it('by policy without evidence: transactional again, everything else unknown', async () => {
      const [one] = await orphans(1, 'transactional');
      const [two] = await orphans(1, 'automation');
      const [three] = await orphans(1, 'campaign');
      expect(await settle([one!, two!, three!])).to.deep.equal({ sent: 0, queued: 1, unknown: 2, later: 0 });
      expect(await read(one!)).to.include({ state: 'queued', owner: 'gone' });
      expect(await read(two!))
        .to.include({ state: 'unknown', owner: 'gone' })
        .and.not.have.property('dueAt');
      expect((await read(three!)).timeline?.at(-1)?.type).to.equal('unknown');
    });

    it('not for ever: a mail whose process ended five times is unknown, and from the second time on it waits', async () => {
      for (const isKnown of [false, true]) {
        const [id] = await orphans(1, 'transactional');
        evidence = { isKnown, accepted: async () => false };
        const waits: number[] = [];
        for (let times = 1; times < 5; times += 1) {
          expect(await settle([id!]), `${times}`).to.include({ queued: 1 });
          const { state, dueAt } = await read(id!);
          expect(state).to.equal('queued');
          waits.push(Math.round((dueAt!.getTime() - Date.now()) / 60_000) + 0);
          await messages().updateOne({ _id: id!, projectId }, { $set: { state: 'committing', dueAt: ago(1) } });
        }
        expect(waits).to.deep.equal([0, 1, 2, 3]);
        expect(await settle([id!])).to.include({ unknown: 1, queued: 0 });
        const { reason, dueAt, timeline } = await read(id!);
        expect(reason).to.equal(
          'The sending process ended 5 times before the relay had answered; the mail is not sent again.',
        );
        expect(dueAt).to.equal(undefined);
        expect(timeline?.map(({ type }) => type)).to.deep.equal([...Array(4).fill('requeued'), 'unknown']);
      }
    });

    it('by evidence: what the relay has is sent, what it has not is queued again', async () => {
      const ids = await orphans(2, 'campaign');
      evidence = { isKnown: true, accepted: async (id) => id === `<${ids[0]}@ours.test>` };
      expect(await settle(ids)).to.deep.equal({ sent: 1, queued: 1, unknown: 0, later: 0 });
      expect(await read(ids[0]!)).to.include({ state: 'sent' });
      expect(await read(ids[1]!))
        .to.include({ state: 'queued' })
        .and.not.have.property('dueAt');
    });

    it('by policy when an earlier attempt brought the mail to one of its recipients: the relay has that one in any case', async () => {
      const one = { name: null, reply: null, reason: null };
      const recipients = [
        { ...one, kind: 'to' as const, email: 'to@example.com', state: 'sent' as const },
        { ...one, kind: 'bcc' as const, email: 'bcc@example.com', state: 'deferred' as const },
      ];
      const [id] = await orphans(1, 'transactional', { recipients });
      evidence = { isKnown: true, accepted: async () => true };
      expect(await settle([id!])).to.include({ queued: 1, sent: 0 });
      expect((await read(id!)).recipients?.map(({ state }) => state)).to.deep.equal(['sent', 'deferred']);
    });

    const recipientOf = (kind: 'to' | 'cc', state: 'queued' | 'deferred' | 'unknown') => ({
      ...{ kind, email: `${kind}@example.com`, name: null, state, reply: null, reason: null },
    });
    const recipientStates = async (id: ObjectId) => (await read(id)).recipients?.map(({ state }) => state);

    it('by evidence for all of to and cc when nothing says that the relay had refused one of them', async () => {
      const recipients = [recipientOf('to', 'queued'), recipientOf('cc', 'queued')];
      const [id] = await orphans(1, 'transactional', { recipients });
      evidence = { isKnown: true, accepted: async () => true };
      expect(await settle([id!])).to.include({ queued: 0, sent: 1 });
      expect(await recipientStates(id!)).to.deep.equal(['sent', 'sent']);
    });

    it('by evidence for those alone whose answer was lost: a cc that the relay deferred before is tried again', async () => {
      const lost = {
        state: 'unknown' as const,
        recipients: [recipientOf('to', 'unknown'), recipientOf('cc', 'deferred')],
      };
      const ids = await orphans(2, 'transactional', lost);
      evidence = { isKnown: true, accepted: async (id) => id === `<${ids[0]}@ours.test>` };
      expect(await settle(ids)).to.include({ queued: 2, sent: 0 });
      expect(await recipientStates(ids[0]!)).to.deep.equal(['sent', 'deferred']);
      expect(await recipientStates(ids[1]!)).to.deep.equal(['unknown', 'deferred']);
      const { dueAt, sentAt, timeline } = await read(ids[0]!);
      expect(dueAt!.getTime()).to.be.at.most(Date.now());
      expect(sentAt).to.equal(undefined);
      expect(timeline?.map(({ type, reason }) => [type, reason])).to.deep.equal([
        ['requeued', 'The relay has it for some of the recipients, as the evidence says; the others are tried again.'],
      ]);
    });

    it('by evidence for all of them when none has an answer', async () => {
      const recipients = [recipientOf('to', 'unknown'), recipientOf('cc', 'unknown')];
      const [id] = await orphans(1, 'transactional', { state: 'unknown', recipients });
      evidence = { isKnown: true, accepted: async () => true };
      expect(await settle([id!])).to.include({ sent: 1 });
      expect(await recipientStates(id!)).to.deep.equal(['sent', 'sent']);
    });

    it('with events that are published before the outcome is stored, of the recipients that the relay took alone', async () => {
      const recipients = [recipientOf('to', 'unknown'), recipientOf('cc', 'deferred')];
      const [single] = await orphans(1, 'transactional', { subject: 'Hello' });
      const [partly] = await orphans(1, 'transactional', { state: 'unknown', recipients });
      const [again] = await orphans(1, 'transactional');
      evidence = { isKnown: true, accepted: async (id) => id !== `<${again}@ours.test>` };
      const failing = settle([single!], openLedger(), async () => {
        throw new Error('the database is away');
      });
      expect(await failing.catch((error) => error.message)).to.equal('the database is away');
      expect((await read(single!)).state).to.equal('committing');
      const published: SettledRow[] = [];
      await settle([single!, partly!, again!], openLedger(), async (rows) => void published.push(...rows));
      const said = published.map(({ _id, state, subject, recipients: taken }) => [
        ...[`${_id}`, state, subject],
        taken?.map(({ email, state: own }) => `${email} ${own}`),
      ]);
      expect(said).to.have.deep.members([
        [`${single}`, 'sent', 'Hello', undefined],
        [`${partly}`, 'sent', undefined, ['to@example.com sent']],
      ]);
    });

    it('by evidence only after the time that a relay is given to finish, where that is longer than a lease', async () => {
      const [id] = await orphans(1, 'campaign');
      let asked = 0;
      evidence = { isKnown: true, accepted: async () => ++asked > 0 };
      const patient = { ...deps, evidence, config: { ...deps.config, smtpEvidenceDelaySeconds: 120 } };
      const settleIt = () => {
        return settleOrphans(patient, openLedger(), { projectId, ids: [id!], messageIdOf, publish });
      };
      expect(await settleIt()).to.deep.equal({ sent: 0, queued: 0, unknown: 0, later: 1 });
      expect(asked).to.equal(0);
      const { state, dueAt } = await read(id!);
      expect(state).to.equal('unknown');
      expect(dueAt!.getTime()).to.be.closeTo(Date.now() + 90_000, 5_000);
      await messages().updateOne({ _id: id!, projectId }, { $set: { dueAt: ago(1) } });
      expect(await settleIt()).to.include({ sent: 1 });
    });

    it('of a restored backup: whatever was open may have left since, whatever was over stays so', async () => {
      const [open] = await queue(1, { lane: 'transactional' });
      const [deferred] = await queue(1, { state: 'deferred', dueAt: new Date(Date.now() + 3_600_000) });
      const [over] = await queue(1, { state: 'sent' });
      await orphanOpenMessages(deps, { _id: projectId });
      evidence = { isKnown: true, accepted: async (id) => id === `<${open}@ours.test>` };
      expect(await settle([open!, deferred!, over!])).to.deep.equal({ sent: 1, queued: 1, unknown: 0, later: 0 });
      expect((await read(over!)).owner).to.equal(undefined);
    });

    it('later when the evidence cannot be asked', async () => {
      const [id] = await orphans(1, 'transactional');
      evidence = { isKnown: true, accepted: () => Promise.reject(new Error('503')) };
      expect(await settle([id!])).to.deep.include({ later: 1 });
      const { state, dueAt } = await read(id!);
      expect(state).to.equal('committing');
      expect(dueAt!.getTime()).to.be.greaterThan(Date.now() + 20_000);
    });

    it('never what is leased, and never what this process still holds itself', async () => {
      const [leased] = await orphans(1, 'transactional', { dueAt: new Date(Date.now() + 20_000) });
      const ledger = openLedger();
      const [own] = await queue(1, { lane: 'transactional' });
      await claim(ledger, [own!]);
      await messages().updateOne({ _id: own!, projectId }, { $set: { dueAt: ago(1) } });
      expect(await settle([leased!, own!], ledger)).to.deep.equal({ sent: 0, queued: 0, unknown: 0, later: 0 });
    });
  });
});
