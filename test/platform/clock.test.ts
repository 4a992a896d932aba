import { expect } from 'chai';
import { createClock } from '../../platform/clock.ts';

describe('The clock of a process', () => {
  const HOUR_MS = 3_600_000;
  const there = new Date('2026-01-01T00:00:00Z');

  async function clockOf(options: { aheadMs: number; ask?: () => Promise<Date>; tripMs?: number }) {
    let passedMs = 0;
    const { aheadMs, tripMs = 4 } = options;
    const ask =
      options.ask ??
      (async () => {
        passedMs += tripMs;
        return new Date(there.getTime() + passedMs - tripMs / 2);
      });
    const clock = createClock(ask, { wall: () => there.getTime() + aheadMs + passedMs, monotonic: () => passedMs });
    await clock.ready;
    clock.stop();
    return {
      wrongMs: () => clock.now().getTime() - there.getTime() - passedMs,
      pass: (ms: number) => {
        passedMs += ms;
      },
    };
  }

  it("is the database's, however wrong the machine's is", async () => {
    for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
      const clock = await clockOf({ aheadMs });
      expect(clock.wrongMs()).to.equal(0);
      clock.pass(60_000);
      expect(clock.wrongMs()).to.equal(0);
    }
  });

  it('does not follow a difference that the way to the database explains', async () => {
    expect((await clockOf({ aheadMs: 20, tripMs: 50 })).wrongMs()).to.equal(20);
    expect((await clockOf({ aheadMs: 40, tripMs: 50 })).wrongMs()).to.equal(0);
  });

  it("is the machine's own while the database cannot be asked", async () => {
    const ask = () => Promise.reject(new Error('away'));
    expect((await clockOf({ aheadMs: HOUR_MS, ask })).wrongMs()).to.equal(HOUR_MS);
  });
});
