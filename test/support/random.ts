/** How many random cases a property tries: a fifth of them where the other tier tries all (`scripts/tests/tiers.ts`). */
export function someOf(cases: number): number {
  return process.env.EVERPOST_TEST_CASES === 'some' ? Math.ceil(cases / 5) : cases;
}

/** The same numbers in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
