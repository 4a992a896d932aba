import { expect } from 'chai';
import fc from 'fast-check';
import { stretchesOf } from '../../../core/base/time/zones.ts';
import { anywhere, isDate, releaseAt, releasedAt } from '../../../core/campaigns/local-time/rules.ts';
import type { CampaignLocalTime } from '../../../core/campaigns/model.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const [FROM, TO] = [Date.parse('2026-01-01'), Date.parse('2028-01-01')];
const LONG_AGO = new Date(0);

const local = (date: string, time: string, late: CampaignLocalTime['late'] = 'now'): CampaignLocalTime => ({
  ...{ date, time, late, fallbackTimezone: 'UTC' },
});
const at = (zone: string, date: string, time: string) =>
  releaseAt(local(date, time), zone, LONG_AGO)?.toISOString() ?? null;

const formats = new Map<string, Intl.DateTimeFormat>();
/** The wall clock of a zone, written by Intl alone: 2026-03-29T03:00. */
function clockOf(timeZone: string, ms: number): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv', options);
  formats.set(timeZone, format);
  return format.format(ms).replace(' ', 'T');
}

const wallOf = (ms: number) => new Date(ms).toISOString().slice(0, 16);

describe('The moment at which people of a zone get a mail', () => {
  it('is the one at which their clock shows the time', () => {
    expect(at('Europe/Berlin', '2026-12-24', '09:00')).to.equal('2026-12-24T08:00:00.000Z');
    expect(at('Asia/Kathmandu', '2026-12-24', '09:00')).to.equal('2026-12-24T03:15:00.000Z');
    expect(at('Pacific/Kiritimati', '2026-12-24', '09:00')).to.equal('2026-12-23T19:00:00.000Z');
    expect(at('Pacific/Pago_Pago', '2026-12-24', '09:00')).to.equal('2026-12-24T20:00:00.000Z');
  });

  it('is the next that there is where clocks skip it, and the first of two', () => {
    expect(at('Europe/Berlin', '2026-03-29', '02:30')).to.equal('2026-03-29T01:00:00.000Z');
    expect(at('Europe/Berlin', '2026-10-25', '02:30')).to.equal('2026-10-25T00:30:00.000Z');
    expect(at('Australia/Lord_Howe', '2026-10-04', '02:15')).to.equal('2026-10-03T15:30:00.000Z');
    // A zone that moved over the date line had no 30 December.
    expect(at('Pacific/Apia', '2011-12-30', '09:00')).to.equal('2011-12-30T10:00:00.000Z');
  });

  it('for all zones of Intl, at each change of their clocks within two years: never early, and not late', function () {
    this.timeout(60_000);
    let changes = 0;
    for (const zone of Intl.supportedValuesOf('timeZone'))
      for (const { fromMs, offsetMs } of stretchesOf(zone, FROM, TO).slice(1)) {
        changes += 1;
        // Around what clocks show before and after the change, each quarter of an hour.
        for (let wall = fromMs + offsetMs - 9_000_000; wall <= fromMs + offsetMs + 9_000_000; wall += 900_000)
          holds(zone, Math.floor(wall / MINUTE_MS) * MINUTE_MS);
      }
    expect(changes).to.be.greaterThan(200);
  });

  it('and at any other time', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const walls = fc.integer({ min: FROM / MINUTE_MS, max: TO / MINUTE_MS - 1 });
    fc.assert(
      fc.property(zones, walls, (zone, minute) => holds(zone, minute * MINUTE_MS)),
      { numRuns: 2_000 },
    );
  });

  /** No clock showed the time before, it shows it now, or it is the first moment after a gap; and it is within `anywhere`. */
  function holds(zone: string, wallMs: number): void {
    const wall = wallOf(wallMs);
    const [date = '', time = ''] = wall.split('T');
    const ms = (releaseAt(local(date, time), zone, LONG_AGO) as Date).getTime();
    const shown = clockOf(zone, ms);
    const says = `${zone} ${wall}: ${new Date(ms).toISOString()} shows ${shown}`;
    expect(shown >= wall, says).to.equal(true);
    const before = clockOf(zone, ms - MINUTE_MS);
    expect(before < wall || before > shown, `${says}, and ${before} a minute before`).to.equal(true);
    if (shown !== wall) expect(before < wall, says).to.equal(true);
    for (let earlier = 15; earlier <= 120; earlier += 15)
      expect(clockOf(zone, ms - earlier * MINUTE_MS), says).to.not.equal(wall);
    const { first, last } = anywhere({ date, time });
    expect(ms >= first.getTime() && ms <= last.getTime() + 60 * MINUTE_MS, says).to.equal(true);
  }
});

describe('People whose time was over before a campaign began', () => {
  const began = new Date('2026-12-24T12:00:00Z');
  const late = (how: CampaignLocalTime['late'], zone: string) =>
    releaseAt(local('2026-12-24', '09:00', how), zone, began)?.toISOString() ?? null;

  it('get it at once, at the time of the next day, or not at all; the others get it at theirs', () => {
    expect(late('now', 'Europe/Berlin')).to.equal('2026-12-24T12:00:00.000Z');
    expect(late('next_day', 'Europe/Berlin')).to.equal('2026-12-25T08:00:00.000Z');
    expect(late('skip', 'Europe/Berlin')).to.equal(null);
    for (const how of ['now', 'next_day', 'skip'] as const)
      expect(late(how, 'America/New_York')).to.equal('2026-12-24T14:00:00.000Z');
  });

  it('get it on the first day whose time is still to come, however late it begins', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const begins = fc.integer({ min: FROM / MINUTE_MS, max: TO / MINUTE_MS });
    fc.assert(
      fc.property(zones, begins, fc.integer({ min: 0, max: 1_439 }), (zone, minute, ofDay) => {
        const time = wallOf(ofDay * MINUTE_MS).slice(11);
        const lateBefore = new Date(minute * MINUTE_MS);
        const moment = releaseAt(local('2026-01-01', time, 'next_day'), zone, lateBefore) as Date;
        expect(moment >= lateBefore).to.equal(true);
        // The day before was too early, or is before the date.
        const day = Math.floor((Date.parse(`${clockOf(zone, moment.getTime())}Z`) - FROM) / DAY_MS);
        const former = new Date(FROM + (day - 1) * DAY_MS).toISOString().slice(0, 10);
        if (day > 0) expect((releaseAt(local(former, time), zone, LONG_AGO) as Date) < lateBefore).to.equal(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('Releases', () => {
  const zone = (timezone: string, moment: string, fromSeq: number, total: number) => ({
    ...{ timezone, isFallback: false, at: new Date(moment), fromSeq, total },
  });
  const releases = [
    zone('Asia/Tokyo', '2026-12-24T00:00:00Z', 1, 300),
    zone('Europe/Berlin', '2026-12-24T08:00:00Z', 301, 20),
    zone('Europe/Paris', '2026-12-24T08:00:00Z', 321, 1),
    zone('America/New_York', '2026-12-24T14:00:00Z', 322, 7),
  ];
  const upTo = (now: string) => releasedAt(releases, new Date(now));

  it('let out the zones whose time has come, each at its moment and none before', () => {
    expect(upTo('2026-12-23T23:59:59.999Z')).to.deep.equal({ upTo: 1, nextBatchAt: releases[0]!.at });
    expect(upTo('2026-12-24T00:00:00Z')).to.deep.equal({ upTo: 301, nextBatchAt: releases[1]!.at });
    expect(upTo('2026-12-24T07:59:59.999Z')?.upTo).to.equal(301);
    expect(upTo('2026-12-24T08:00:00Z')?.upTo).to.equal(322);
    expect(upTo('2026-12-24T14:00:00Z'), 'all').to.equal(null);
    expect(releasedAt(undefined, new Date()), 'of a campaign without').to.equal(null);
  });

  it('know the days of the calendar', () => {
    expect(['2026-02-28', '2028-02-29', '2026-12-31'].every(isDate)).to.equal(true);
    expect(['2026-02-29', '2026-02-30', '2026-13-01', '2026-00-10', 'x'].some(isDate)).to.equal(false);
  });
});
