import { expect } from 'chai';
import { TokenBucket } from '../../core/base/limits/token-bucket.ts';
import { PACE } from '../../core/campaigns/send/policy.ts';

describe('The pace of a campaign', () => {
  const paceOf = (rate: number, clock: { ms: number }) => new TokenBucket(rate, { ...PACE, now: () => clock.ms });

  /** Takes what it may every ten milliseconds for so long, and says how many those were. */
  function run(pace: TokenBucket, clock: { ms: number }, ms: number): number {
    let taken = 0;
    for (const end = clock.ms + ms; clock.ms < end; clock.ms += 10) taken += pace.take(64);
    return taken;
  }

  it('holds a rate over any time, from one a second to thousands', () => {
    for (const rate of [1, 20, 1_000, 5_000]) {
      const clock = { ms: 0 };
      const taken = run(paceOf(rate, clock), clock, 10_000);
      expect(taken, `${rate} a second`).to.be.within(rate * 10 * 0.95, rate * 10 + 1 + rate / 10);
    }
  });

  it('a rate that is set on the way holds from then on: nothing is saved up, and nothing owed', () => {
    const clock = { ms: 0 };
    const pace = paceOf(1_000, clock);
    expect(run(pace, clock, 5_000)).to.be.within(4_750, 5_101);
    pace.set(10);
    expect(run(pace, clock, 10_000)).to.be.within(95, 202);
    pace.set(1_000);
    expect(run(pace, clock, 1_000)).to.be.within(950, 1_101);
    pace.set(null);
    expect(pace.take(64)).to.equal(64);
    expect(pace.waitMs()).to.equal(0);
  });

  it('what was not used is not saved up; pages that are sent together share it', () => {
    const clock = { ms: 0 };
    const pace = paceOf(25, clock);
    clock.ms = 60_000;
    expect(pace.take(64)).to.be.at.most(3);
    expect(run(pace, clock, 10_000)).to.be.within(240, 254);
    expect(pace.take(64)).to.equal(0);
    expect(pace.waitMs()).to.be.within(1, 40);
  });
});
