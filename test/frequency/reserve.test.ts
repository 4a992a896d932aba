import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { FrequencyCap } from '../../core/base/model.ts';
import { livePlaces, nextFree, placesId, windowStart } from '../../core/mail/frequency/cap.ts';
import { erasePlaces, removeOldPlaces } from '../../core/mail/frequency/remove.ts';
import { reservePlaces } from '../../core/mail/frequency/reserve.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import type { MessageState } from '../../core/mail/ledger/states.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

const DAY_MS = 24 * 3_600_000;
const cap = (mails: number, withinDays = 7): FrequencyCap => ({ mails, withinDays, exceptGroupIds: [] });

describe('The places of a frequency cap', () => {
  let environment: Environment;
  let projectId: ObjectId;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment.stop());
  beforeEach(() => {
    projectId = new ObjectId();
  });

  const mailTo = (email: string) => ({ mailId: new ObjectId(), email });
  const reserve = (limit: FrequencyCap, mails: Array<ReturnType<typeof mailTo>>, of = projectId) =>
    reservePlaces(environment.deps, of, limit, mails);
  const placesOf = async (email: string) =>
    (await environment.deps.db.frequencyPlaces.findOne({ _id: placesId(projectId, email), projectId }))?.places ?? [];
  const age = async (email: string, days: number) => {
    const at = new Date(environment.deps.clock.now().getTime() - days * DAY_MS);
    const _id = placesId(projectId, email);
    await environment.deps.db.frequencyPlaces.updateOne({ _id, projectId }, { $set: { 'places.$[].at': at } });
  };
  const store = (mailId: ObjectId, state: MessageState) =>
    environment.deps.db.messages.insertOne({
      ...{ _id: mailId, projectId, lane: 'automation', state, email: 'ada@example.org' },
    } as Message);

  it('are as many as the cap allows, for each address of each project, and the last one says when the next is free', async () => {
    const first = mailTo('ada@example.org');
    expect(await reserve(cap(2), [first, mailTo('bob@example.org')])).to.have.length(0);
    expect(await reserve(cap(2), [mailTo('ada@example.org')])).to.have.length(0);
    const third = mailTo('ada@example.org');
    const refused = await reserve(cap(2), [third, mailTo('bob@example.org')]);
    expect([...refused.keys()]).to.deep.equal([third.mailId.toHexString()]);
    const oldest = (await placesOf('ada@example.org')).find(({ mailId }) => mailId.equals(first.mailId));
    expect(refused.get(third.mailId.toHexString())?.getTime()).to.equal(oldest!.at.getTime() + 7 * DAY_MS);
    expect(await reserve(cap(2), [mailTo('ada@example.org')], new ObjectId())).to.have.length(0);
  });

  it('of several mails to one address in one call are taken one after the other', async () => {
    const mails = Array.from({ length: 5 }, () => mailTo('ada@example.org'));
    const refused = await reserve(cap(3), mails);
    expect([...refused.keys()]).to.deep.equal(mails.slice(3).map(({ mailId }) => mailId.toHexString()));
    expect(await placesOf('ada@example.org')).to.have.length(3);
  });

  it('are kept by a mail that asks again, which takes no second one', async () => {
    const mail = mailTo('ada@example.org');
    for (let times = 0; times < 3; times += 1) expect(await reserve(cap(1), [mail])).to.have.length(0);
    expect((await placesOf('ada@example.org')).map(({ mailId }) => mailId)).to.deep.equal([mail.mailId]);
    expect(await reserve(cap(1), [mailTo('ada@example.org')])).to.have.length(1);
  });

  it('leave the window by time, and only then', async () => {
    await reserve(cap(1), [mailTo('ada@example.org')]);
    await age('ada@example.org', 6.99);
    expect(await reserve(cap(1), [mailTo('ada@example.org')])).to.have.length(1);
    await age('ada@example.org', 7);
    expect(await reserve(cap(1), [mailTo('ada@example.org')])).to.have.length(0);
    expect(await placesOf('ada@example.org'), 'the old one is removed').to.have.length(1);
  });

  it('of mails that were not sent are free; of all others, and of those without a row, they are not', async () => {
    for (const [state, isFree] of [
      ['suppressed', true],
      ['failed', true],
      ['cancelled', true],
      ['queued', true],
      ['committing', false],
      ['deferred', false],
      ['sent', false],
      ['bounced', false],
      ['unknown', false],
      [null, false],
    ] as const) {
      const mail = mailTo(`${state}@example.org`);
      await reserve(cap(1), [mail]);
      if (state) await store(mail.mailId, state);
      const next = mailTo(`${state}@example.org`);
      expect((await reserve(cap(1), [next])).size, `after ${state}`).to.equal(isFree ? 0 : 1);
      const [place, ...more] = await placesOf(`${state}@example.org`);
      expect([place!.mailId, more]).to.deep.equal([isFree ? next.mailId : mail.mailId, []]);
    }
  });

  it('of a lower cap are not taken before enough have left', async () => {
    const mails = Array.from({ length: 4 }, () => mailTo('ada@example.org'));
    await reserve(cap(4), mails);
    await store(mails[0]!.mailId, 'failed');
    const refused = await reserve(cap(2), [mailTo('ada@example.org')]);
    expect(refused.size).to.equal(1);
    expect(await placesOf('ada@example.org')).to.have.length(3);
    expect(await reserve(cap(2), [mails[3]!]), 'a mail with a place keeps it').to.have.length(0);
  });

  it('are never more than the cap, nor fewer, when many ask at the same time', async () => {
    const emails = Array.from({ length: 40 }, (_, index) => `p${index}@example.org`);
    const senders = Array.from({ length: 6 }, () => emails.map(mailTo));
    const refused = await Promise.all(senders.map((mails) => reserve(cap(2), mails)));
    for (const email of emails) expect(await placesOf(email)).to.have.length(2);
    expect(refused.reduce((sum, { size }) => sum + size, 0)).to.equal(40 * 4);
    const got = senders.flat().filter(({ mailId }) => !refused.some((some) => some.has(mailId.toHexString())));
    for (const { mailId, email } of got)
      expect((await placesOf(email)).some((place) => place.mailId.equals(mailId))).to.equal(true);
  });

  it('that were free are taken by one, when many ask at the same time', async () => {
    const emails = Array.from({ length: 30 }, (_, index) => `f${index}@example.org`);
    const failed = emails.map(mailTo);
    await reserve(cap(1), failed);
    for (const { mailId } of failed) await store(mailId, 'failed');
    const refused = await Promise.all(Array.from({ length: 5 }, () => reserve(cap(1), emails.map(mailTo))));
    expect(refused.reduce((sum, { size }) => sum + size, 0)).to.equal(30 * 4);
    for (const email of emails) expect(await placesOf(email)).to.have.length(1);
  });

  it('of a mail that is claimed again are not taken by one that saw it in the queue before', async () => {
    const { db } = environment.deps;
    const mail = mailTo('ada@example.org');
    await reserve(cap(1), [mail]);
    await store(mail.mailId, 'queued');
    // Between reading the row and removing the place the mail is claimed, and keeps its place.
    const find = db.messages.find.bind(db.messages);
    db.messages.find = ((...given: Parameters<typeof find>) => {
      const cursor = find(...given);
      const toArray = cursor.toArray.bind(cursor);
      cursor.toArray = async () => {
        const found = await toArray();
        await db.messages.updateOne({ _id: mail.mailId, projectId }, { $set: { state: 'committing' } });
        await reserve(cap(1), [mail]);
        return found;
      };
      return cursor;
    }) as typeof find;
    const refused = await reserve(cap(1), [mailTo('ada@example.org')]).finally(() => {
      db.messages.find = find;
    });
    expect(refused.size).to.equal(1);
    expect((await placesOf('ada@example.org')).map(({ mailId }) => mailId)).to.deep.equal([mail.mailId]);
  });

  it('leave with the contact, but for those of mails since; and when no cap looks back so far', async () => {
    const { deps } = environment;
    for (const name of ['gone', 'kept', 'old']) await reserve(cap(1), [mailTo(`${name}@example.org`)]);
    const now = deps.clock.now();
    const erase = (name: string, deletedAt: Date) =>
      erasePlaces(deps, { projectId, email: `${name}@example.org`, deletedAt });
    await erase('gone', now);
    await erase('kept', new Date(now.getTime() - DAY_MS));
    await age('old@example.org', 90.1);
    await removeOldPlaces(deps, () => true);
    for (const [name, count] of [
      ['gone', 0],
      ['kept', 1],
      ['old', 0],
    ] as const)
      expect(await placesOf(`${name}@example.org`), name).to.have.length(count);
  });

  it('are free again at a time from which there is room, and not before', () => {
    const times = fc.array(fc.integer({ min: 0, max: 30 * DAY_MS }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 30 }), (ages, mails, withinDays) => {
        const limit = cap(mails, withinDays);
        const now = new Date('2026-11-27T12:00:00Z');
        const all = ages.map((ms) => ({
          ...{ _id: new ObjectId(), mailId: new ObjectId(), at: new Date(now.getTime() - ms) },
        }));
        const places = livePlaces(all, windowStart(limit, now));
        fc.pre(places.length >= mails);
        const free = nextFree(places, limit);
        const liveAt = (ms: number) => livePlaces(places, windowStart(limit, new Date(ms))).length;
        expect(liveAt(free.getTime())).to.be.lessThan(mails);
        expect(liveAt(free.getTime() - 1)).to.be.at.least(mails);
      }),
    );
  });
});
