// Promise: counts are exact.

import { expect } from 'chai';
import fc from 'fast-check';
import { DAY_MS } from '../../core/base/time/durations.ts';
import { DayCounts, readDay } from '../../core/figures/reports/rules/day-counts.ts';
import { COUNTS } from '../../core/mail/ledger/counting/facts.ts';

const day = new Date('2026-10-25T00:00:00Z');
const number = fc.record({
  atMs: fc.integer({ min: day.getTime(), max: day.getTime() + DAY_MS - 1 }),
  name: fc.constantFrom(...COUNTS),
  by: fc.integer({ min: -1_000_000, max: 1_000_000 }),
});

describe('The counts of a day', () => {
  it('are the sums of what was added by quarter and name, in the order of time, also when a part was stored before', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 60 }), fc.array(number, { maxLength: 60 }), (first, second) => {
        const stored = new DayCounts();
        for (const { atMs, name, by } of first) stored.add(new Date(atMs), name, by);
        const counts = new DayCounts();
        for (const { atMs, name, by } of second) counts.add(new Date(atMs), name, by);
        counts.addStored(stored.toBytes());
        const sums = new Map<string, number>();
        for (const { atMs, name, by } of [...first, ...second]) {
          const key = `${Math.floor(atMs / 900_000) * 900_000} ${name}`;
          sums.set(key, (sums.get(key) ?? 0) + by);
        }
        const read = new Map<string, number>();
        const times: number[] = [];
        readDay(day, counts.toBytes(), (atMs, name, by) => {
          read.set(`${atMs} ${name}`, by);
          times.push(atMs);
        });
        expect(Object.fromEntries(read)).to.deep.equal(Object.fromEntries([...sums].filter(([, by]) => by !== 0)));
        expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
      }),
    );
  });

  it('take six bytes for each number that is not 0', () => {
    const counts = new DayCounts();
    expect(counts.toBytes()).to.have.length(0);
    counts.add(day, 'sent', 2_000_000_000);
    counts.add(new Date(day.getTime() + DAY_MS - 1), 'unsubscribed', 1);
    counts.add(new Date(day.getTime() + DAY_MS / 2), 'opened', 1);
    counts.add(new Date(day.getTime() + DAY_MS / 2), 'opened', -1);
    expect(counts.toBytes()).to.have.length(12);
  });
});
