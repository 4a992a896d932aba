import { expect } from 'chai';
import fc from 'fast-check';
import type { AutomationUntil } from '../../../core/automations/model/definition.ts';
import { describeWait } from '../../../core/automations/rules/describe-wait.ts';
import { endOfWait, nextMoment, untilFaults, type WaitStep, WEEKDAYS } from '../../../core/automations/rules/waits.ts';
import { dayIn, dayStart, isTimezone } from '../../../core/base/time/zones.ts';
import { HOLD_MS_MAX, leastOf } from '../../linear/cpu.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 86_400_000;

const next = (zone: string, time: string, from: string, weekdays?: AutomationUntil['weekdays']) =>
  new Date(nextMoment(zone, { time, ...(weekdays && { weekdays }) }, Date.parse(from))).toISOString();

describe('The next moment with a time of day', () => {
  it('is today or tomorrow in the zone, and at once for who comes while the clock shows it', () => {
    expect(next('Europe/Berlin', '09:00', '2026-05-01T06:59:59.999Z')).to.equal('2026-05-01T07:00:00.000Z');
    expect(next('Europe/Berlin', '09:00', '2026-05-01T07:00:00Z')).to.equal('2026-05-01T07:00:00.000Z');
    expect(next('Europe/Berlin', '09:00', '2026-05-01T07:00:59.999Z')).to.equal('2026-05-01T07:00:59.999Z');
    expect(next('Europe/Berlin', '09:00', '2026-05-01T07:01:00Z')).to.equal('2026-05-02T07:00:00.000Z');
    expect(next('Asia/Tokyo', '09:00', '2026-05-01T07:00:00Z')).to.equal('2026-05-02T00:00:00.000Z');
    expect(next('Asia/Kathmandu', '09:00', '2026-05-01T00:00:00Z')).to.equal('2026-05-01T03:15:00.000Z');
    expect(next('GMT', '09:00', '2026-07-01T00:00:00Z')).to.equal('2026-07-01T09:00:00.000Z');
    expect(next('Europe/London', '09:00', '2026-07-01T00:00:00Z')).to.equal('2026-07-01T08:00:00.000Z');
  });

  it('is on one of the weekdays, as the zone has them', () => {
    // In Tokyo it is Friday already.
    expect(next('Asia/Tokyo', '09:00', '2026-04-30T20:00:00Z', ['fri'])).to.equal('2026-05-01T00:00:00.000Z');
    expect(next('UTC', '09:00', '2026-04-30T20:00:00Z', ['mon', 'wed'])).to.equal('2026-05-04T09:00:00.000Z');
    expect(next('UTC', '09:00', '2026-05-01T09:01:00Z', ['fri'])).to.equal('2026-05-08T09:00:00.000Z');
    expect(next('UTC', '09:00', '1965-01-01T10:00:00Z', ['fri'])).to.equal('1965-01-08T09:00:00.000Z');
  });

  it('is the next moment that there is where clocks skip it', () => {
    expect(next('Europe/Berlin', '02:30', '2026-03-28T12:00:00Z')).to.equal('2026-03-29T01:00:00.000Z');
    expect(next('Europe/Berlin', '02:30', '2026-03-29T01:01:00Z')).to.equal('2026-03-30T00:30:00.000Z');
    expect(next('America/Sao_Paulo', '00:00', '2018-11-03T12:00:00Z')).to.equal('2018-11-04T03:00:00.000Z');
    expect(next('Australia/Lord_Howe', '02:15', '2026-10-03T12:00:00Z')).to.equal('2026-10-03T15:30:00.000Z');
    // The last hour of Saturday: it is over on Sunday at midnight, at once for who comes then.
    expect(next('America/Nuuk', '23:30', '2026-03-29T01:00:00Z', ['sat'])).to.equal('2026-03-29T01:00:00.000Z');
  });

  it('is the first of two where clocks show it twice', () => {
    expect(next('Europe/Berlin', '02:30', '2026-10-24T12:00:00Z')).to.equal('2026-10-25T00:30:00.000Z');
    expect(next('Europe/Berlin', '02:30', '2026-10-25T00:31:00Z')).to.equal('2026-10-26T01:30:00.000Z');
    // Clocks are moved before they would show it the first time.
    expect(next('Europe/Berlin', '03:00', '2026-10-24T12:00:00Z')).to.equal('2026-10-25T02:00:00.000Z');
    expect(next('Australia/Lord_Howe', '01:45', '2026-04-04T12:00:00Z')).to.equal('2026-04-04T14:45:00.000Z');
    expect(next('America/Havana', '00:30', '2026-10-31T12:00:00Z')).to.equal('2026-11-01T04:30:00.000Z');
  });

  it('passes over a day that a zone did not have', () => {
    expect(next('Pacific/Apia', '09:00', '2011-12-30T00:00:00Z')).to.equal('2011-12-30T19:00:00.000Z');
    expect(next('Pacific/Apia', '09:00', '2011-12-29T20:00:00Z', ['fri'])).to.equal('2012-01-05T19:00:00.000Z');
    expect(next('Pacific/Apia', '09:00', '2011-12-23T20:00:00Z', ['fri'])).to.equal('2012-01-05T19:00:00.000Z');
  });

  it('has that time in that zone, or the zone skips it, and no earlier moment has it', function () {
    this.timeout(30_000);
    const zones = [
      ...['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu', 'GMT'],
      ...['Europe/London', 'America/Nuuk', 'America/Havana', 'Pacific/Kwajalein', 'Africa/Casablanca', 'Asia/Beirut'],
    ];
    const around = ['2011-12-30', '2018-11-04', '2018-02-18', '2026-03-29', '2026-10-25', '2026-04-05', '2026-10-04'];
    const near = fc
      .tuple(fc.constantFrom(...around), fc.integer({ min: -5 * 1_440, max: 3 * 1_440 }))
      .map(([date, minutes]) => Date.parse(date) + minutes * MINUTE_MS);
    const any = fc.integer({ min: Date.parse('1976-01-01'), max: Date.parse('2040-01-01') });
    const minutes = fc.oneof(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 0, max: 200 }));
    const weekdays = fc.oneof(fc.constant([...WEEKDAYS]), fc.subarray([...WEEKDAYS], { minLength: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.oneof(near, any), minutes, weekdays, (zone, fromMs, minute, days) => {
        const pad = (n: number) => String(n).padStart(2, '0');
        const time = `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
        const foundMs = nextMoment(zone, { time, weekdays: days }, fromMs);
        const isWanted = (ms: number) => isFirst(zone, ms, minute, days) || isSkipped(zone, ms, minute, days);
        expect(foundMs).to.be.at.least(fromMs);
        const beginning = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
        expect(isWanted(beginning(foundMs)), `${zone} ${time} at ${new Date(foundMs).toISOString()}`).to.equal(true);
        // Zones are whole quarters of an hour from UTC, so no other moments show this minute, or are the end of a gap.
        const first = Math.floor(fromMs / QUARTER_MS) * QUARTER_MS;
        const earlier = (place: number) => {
          const count = Math.ceil((beginning(foundMs) - first - place) / QUARTER_MS);
          const all = Array.from({ length: Math.max(0, count) }, (_, n) => first + place + n * QUARTER_MS);
          return all.filter((ms) => ms >= beginning(fromMs));
        };
        const shown = earlier((minute % 15) * MINUTE_MS).filter((ms) => isFirst(zone, ms, minute, days));
        const gaps = earlier(0).filter(
          (ms, n, all) => n === 0 || wallOf(zone, ms) - wallOf(zone, all[n - 1]!) > QUARTER_MS,
        );
        const skipped = gaps.filter((ms) => isSkipped(zone, ms, minute, days));
        expect(
          [...shown, ...skipped].map((ms) => new Date(ms).toISOString()),
          `${zone} ${time}`,
        ).to.deep.equal([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('Two hundred waits in as many zones', () => {
  it('are found in little time on the day before a change of clocks', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 200);
    const fromMs = Date.parse('2026-03-28T12:00:00Z');
    const find = () => {
      for (const zone of zones) nextMoment(zone, { time: '02:30', weekdays: ['sun'] }, fromMs);
    };
    expect(leastOf(find)).to.be.lessThan(HOLD_MS_MAX);
  });
});

describe('A name of a time zone', () => {
  it('is one that Intl knows, in any case of letters, and no offset', () => {
    for (const zone of ['GMT', 'UTC', 'Europe/London', 'europe/berlin', 'Asia/Kathmandu', 'Etc/GMT+5'])
      expect(isTimezone(zone), zone).to.equal(true);
    for (const wrong of [
      '',
      ' ',
      'Mars/Olympus',
      '+02:00',
      'contact',
      'Europe/Berlin ',
      'A'.repeat(5_000),
      '__proto__',
    ])
      expect(isTimezone(wrong), wrong.slice(0, 20)).to.equal(false);
  });

  it('is known after more of them than are kept', () => {
    for (let n = 0; n < 1_300; n += 1) expect(isTimezone(`Mars/Crater_${n}`)).to.equal(false);
    expect(isTimezone('Asia/Tokyo')).to.equal(true);
    const ms = Date.parse('2026-05-01T20:00:00Z');
    expect(dayStart('Asia/Tokyo', dayIn('Asia/Tokyo', ms))).to.equal(Date.parse('2026-05-01T15:00:00Z'));
  });
});

describe('The end of a wait', () => {
  const zones = { timezone: 'America/New_York', timezoneProperty: 'home' };
  const fromMs = Date.parse('2026-05-01T06:00:00Z');
  const end = (until: AutomationUntil, contactProperties: object = {}, own = zones) => {
    const step = { type: 'wait_until', until } as WaitStep;
    const found = endOfWait(step, fromMs, { contactProperties: { ...contactProperties } }, own);
    return found && [new Date(found.untilMs).toISOString(), found.isZoneMissing];
  };
  const morning: AutomationUntil = { time: '09:00', timezone: 'contact' };

  it('is counted in the zone of the person; who has none, or a wrong one, has that of the project, and that is said', () => {
    expect(end(morning, { home: 'Asia/Tokyo' })).to.deep.equal(['2026-05-02T00:00:00.000Z', false]);
    for (const home of [undefined, null, '', 'Mars/Olympus', 5, true, ' Asia/Tokyo'])
      expect(end(morning, { home }), String(home)).to.deep.equal(['2026-05-01T13:00:00.000Z', true]);
    expect(end(morning, { home: 'Asia/Tokyo' }, { ...zones, timezoneProperty: null as never })).to.deep.equal([
      ...['2026-05-01T13:00:00.000Z', true],
    ]);
    expect(end({ time: '09:00' }, { home: 'Asia/Tokyo' })).to.deep.equal(['2026-05-01T13:00:00.000Z', false]);
    expect(end({ time: '09:00', timezone: 'Asia/Tokyo' })).to.deep.equal(['2026-05-02T00:00:00.000Z', false]);
  });

  it('is not later than the days that the step allows', () => {
    const sunday: AutomationUntil = { time: '09:00', weekdays: ['sun'], timezone: 'UTC' };
    expect(end({ ...sunday, latestAfterDays: 2 })?.[0]).to.equal('2026-05-03T06:00:00.000Z');
    expect(end({ ...sunday, latestAfterDays: 3 })?.[0]).to.equal('2026-05-03T09:00:00.000Z');
  });

  it('is a date of the person, before or after it; a moment that is over is now', () => {
    const until = (value: number, unit: 'minutes' | 'hours' | 'days', direction: 'before' | 'after') => ({
      property: 'contactProperties.due',
      offset: { value, unit, direction },
    });
    const due = '2026-05-10T00:00:00.000Z';
    expect(end({ property: 'contactProperties.due' }, { due })?.[0]).to.equal(due);
    expect(end(until(3, 'days', 'before'), { due })?.[0]).to.equal('2026-05-07T00:00:00.000Z');
    expect(end(until(90, 'minutes', 'after'), { due: '2026-05-10' })?.[0]).to.equal('2026-05-10T01:30:00.000Z');
    expect(end(until(9, 'days', 'before'), { due })?.[0]).to.equal('2026-05-01T06:00:00.000Z');
    expect(end(until(2, 'hours', 'after'), { due: '2026-05-01T04:00:00Z' })?.[0]).to.equal('2026-05-01T06:00:00.000Z');
  });

  it('is a field that every contact has, and is described for the run', () => {
    const after = { value: 7, unit: 'days', direction: 'after' } as const;
    const step = { type: 'wait_until', until: { property: 'createdAt', offset: after } } as WaitStep;
    const createdAt = new Date('2026-05-01T00:00:00Z');
    expect(endOfWait(step, fromMs, { createdAt }, zones)?.untilMs).to.equal(Date.parse('2026-05-08T00:00:00Z'));
    const described = (until: AutomationUntil) => describeWait({ type: 'wait_until', until } as WaitStep, 'hello');
    expect(described(step.type === 'wait_until' ? step.until : {})).to.equal(
      'wait until 7 days after createdAt, then hello',
    );
    expect(described({ ...morning, weekdays: ['mon', 'fri'] })).to.equal(
      'wait until 09:00 on mon, fri in the zone of the person, then hello',
    );
    expect(described({ time: '09:00' })).to.equal('wait until 09:00 in the zone of the project, then hello');
  });

  it('does not come for who has no date, or one further away than 3,650 days', () => {
    const until = { property: 'contactProperties.due' };
    for (const due of [undefined, null, '', 'soon', '2026-02-30', 1_800_000_000_000, true])
      expect(end(until, { due }), String(due)).to.equal(null);
    const furthest = new Date(fromMs + 3_650 * DAY_MS).toISOString();
    expect(end(until, { due: furthest })?.[0]).to.equal(furthest);
    expect(end(until, { due: new Date(fromMs + 3_650 * DAY_MS + 1).toISOString() })).to.equal(null);
    expect(end(until, { due: '9999-12-31' })).to.equal(null);
  });

  it('follows from either a time or a field that holds dates: what is wrong is named', () => {
    const declared = { contactProperties: { due: 'date', plan: 'string' } } as const;
    const [property, days] = ['contactProperties.due', { unit: 'days', direction: 'after' }] as const;
    const good: AutomationUntil[] = [
      { time: '09:00' },
      morning,
      { property },
      { property: 'contactProperties.undeclared' },
      { property: 'createdAt', offset: { value: 3_650, ...days } },
    ];
    for (const until of good) expect(untilFaults(until, 'until', declared)).to.deep.equal([]);
    const bad: Array<[AutomationUntil, string]> = [
      [{}, 'until: must have either time or property'],
      [{ time: '09:00', property }, 'until: must have either time or property'],
      [{ time: '09:00', offset: { value: 1, ...days } }, 'until/offset: belongs to property, so leave it out'],
      [{ property, weekdays: ['mon'] }, 'until/weekdays: belongs to time, so leave it out'],
      [{ property, timezone: 'UTC' }, 'until/timezone: belongs to time, so leave it out'],
      [{ property, latestAfterDays: 3 }, 'until/latestAfterDays: belongs to time, so leave it out'],
      [
        { time: '09:00', timezone: 'Mars/Olympus' },
        'until/timezone: must be contact, or an IANA time zone, for example Europe/Berlin',
      ],
      [{ property: 'contactProperties.plan' }, 'until/property: must hold dates, and holds a string'],
      [{ property: 'firstName' }, 'until/property: must hold dates, and holds a string'],
      [
        { property: 'contactProperties.__proto__' },
        'until/property: must be contactProperties.<name>, createdAt or updatedAt',
      ],
      [{ property: 'due' }, 'until/property: must be contactProperties.<name>, createdAt or updatedAt'],
      [{ property, offset: { value: 3_651, ...days } }, 'until/offset: must be 3650 days at most'],
    ];
    for (const [until, fault] of bad) expect(untilFaults(until, 'until', declared)).to.deep.equal([fault]);
  });
});

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall time, found in another way than the product does. */
function wallOf(zone: string, ms: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric' },
    });
  formats.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
}

function isOn(day: number, days: readonly string[]): boolean {
  const name = new Date(day * DAY_MS).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' });
  return days.includes(name.toLowerCase());
}

/** The clock shows the time, and has not shown it in the hours before. */
function isFirst(zone: string, ms: number, minute: number, days: readonly string[]): boolean {
  const wall = wallOf(zone, ms);
  if ((wall % DAY_MS) / MINUTE_MS !== minute || !isOn(Math.floor(wall / DAY_MS), days)) return false;
  return !Array.from({ length: 12 }, (_, n) => ms - (n + 1) * QUARTER_MS).some((one) => wallOf(zone, one) === wall);
}

/** The clock has just skipped the time, of a day of which it shows a part. */
function isSkipped(zone: string, ms: number, minute: number, days: readonly string[]): boolean {
  const [before, after] = [wallOf(zone, ms - MINUTE_MS), wallOf(zone, ms)];
  if (after - before <= MINUTE_MS) return false;
  return [before, after].some((one) => {
    const wanted = Math.floor(one / DAY_MS) * DAY_MS + minute * MINUTE_MS;
    return before < wanted && wanted < after && isOn(Math.floor(one / DAY_MS), days);
  });
}
