import { expect } from 'chai';
import fc from 'fast-check';
import { type DateCriteria, nextOccurrence } from '../../../core/automations/rules/dates.ts';
import { someOf } from '../../support/random.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const ZONES = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'UTC',
];
const zonesOf = (timezone: string) => ({ timezone, timezoneProperty: 'home' });

type Person = Parameters<typeof nextOccurrence>[1];
const person = (date: unknown, home?: string) => ({ contactProperties: { due: date, home } }) as unknown as Person;
const at = (text: string) => Date.parse(text);

describe('Occurrences of a date', function () {
  this.timeout(60_000);
  const criteria: DateCriteria = { property: 'contactProperties.due', time: '09:00' };
  const yearly = { ...criteria, yearly: true };
  const iso = (given: DateCriteria, date: unknown, from: string, zone = 'UTC') => {
    const found = nextOccurrence(given, person(date), zonesOf(zone), at(from));
    return found && new Date(found.atMs).toISOString();
  };

  it('a date is one day, wherever the person is; one with a time is the day that it is there', () => {
    for (const [zone, day, hour] of [
      ['Europe/Berlin', '05', '08'],
      ['Pacific/Kiritimati', '04', '19'],
      ['America/New_York', '05', '14'],
    ])
      expect(iso(criteria, '2026-03-05', '2026-01-01', zone)).to.equal(`2026-03-${day}T${hour}:00:00.000Z`);
    const evening = '2026-03-05T23:30:00Z';
    expect(iso(criteria, evening, '2026-01-01', 'Europe/Berlin')).to.equal('2026-03-06T08:00:00.000Z');
    expect(iso(criteria, evening, '2026-01-01', 'America/New_York')).to.equal('2026-03-05T14:00:00.000Z');
  });

  it('a person has their own zone, and without one, or with one that there is not, that of the project', () => {
    const in_ = (home?: string) => {
      const found = nextOccurrence(criteria, person('2026-03-05', home), zonesOf('Europe/Berlin'), at('2026-01-01'));
      return new Date(found?.atMs ?? 0).toISOString();
    };
    expect(in_('Asia/Tokyo')).to.equal('2026-03-05T00:00:00.000Z');
    for (const home of [undefined, 'Mars/Olympus']) expect(in_(home)).to.equal('2026-03-05T08:00:00.000Z');
  });

  it('each date once: none after it has passed, and none without a date', () => {
    expect(iso(criteria, '2026-03-05', '2026-03-05T09:00:00.000Z')).to.equal('2026-03-05T09:00:00.000Z');
    expect(iso(criteria, '2026-03-05', '2026-03-05T09:00:00.001Z')).to.equal(null);
    for (const none of [undefined, null, '', 'soon', 5, true, '2026-02-30'])
      expect(iso(criteria, none, '2026-01-01'), String(none)).to.equal(null);
  });

  it('each year from the date itself on, on 28 February for 29 February in years that have none', () => {
    expect(iso(yearly, '2030-06-01', '2026-01-01')).to.equal('2030-06-01T09:00:00.000Z');
    expect(iso(yearly, '1980-06-01', '2026-06-01T09:00:00.001Z')).to.equal('2027-06-01T09:00:00.000Z');
    expect(iso(yearly, '2000-02-29', '2026-01-01')).to.equal('2026-02-28T09:00:00.000Z');
    expect(iso(yearly, '2000-02-29', '2028-01-01')).to.equal('2028-02-29T09:00:00.000Z');
    expect(iso(yearly, '2000-02-29', '2100-01-01')).to.equal('2100-02-28T09:00:00.000Z');
  });

  it('an offset in days keeps the time of day over a change of the clocks; hours are hours', () => {
    const earlier = (value: number, unit: 'days' | 'hours') =>
      ({ ...criteria, offset: { value, unit, direction: 'before' } }) as DateCriteria;
    // Berlin moves its clocks on 29 March 2026.
    expect(iso(earlier(1, 'days'), '2026-03-29', '2026-01-01', 'Europe/Berlin')).to.equal('2026-03-28T08:00:00.000Z');
    expect(iso(earlier(24, 'hours'), '2026-03-29', '2026-01-01', 'Europe/Berlin')).to.equal('2026-03-28T07:00:00.000Z');
    const newYear = { ...yearly, offset: { value: 7, unit: 'days', direction: 'before' } } as DateCriteria;
    expect(iso(newYear, '1990-01-02', '2026-06-01')).to.equal('2026-12-26T09:00:00.000Z');
  });

  it('a day and a time that a zone never had are the first moment after', () => {
    // Apia had no 30 December 2011; Sao Paulo no midnight on 4 November 2018; Lord Howe moves by half an hour.
    expect(iso(yearly, '1990-12-30', '2011-06-01', 'Pacific/Apia')).to.equal('2011-12-30T10:00:00.000Z');
    const midnight = { ...yearly, time: '00:00' };
    expect(iso(midnight, '1990-11-04', '2018-01-01', 'America/Sao_Paulo')).to.equal('2018-11-04T03:00:00.000Z');
    const skipped = { ...criteria, time: '02:15' };
    expect(iso(skipped, '2026-10-04', '2026-01-01', 'Australia/Lord_Howe')).to.equal('2026-10-03T15:30:00.000Z');
  });

  it('ends with the calendar', () => {
    const late = { ...criteria, offset: { value: 3_650, unit: 'days', direction: 'after' } } as DateCriteria;
    expect(iso(late, '9999-12-31', '2026-01-01')).to.equal(null);
    expect(iso(yearly, '9999-12-31', '9999-12-31T10:00:00Z')).to.equal(null);
    expect(iso(yearly, '0001-01-01', '2026-01-01')).to.equal('2026-01-01T09:00:00.000Z');
  });

  const cases = fc.record({
    zone: fc.constantFrom(...ZONES),
    day: fc.oneof(
      fc.integer({ min: at('1950-01-01') / DAY_MS, max: at('2040-01-01') / DAY_MS }),
      fc.constantFrom(...['1952-02-29', '2012-02-29', '2000-12-30', '1999-12-31'].map((text) => at(text) / DAY_MS)),
    ),
    minute: fc.integer({ min: 0, max: 1_439 }),
    yearly: fc.boolean(),
    offset: fc.option(
      fc.record({
        value: fc.integer({ min: 0, max: 800 }),
        unit: fc.constantFrom('days' as const, 'hours' as const, 'minutes' as const),
        direction: fc.constantFrom('before' as const, 'after' as const),
      }),
      { nil: undefined },
    ),
    from: fc.integer({ min: at('2005-01-01') / MINUTE_MS, max: at('2035-01-01') / MINUTE_MS }),
  });

  it('come never before a clock of the zone shows the time of the day, and at once then', () => {
    fc.assert(
      fc.property(cases, ({ zone, day, minute, from, yearly: isYearly }) => {
        const time = timeOf(minute);
        const given = { property: 'contactProperties.due', time, yearly: isYearly };
        const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
        const found = nextOccurrence(given, person(date), zonesOf(zone), from * MINUTE_MS);
        if (!found) return;
        const year = isYearly ? Number(found.key.split(' ')[1]) : Number(date.slice(0, 4));
        const asked = `${year}${date.slice(4) === '-02-29' && !isLeap(year) ? '-02-28' : date.slice(4)} ${time}`;
        expect(wallOf(zone, found.atMs) >= asked, `${wallOf(zone, found.atMs)} for ${asked}`).to.equal(true);
        expect(wallOf(zone, found.atMs - MINUTE_MS) < asked || isShownTwice(zone, found.atMs), asked).to.equal(true);
      }),
      { numRuns: someOf(500) },
    );
  });

  it('come one after the other, each once, one a year, and the same from whatever moment before one looks', () => {
    fc.assert(
      fc.property(cases, fc.double({ min: 0, max: 1, noNaN: true }), (one, part) => {
        const { zone, day, minute, offset, from, yearly: isYearly } = one;
        const given = { property: 'contactProperties.due', time: timeOf(minute), yearly: isYearly, offset };
        const date = new Date(day * DAY_MS).toISOString();
        const next = (ms: number) => nextOccurrence(given, person(date), zonesOf(zone), ms);
        const keys: string[] = [];
        let fromMs = from * MINUTE_MS;
        for (let count = 0; count < 6; count += 1) {
          const found = next(fromMs);
          if (!found) break;
          expect(found.atMs).to.be.at.least(fromMs);
          expect(next(Math.floor(fromMs + (found.atMs - fromMs) * part))).to.deep.equal(found);
          keys.push(found.key);
          fromMs = found.atMs + 1;
        }
        expect(new Set(keys).size).to.equal(keys.length);
        const years = keys.map((key) => Number(key.split(' ')[1]?.slice(0, 4)));
        if (isYearly) expect(years).to.deep.equal(years.map((_, index) => Number(years[0]) + index));
        else expect(keys.length).to.be.at.most(1);
      }),
      { numRuns: someOf(500) },
    );
  });
});

function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

function isLeap(year: number): boolean {
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
}

/** By the platform's own calendar. */
function wallOf(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(ms);
}

/** The clocks went back just before, so the minute before showed a later time. */
function isShownTwice(zone: string, ms: number): boolean {
  return wallOf(zone, ms - MINUTE_MS) > wallOf(zone, ms);
}
