import { expect } from 'chai';
import { stretchesOf } from '../../core/base/time/zones.ts';
import { pointsOf } from '../../core/figures/reports/rules/zones.ts';
import { HOLD_MS_MAX, leastOf } from '../linear/cpu.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const DAY_MS = 24 * HOUR_MS;

describe('Hours and days of a zone', () => {
  const points = (zone: string, interval: 'hour' | 'day', from: string, to: string) =>
    pointsOf(zone, interval, { from: new Date(from), to: new Date(to) });
  const starts = (...given: Parameters<typeof points>) => points(...given).map(({ from }) => from.toISOString());
  const lengths = (...given: Parameters<typeof points>) =>
    points(...given).map(({ from, to }) => (to.getTime() - from.getTime()) / HOUR_MS);

  it('a skipped hour is no point, and a repeated one is two', () => {
    const spring = points('Europe/Berlin', 'hour', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z');
    expect(spring).to.have.length(23);
    const autumn = points('Europe/Berlin', 'hour', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z');
    expect(autumn).to.have.length(25);
    for (const { from, to } of [...spring, ...autumn]) expect(to.getTime() - from.getTime()).to.equal(HOUR_MS);
  });

  it('days have 23, 24 and 25 hours', () => {
    expect(lengths('Europe/Berlin', 'day', '2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z')).to.deep.equal([24, 23, 24]);
    expect(lengths('Europe/Berlin', 'day', '2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z')).to.deep.equal([24, 25, 24]);
  });

  it('a day begins when its date does, where clocks are moved at midnight too', () => {
    // Havana: 0:00 becomes 1:00, and in autumn 1:00 becomes 0:00 of the same day. Beirut: 0:00 becomes 1:00.
    expect(lengths('America/Havana', 'day', '2026-03-07T05:00:00Z', '2026-03-10T04:00:00Z')).to.deep.equal([
      24, 23, 24,
    ]);
    expect(lengths('America/Havana', 'day', '2026-10-31T04:00:00Z', '2026-11-03T05:00:00Z')).to.deep.equal([
      24, 25, 24,
    ]);
    expect(lengths('Asia/Beirut', 'day', '2026-03-27T22:00:00Z', '2026-03-30T21:00:00Z')).to.deep.equal([24, 23, 24]);
    expect(lengths('America/Santiago', 'day', '2026-04-03T03:00:00Z', '2026-04-06T04:00:00Z')).to.deep.equal([
      24, 25, 24,
    ]);
  });

  it('zones with halves and quarters of an hour have their own hours', () => {
    expect(starts('Asia/Kathmandu', 'hour', '2026-05-01T00:00:00Z', '2026-05-01T02:00:00Z')).to.deep.equal([
      '2026-04-30T23:15:00.000Z',
      '2026-05-01T00:15:00.000Z',
      '2026-05-01T01:15:00.000Z',
    ]);
    expect(starts('Asia/Kolkata', 'day', '2026-05-01T18:30:00Z', '2026-05-02T18:30:00Z')).to.deep.equal([
      '2026-05-01T18:30:00.000Z',
    ]);
    // Lord Howe moves its clocks by half an hour.
    expect(lengths('Australia/Lord_Howe', 'hour', '2026-04-04T13:00:00Z', '2026-04-04T17:00:00Z')).to.include(1.5);
    expect(lengths('Australia/Lord_Howe', 'hour', '2026-10-03T13:30:00Z', '2026-10-03T18:00:00Z')).to.deep.equal([
      1, 1, 0.5, 1, 1,
    ]);
  });

  it('the range begins with the hour or day that has its beginning, and ends with the one that has its end', () => {
    expect(starts('UTC', 'day', '2026-05-01T12:00:00Z', '2026-05-03T00:00:00Z')).to.deep.equal([
      '2026-05-01T00:00:00.000Z',
      '2026-05-02T00:00:00.000Z',
    ]);
    expect(starts('UTC', 'hour', '2026-05-01T12:10:00Z', '2026-05-01T12:20:00Z')).to.deep.equal([
      '2026-05-01T12:00:00.000Z',
    ]);
  });

  it('every zone of today adds up from quarters of an hour: two years have no gap, and each quarter one day', function () {
    this.timeout(120_000);
    const [from, to] = [new Date('2025-06-01T00:00:00Z'), new Date('2027-06-01T00:00:00Z')];
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const days = pointsOf(zone, 'day', { from, to });
      expect(days[0]!.from.getTime() <= from.getTime() && days.at(-1)!.to.getTime() >= to.getTime(), zone).to.equal(
        true,
      );
      const stretches = stretchesOf(zone, days[0]!.from.getTime(), days.at(-1)!.to.getTime());
      const localDay = (ms: number) => Math.floor((ms + stretches.find(({ toMs }) => ms < toMs)!.offsetMs) / DAY_MS);
      for (const { fromMs, offsetMs } of stretches)
        expect([fromMs % QUARTER_MS, Math.abs(offsetMs % QUARTER_MS)], zone).to.deep.equal([0, 0]);
      for (const [index, day] of days.entries()) {
        expect(day.from.getTime() % QUARTER_MS, zone).to.equal(0);
        if (index > 0) expect(day.from.getTime(), zone).to.equal(days[index - 1]!.to.getTime());
        const numbers = [day.from.getTime(), day.to.getTime() - QUARTER_MS].map(localDay);
        expect(numbers[0], `${zone} ${day.from.toISOString()}`).to.equal(numbers[1]);
      }
      const distinct = new Set(days.map((day) => localDay(day.from.getTime())));
      expect(distinct.size, zone).to.equal(days.length);
    }
  });

  it('two years of days and a month of hours are found in little time', () => {
    const [from, to] = [new Date('2025-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')];
    const find = () => {
      pointsOf('Africa/Casablanca', 'day', { from, to });
      pointsOf('Africa/Casablanca', 'hour', { from, to: new Date(from.getTime() + 31 * DAY_MS) });
    };
    expect(leastOf(find)).to.be.lessThan(HOLD_MS_MAX);
  });
});
