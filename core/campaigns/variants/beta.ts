/** Rates of few people: what is known of a true rate after `successes` among `n`, when before it every rate was as likely as any other. */

export interface Trials {
  successes: number;
  n: number;
}

export interface Interval {
  from: number;
  to: number;
}

const TAIL = 0.025;
/** As far as a beta distribution of few people still has something to say, and where one of many is 0 or 1. */
const WIDTHS = 16;
const SURE_WIDTHS = 9;
const MANY = 50;
const PARTS = 40;
/** Of five points, on -1 to 1, with their weights. */
const NODES: ReadonlyArray<readonly [place: number, weight: number]> = [
  [-0.906_179_845_938_664, 0.236_926_885_056_189_1],
  [-0.538_469_310_105_683_1, 0.478_628_670_499_366_5],
  [0, 0.568_888_888_888_888_9],
  [0.538_469_310_105_683_1, 0.478_628_670_499_366_5],
  [0.906_179_845_938_664, 0.236_926_885_056_189_1],
];
const HALVINGS = 60;

/** The bounds within which the true rate is with 95 per cent probability, as many per cent above as below. */
export function intervalOf(trials: Trials): Interval {
  return { from: quantile(trials, TAIL), to: quantile(trials, 1 - TAIL) };
}

/** How likely it is for each that its true rate is the highest of all: they add up to 1. */
export function probabilitiesBest(all: readonly Trials[]): number[] {
  const found = all.map((one, index) =>
    probabilityBest(
      one,
      all.filter((_, other) => other !== index),
    ),
  );
  const sum = found.reduce((total, probability) => total + probability, 0);
  return found.map((probability) => probability / sum);
}

/** The difference of two true rates, with 95 per cent probability. */
export function differenceOf(a: Trials, b: Trials): Interval {
  const [first, second] = [momentsOf(a), momentsOf(b)];
  const middle = first.mean - second.mean;
  const reach = 1.959_964 * Math.hypot(first.deviation, second.deviation);
  return { from: Math.max(-1, middle - reach), to: Math.min(1, middle + reach) };
}

/** The integral, over each rate that it may have, of how likely that is and that all others are below: by Gauss and Legendre in parts. */
function probabilityBest(one: Trials, others: readonly Trials[]): number {
  const { mean, deviation } = momentsOf(one);
  const [from, to] = [Math.max(0, mean - WIDTHS * deviation), Math.min(1, mean + WIDTHS * deviation)];
  const half = (to - from) / (2 * PARTS);
  let sum = 0;
  for (let part = 0; part < PARTS; part += 1)
    for (const [place, weight] of NODES) {
      const rate = from + half * (2 * part + 1 + place);
      const likely = weight * density(one, rate);
      if (likely > 0) sum += others.reduce((product, other) => product * distribution(other, rate), likely);
    }
  return sum * half;
}

function shapeOf({ successes, n }: Trials): [number, number] {
  return [1 + successes, 1 + n - successes];
}

function momentsOf(trials: Trials): { mean: number; deviation: number } {
  const [a, b] = shapeOf(trials);
  return { mean: a / (a + b), deviation: Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1))) };
}

function density(trials: Trials, rate: number): number {
  const [a, b] = shapeOf(trials);
  const log = (a === 1 ? 0 : (a - 1) * Math.log(rate)) + (b === 1 ? 0 : (b - 1) * Math.log1p(-rate));
  return Math.exp(log - logBeta(a, b));
}

function quantile(trials: Trials, probability: number): number {
  let [low, high] = [0, 1];
  for (let times = 0; times < HALVINGS; times += 1) {
    const middle = (low + high) / 2;
    if (distribution(trials, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularized incomplete beta function. */
function distribution(trials: Trials, rate: number): number {
  const [a, b] = shapeOf(trials);
  if (rate <= 0) return 0;
  if (rate >= 1) return 1;
  if (Math.min(a, b) > MANY) {
    const { mean, deviation } = momentsOf(trials);
    if (Math.abs(rate - mean) > SURE_WIDTHS * deviation) return rate < mean ? 0 : 1;
  }
  const front = Math.exp(a * Math.log(rate) + b * Math.log1p(-rate) - logBeta(a, b));
  // The fraction converges fast on this side of the mean.
  if (rate < (a + 1) / (a + b + 2)) return (front * fraction(a, b, rate)) / a;
  return 1 - (front * fraction(b, a, 1 - rate)) / b;
}

const TERMS_MAX = 100_000;
const EPSILON = 1e-15;
const TINY = 1e-300;

/** Lentz's continued fraction, as in Numerical Recipes 6.4. */
function fraction(a: number, b: number, x: number): number {
  const away = (value: number) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= TERMS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < EPSILON) break;
  }
  return result;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

const LANCZOS = [
  0.999_999_999_999_809_9, 676.520_368_121_885_1, -1_259.139_216_722_402_8, 771.323_428_777_653_1,
  -176.615_029_162_140_6, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6,
  1.505_632_735_149_311_6e-7,
];
const LANCZOS_G = 7;

/** Of numbers from 1 on. */
function logGamma(x: number): number {
  const z = x - 1;
  const [first = 0, ...rest] = LANCZOS;
  const sum = rest.reduce((all, coefficient, index) => all + coefficient / (z + index + 1), first);
  const t = z + LANCZOS_G + 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}
