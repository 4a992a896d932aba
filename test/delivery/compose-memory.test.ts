import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { openComposingMemory, type Reservation } from '../../core/mail/deliver/stored/compose-memory.ts';

const MB = 1_000_000;
const BUDGET = 128 * MB;

describe('The memory for composing', () => {
  it('is given to large mails up to the budget less 16 MB, one after the other in their order', async () => {
    const memory = openComposingMemory(BUDGET);
    const first = memory.take(20 * MB);
    expect(first).to.not.equal(null);
    expect(memory.take(20 * MB)).to.equal(null);
    const order: string[] = [];
    const waits = ['second', 'third'].map(async (name) => {
      const reservation = await memory.wait(20 * MB);
      order.push(name);
      return reservation;
    });
    first?.release();
    (await waits[0])?.release();
    await waits[1];
    expect(order).to.deep.equal(['second', 'third']);
  });

  it('lets a mail that is larger than the budget go alone, and small ones with it', async () => {
    const memory = openComposingMemory(BUDGET);
    const large = memory.take(MB);
    const giant = memory.wait(60 * MB);
    const later = memory.wait(MB);
    expect(memory.take(MB), 'a giant that waits is next').to.equal(null);
    large?.release();
    const alone = (await giant) as Reservation;
    expect(memory.heldBytes()).to.equal(240 * MB);
    expect(memory.take(100_000)).to.not.equal(null);
    alone.release();
    expect(await later).to.not.equal(null);
  });

  it('is left to small mails beyond the 16 MB only while no large one waits', async () => {
    const memory = openComposingMemory(BUDGET);
    const small = Array.from({ length: 32 }, () => memory.take(MB - 1));
    expect(small.filter((one) => one !== null)).to.have.length(32);
    const large = memory.wait(20 * MB);
    small.splice(0, 20).forEach((one) => void one?.release());
    expect(memory.take(MB - 1)).to.equal(null);
    small.splice(0).forEach((one) => void one?.release());
    expect(await large).to.not.equal(null);
    expect(memory.take(MB - 1)).to.not.equal(null);
  });

  it('sends large mails back when four wait already, and all that wait when the process stops', async () => {
    const memory = openComposingMemory(BUDGET);
    memory.take(40 * MB);
    const waits = Array.from({ length: 5 }, () => memory.wait(20 * MB));
    expect(await waits[4]).to.equal(null);
    memory.close();
    expect(await Promise.all(waits)).to.deep.equal([null, null, null, null, null]);
    expect(memory.take(10)).to.equal(null);
    expect(await memory.wait(10)).to.equal(null);
  });

  it('lets no single mail wait behind the mails of a campaign, and the campaign send on while large mails wait', async () => {
    const memory = openComposingMemory(BUDGET);
    const sent: Reservation[] = [];
    const waits = Array.from({ length: 64 }, () =>
      memory.waitInCampaign(MB - 1).then((reservation) => void (reservation && sent.push(reservation))),
    );
    await setImmediate();
    expect(sent.length, 'those that fit beside the reserve of small mails').to.equal(28);
    expect(memory.take(MB - 1), 'a small one').to.not.equal(null);
    const order: string[] = [];
    const giant = memory.wait(60 * MB).then((reservation) => {
      order.push('giant');
      reservation?.release();
    });
    for (let next = sent.shift(); next; next = sent.shift()) {
      order.push('campaign');
      next.release();
      await setImmediate();
    }
    expect(order.indexOf('giant'), 'its turn comes although mails of the campaign wait').to.equal(28);
    expect(order).to.have.length(65);
    await giant;
    await Promise.all(waits);
    expect(await memory.waitInCampaign(1)).to.not.equal(null);
    memory.close();
    expect(await memory.waitInCampaign(1)).to.equal(null);
  });

  it('is never exceeded but by a mail that goes alone, and is all given back, whatever comes in which order', async () => {
    const mail = fc.oneof(fc.integer({ min: 1, max: MB - 1 }), fc.integer({ min: MB, max: 60 * MB }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(mail, fc.nat(20), fc.boolean()), { maxLength: 60 }), async (mails) => {
        const memory = openComposingMemory(BUDGET);
        const most = Math.max(BUDGET, ...mails.map(([bytes]) => bytes * 4 + 16 * MB));
        let waiting = 0;
        const ended = mails.map(async ([bytes, end, isOfCampaign]) => {
          const taken = isOfCampaign ? null : memory.take(bytes);
          waiting += 1;
          const reservation = taken ?? (await (isOfCampaign ? memory.waitInCampaign(bytes) : memory.wait(bytes)));
          waiting -= 1;
          expect(memory.heldBytes()).to.be.at.most(most);
          for (let turn = 0; turn < end; turn += 1) await null;
          reservation?.release();
          reservation?.release();
        });
        await Promise.all(ended);
        expect([memory.heldBytes(), waiting]).to.deep.equal([0, 0]);
      }),
    );
  });
});
