import { expect } from 'chai';
import fc from 'fast-check';
import { untilTurnMs } from '../../core/jobs/turns.ts';

const SLOTS_MS = [50, 250, 500, 2_000, 60_000] as const;
const start = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
const queue = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20 }),
  slotMs: fc.constantFrom(...SLOTS_MS),
  count: fc.integer({ min: 1, max: 60 }),
});
type Queue = { name: string; slotMs: number; count: number };

describe('Turns at looking for jobs', () => {
  it('give every slot to exactly one process, whatever their number', () => {
    fc.assert(
      fc.property(queue, start, (given, fromMs) => {
        const looks = range(given.count).map((rank) => looksOf({ ...given, rank }, fromMs, 2));
        const times = looks.flat().toSorted((a, b) => a - b);
        expect(times).to.have.length(2 * given.count);
        for (const [at, time] of times.entries()) expect(time).to.equal(times[0]! + at * given.slotMs);
      }),
    );
  });

  it('come to each process within one round, wherever the clock jumps', () => {
    fc.assert(
      fc.property(queue, start, start, fc.nat(), (given, fromMs, jumpedMs, seed) => {
        const rank = seed % given.count;
        for (const nowMs of [fromMs, jumpedMs, fromMs + 0.5])
          expect(untilTurnMs({ ...given, rank }, nowMs))
            .to.be.above(0)
            .and.at.most(given.count * given.slotMs);
      }),
    );
  });

  it('leave a gap of as many slots as processes in a row have died, and one', () => {
    fc.assert(
      fc.property(queue, start, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (given, fromMs, dice) => {
        const alive = range(given.count).filter((rank) => rank === 0 || dice[rank]);
        const looks = alive.flatMap((rank) => looksOf({ ...given, rank }, fromMs, 3)).toSorted((a, b) => a - b);
        const gaps = looks.slice(1).map((time, at) => time - looks[at]!);
        expect(Math.max(...gaps)).to.be.at.most((longestRowOfDead(alive, given.count) + 1) * given.slotMs);
      }),
    );
  });
});

function looksOf(turn: Queue & { rank: number }, fromMs: number, rounds: number): number[] {
  const looks: number[] = [];
  for (let nowMs = fromMs; looks.length < rounds; looks.push(nowMs)) nowMs += untilTurnMs(turn, nowMs);
  return looks;
}

/** In a circle, since the last process comes before the first. */
function longestRowOfDead(alive: number[], count: number): number {
  return Math.max(...alive.map((rank, at) => (alive[at + 1] ?? alive[0]! + count) - rank - 1));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
