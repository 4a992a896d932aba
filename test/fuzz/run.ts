import { expect } from 'chai';
import fc from 'fast-check';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { someOf } from '../support/random.ts';

export interface FuzzOptions {
  cases: number;
  /** Of an earlier run, to repeat it. */
  seed?: number;
}

export interface FuzzResult {
  name: string;
  cases: number;
  seed: number;
  /** CPU time for which a case held the event loop. */
  longestMs: number;
}

/** FUZZ_CASES, else as many cases as a tier of the suite runs; FUZZ_SEED, which `npm test` sets, else a seed that is new each time. */
export function fuzzOptions(casesOfSuite: number): FuzzOptions {
  const { FUZZ_CASES, FUZZ_SEED } = process.env;
  return { cases: Number(FUZZ_CASES ?? someOf(casesOfSuite)), ...(FUZZ_SEED ? { seed: Number(FUZZ_SEED) } : {}) };
}

/** `check` returns the CPU time in ms for which the input held the event loop, the smallest of several tries when that is over the limit. */
export async function fuzz<T>(
  name: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => number | Promise<number>,
  { cases, seed = Date.now() % 2 ** 31 }: FuzzOptions,
): Promise<FuzzResult> {
  // Before the first case, so that a run that hangs or crashes can be repeated too.
  console.log(`      fuzz: ${name}, ${cases} cases, FUZZ_SEED=${seed}`);
  let longestMs = 0;
  const property = fc.asyncProperty(inputs, async (input) => {
    const ms = await check(input);
    longestMs = Math.max(longestMs, ms);
    expect(ms).to.be.below(HOLD_MS_MAX);
  });
  await fc.assert(property, { numRuns: cases, seed });
  console.log(`      fuzz: ${name}, longest hold ${longestMs.toFixed(1)} ms`);
  return { name, cases, seed, longestMs };
}
