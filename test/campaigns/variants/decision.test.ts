import { expect } from 'chai';
import { intervalOf, probabilitiesBest } from '../../../core/campaigns/variants/beta.ts';
import { betterOf, leadInWords, leadOf } from '../../../core/campaigns/variants/decision.ts';

type Pair = readonly [successes: number, n: number];

const trials = (pairs: readonly Pair[]) => pairs.map(([successes, n]) => ({ successes, n }));

/** By scipy 1.17: integrate.quad over beta.pdf and beta.cdf, and beta.ppf. */
const TABLE: ReadonlyArray<{ of: readonly Pair[]; best: readonly number[]; intervals: readonly Pair[] }> = [
  {
    of: [
      [0, 1],
      [1, 1],
    ],
    best: [0.16666667, 0.83333333],
    intervals: [
      [0.01257912, 0.84188612],
      [0.15811388, 0.98742088],
    ],
  },
  {
    of: [
      [10, 100],
      [20, 100],
    ],
    best: [0.02482697, 0.97517303],
    intervals: [
      [0.05563722, 0.17455283],
      [0.13355471, 0.2891229],
    ],
  },
  {
    of: [
      [40, 399],
      [60, 400],
    ],
    best: [0.01699456, 0.98300544],
    intervals: [
      [0.0745647, 0.13367786],
      [0.11840082, 0.18836212],
    ],
  },
  {
    of: [
      [1, 1_000],
      [5, 1_000],
    ],
    best: [0.06217194, 0.93782796],
    intervals: [
      [0.00024206, 0.00555338],
      [0.00220278, 0.01161789],
    ],
  },
  {
    of: [
      [300, 20_000],
      [330, 20_000],
    ],
    best: [0.11431752, 0.88568248],
    intervals: [
      [0.01340775, 0.01678108],
      [0.0148267, 0.01836154],
    ],
  },
  {
    of: [
      [0, 50],
      [0, 70],
    ],
    // 71 of 122, exactly.
    best: [71 / 122, 51 / 122],
    intervals: [
      [0.0004963, 0.06977703],
      [0.00035653, 0.05062941],
    ],
  },
  {
    of: [
      [5, 40],
      [8, 40],
      [6, 40],
    ],
    best: [0.13001548, 0.62986489, 0.24011963],
    intervals: [
      [0.05565736, 0.26204468],
      [0.10560803, 0.34866547],
      [0.07151529, 0.29173049],
    ],
  },
  {
    of: [
      [100, 1_000],
      [120, 1_000],
      [90, 1_000],
      [110, 1_000],
      [105, 1_000],
    ],
    best: [0.03773548, 0.66643656, 0.0037912, 0.19926702, 0.09276974],
    intervals: [
      [0.0829364, 0.12016913],
      [0.10132342, 0.141627],
      [0.07382465, 0.10935839],
      [0.09210489, 0.1309231],
      [0.087514, 0.12555275],
    ],
  },
  {
    of: [
      [30_000, 200_000],
      [30_300, 200_000],
    ],
    best: [0.09247119, 0.90752881],
    intervals: [
      [0.14844191, 0.15157172],
      [0.14993546, 0.15307811],
    ],
  },
];

describe('The rates of variants', () => {
  for (const { of, best, intervals } of TABLE)
    it(`${of.map(([successes, n]) => `${successes} of ${n}`).join(', ')}: as the table has them`, () => {
      for (const [index, probability] of probabilitiesBest(trials(of)).entries())
        expect(probability).to.be.closeTo(best[index]!, 2e-6);
      for (const [index, interval] of trials(of).map(intervalOf).entries()) {
        expect(interval.from).to.be.closeTo(intervals[index]![0], 1e-7);
        expect(interval.to).to.be.closeTo(intervals[index]![1], 1e-7);
      }
    });

  it('of equal figures are equally likely to be the best', () => {
    const [a, b] = probabilitiesBest(
      trials([
        [50, 100],
        [50, 100],
      ]),
    );
    expect(a).to.equal(b);
  });
});

describe('The better variant', () => {
  const better = (pairs: readonly Pair[], minPerVariant = 100) => betterOf({ minPerVariant }, trials(pairs));

  it('is the one that is most likely the best', () => {
    expect(
      better([
        [10, 100],
        [20, 100],
      ]),
    ).to.equal(1);
    expect(
      better([
        [30, 100],
        [20, 100],
        [29, 100],
      ]),
    ).to.equal(0);
  });

  it('is none while fewer people than asked for have one of them', () => {
    expect(
      better([
        [10, 100],
        [20, 99],
      ]),
    ).to.equal(null);
  });

  it('is none without any act, or where the best two have the same figures', () => {
    expect(
      better([
        [0, 100],
        [0, 120],
      ]),
    ).to.equal(null);
    expect(
      better([
        [20, 100],
        [20, 100],
        [5, 100],
      ]),
    ).to.equal(null);
  });

  it('is said in words, with how sure that is', () => {
    const words = (pairs: readonly Pair[]) => {
      const isSent = pairs.some(([, n]) => n > 0);
      return leadInWords(leadOf(['A', 'B', 'C'], trials(pairs)), isSent);
    };
    expect(
      words([
        [0, 0],
        [0, 0],
      ]),
    ).to.equal('Nothing has been sent yet.');
    expect(
      words([
        [5, 100],
        [5, 100],
      ]),
    ).to.equal('No variant leads.');
    expect(
      words([
        [10, 100],
        [12, 100],
      ]),
    ).to.equal('B is ahead of A, but the difference may be chance.');
    expect(
      words([
        [10, 100],
        [60, 100],
      ]),
    ).to.match(/^B leads A by \d+\.\d to \d+\.\d points\.$/);
  });
});
