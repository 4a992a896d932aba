/** How many random cases a property tries: a part of them where the other tier tries all (`scripts/tests/tiers.ts`). */
export function someOf(cases: number, part = 5): number {
  return process.env.EVERPOST_TEST_CASES === 'some' ? Math.ceil(cases / part) : cases;
}

/** The same numbers in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
