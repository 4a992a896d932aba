import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { isTimezone } from '../../../core/base/time/zones.ts';
import { attemptedOf, deliveredOf, ratesOf } from '../../../core/campaigns/numbers/rates.ts';
import {
  calendarDay,
  type GradualPlan,
  type GradualState,
  quotaOfDay,
  releaseByNow,
  TICK_MS,
} from '../../../core/campaigns/run/gradual.ts';
import { PAGE_SHORT, pageSizeOf } from '../../../core/campaigns/run/sending-plan.ts';
import { breachOf } from '../../../core/campaigns/run/threshold-rules.ts';
import { timesOf } from '../../../core/campaigns/send/range.ts';
import { RANGES_MAX, RangeSending, type SendingPolicy } from '../../../core/mail/deliver/range-sending.ts';
import type { Sending } from '../../../core/mail/deliver/sending.ts';
import { BLOCK_MAX } from '../../../core/mail/ledger/blocks/model.ts';

const beginning: GradualState = { day: 0, calendarDay: null, releasedToday: 0, dayStartedAt: null };

/** Ticks as the workflow does, and says how many went on each calendar day. */
function run(
  plan: GradualPlan,
  from: Date,
  until: Date,
  isPaused: (at: Date) => boolean = () => false,
): Map<string, number> {
  const perDay = new Map<string, number>();
  let state = beginning;
  for (let at = from.getTime(); at < until.getTime(); at += TICK_MS) {
    if (isPaused(new Date(at))) continue;
    const release = releaseByNow(plan, state, new Date(at));
    state = release.state;
    const { name } = calendarDay(new Date(at), plan.timezone);
    perDay.set(name, (perDay.get(name) ?? 0) + release.count);
  }
  return perDay;
}

describe('A gradual campaign', () => {
  const plan: GradualPlan = { emailsPerDay: 1_000, growth: '1.5x', timezone: 'Europe/Berlin' };

  it('day n sends floor(emailsPerDay x growth^(n-1)), across a change of the clocks', () => {
    const perDay = run(plan, new Date('2026-03-26T09:00:00Z'), new Date('2026-04-01T21:59:00Z'));
    expect([...perDay.values()]).to.deep.equal([1_000, 1_500, 2_250, 3_375, 5_062, 7_593, 11_390]);
    expect([...perDay.keys()][3]).to.equal('2026-03-29');
  });

  it('a day is a calendar day in its time zone: 23 or 25 hours where clocks change', () => {
    const hours = (date: string) => {
      const { start, end } = calendarDay(new Date(`${date}T12:00:00Z`), 'Europe/Berlin');
      return (end.getTime() - start.getTime()) / 3_600_000;
    };
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-07-01')]).to.deep.equal([23, 25, 24]);
    // Clocks in Beirut jump over midnight itself.
    expect(calendarDay(new Date('2026-03-29T12:00:00Z'), 'Asia/Beirut').start.toISOString()).to.equal(
      '2026-03-28T22:00:00.000Z',
    );
  });

  it('the first day is full however late it starts', () => {
    const perDay = run(plan, new Date('2026-06-10T21:50:00Z'), new Date('2026-06-10T22:00:00Z'));
    expect([...perDay.values()]).to.deep.equal([1_000]);
  });

  it('days on which it was paused all day do not count, and nothing is caught up', () => {
    const isPaused = (at: Date) => at >= new Date('2026-06-11T22:00:00Z') && at < new Date('2026-06-13T22:00:00Z');
    const perDay = run(plan, new Date('2026-06-10T06:00:00Z'), new Date('2026-06-15T21:59:00Z'), isPaused);
    expect([...perDay]).to.deep.equal([
      ['2026-06-10', 1_000],
      ['2026-06-11', 1_500],
      ['2026-06-14', 2_250],
      ['2026-06-15', 3_375],
    ]);
  });

  it('spreads its number over the day in slices', () => {
    const midnight = new Date('2026-06-10T22:00:00Z');
    const state: GradualState = {
      day: 1,
      calendarDay: '2026-06-10',
      releasedToday: 1_000,
      dayStartedAt: new Date('2026-06-10T06:00:00Z'),
    };
    const first = releaseByNow(plan, state, midnight);
    expect(first.count).to.equal(Math.ceil(1_500 / 288));
    expect(first.nextBatchAt.getTime()).to.equal(midnight.getTime() + TICK_MS);
    const noon = releaseByNow(plan, first.state, new Date(midnight.getTime() + 12 * 3_600_000));
    expect(noon.state.releasedToday).to.equal(Math.ceil((1_500 * 145) / 288));
    expect(releaseByNow(plan, noon.state, new Date(midnight.getTime() + 12 * 3_600_000)).count).to.equal(0);
  });

  it('knows a time zone from a word', () => {
    expect(['Europe/Berlin', 'UTC', 'America/New_York'].every(isTimezone)).to.equal(true);
    expect(['Nowhere/Land', '', '+25:00', 'x y'].some(isTimezone)).to.equal(false);
  });

  it('a day that would grow beyond all numbers is still a number', () => {
    expect(quotaOfDay({ emailsPerDay: 1_000_000, growth: '2x' }, 3_000)).to.equal(Number.MAX_SAFE_INTEGER);
  });
});

describe('The rates of a campaign', () => {
  const counts = {
    totalContacts: 1_000,
    suppressed: 30,
    failed: 20,
    sent: 900,
    unknown: 10,
    pending: 40,
    bounced: 45,
    opened: 300,
    humanOpened: 123,
    clicked: 77,
    unsubscribed: 5,
    spamReported: 1,
  };

  it('are percentages with two decimals by the formulas of the interface', () => {
    expect(deliveredOf(counts)).to.equal(855);
    expect(attemptedOf(counts, false)).to.equal(950);
    expect(ratesOf(counts, 950)).to.deep.equal({
      openRate: 35.09,
      clickRate: 9.01,
      bounceRate: 5,
      unsubscribedRate: 0.58,
      complaintRate: 0.12,
      successRate: 94.74,
      deliveryRate: 95,
      trueOpenRate: 14.39,
    });
  });

  it('are 0 when their base is 0', () => {
    const none = Object.fromEntries(Object.keys(counts).map((name) => [name, 0])) as unknown as typeof counts;
    expect(Object.values(ratesOf(none, 0)).every((rate) => rate === 0)).to.equal(true);
  });

  it('attempted counts only what was processed while a gradual campaign is under way', () => {
    expect(attemptedOf(counts, true)).to.equal(910);
  });
});

describe('The threshold presets', () => {
  it('pause above their limits, as soon as 100 were sent, and say the figures', () => {
    expect(breachOf('balanced', { sent: 99, bounced: 99, spamReported: 0 })).to.equal(null);
    expect(breachOf('balanced', { sent: 100, bounced: 5, spamReported: 0 })).to.equal(null);
    expect(breachOf('balanced', { sent: 100, bounced: 6, spamReported: 0 })).to.equal(
      '6 of 100 sent were bounced (6 %), above the 5 % of the balanced preset',
    );
    expect(breachOf('aggressive', { sent: 1_000, bounced: 80, spamReported: 3 })).to.equal(null);
    expect(breachOf('aggressive', { sent: 1_000, bounced: 0, spamReported: 4 })).to.contain('reported as spam');
    expect(breachOf('conservative', { sent: 10_000, bounced: 201, spamReported: 0 })).to.contain('2.01 %');
  });
});

describe('The ranges of a campaign', () => {
  const rangesOf = (people: number, atOnce: number) => Math.ceil(people / pageSizeOf(people, atOnce));

  it('are enough for all processes while it is small, and few events of its run when it is large', () => {
    const counts = [600, 10_000, 100_000, 1_000_000].map((people) => rangesOf(people, 2));
    expect(counts).to.deep.equal([2, 6, 10, 25]);
    expect([100_000, 1_000_000].map((people) => rangesOf(people, 9))).to.deep.equal([27, 98]);
  });

  it('are of whole blocks', () => {
    for (const people of [1, 513, 9_999, 123_457, 4_000_000]) expect(pageSizeOf(people, 3) % BLOCK_MAX).to.equal(0);
  });
});

describe('A range that is sent', () => {
  const [passed, left] = [0, 60_000];

  function begin({ turnMs, timeMs }: { turnMs: number; timeMs: number }) {
    const ranges = new Set<object>();
    const sending = { ranges, ledger: { stopping: false } } as unknown as Sending;
    const { signal } = new AbortController();
    const run = new RangeSending(sending, {} as SendingPolicy, { signal, onProgress() {}, turnMs, timeMs });
    const fill = () => {
      while (ranges.size < RANGES_MAX) ranges.add({});
    };
    return { run, ranges, fill };
  }

  it('ends after its turn only where its process has no other place, and stays over', () => {
    const { run, ranges, fill } = begin({ turnMs: passed, timeMs: left });
    expect(run.isOver()).to.equal(false);
    fill();
    expect(run.isOver()).to.equal(true);
    ranges.clear();
    expect(run.isOver()).to.equal(true);
    const second = begin({ turnMs: left, timeMs: left });
    second.fill();
    expect(second.run.isOver()).to.equal(false);
  });

  it('takes longer than its turn only in a large campaign', () => {
    const of = (toSeq: number, isDeferred = false) => {
      const { turnMs, timeMs } = timesOf({ ...ids, fromSeq: 1, toSeq, isDeferred, pagesAtOnce: 2 });
      return timeMs > turnMs;
    };
    const ids = { projectId: '', campaignId: '' };
    expect([of(PAGE_SHORT), of(PAGE_SHORT + 1), of(PAGE_SHORT + 1, true)]).to.deep.equal([false, true, false]);
  });

  it('ends after its time in any case', () => {
    expect(begin({ turnMs: passed, timeMs: passed }).run.isOver()).to.equal(true);
  });

  it('waits for a relay that takes nothing for less than a turn, and is given back if that takes longer', async () => {
    const { run: short } = begin({ turnMs: left, timeMs: left });
    short.leaveRelayAlone(1_000);
    expect([short.goOn, short.mayClaim(), short.waitMs]).to.deep.equal([true, false, 0]);
    const { run: long } = begin({ turnMs: 500, timeMs: left });
    long.leaveRelayAlone(1_000);
    expect(long.goOn).to.equal(false);
    expect(long.waitMs).to.be.within(900, 1_000);
    const { run: late, fill } = begin({ turnMs: 50, timeMs: left });
    await pause(60);
    late.leaveRelayAlone(20);
    expect(late.goOn).to.equal(true);
    fill();
    late.leaveRelayAlone(20);
    expect(late.goOn).to.equal(false);
  });
});
