import fc from 'fast-check';

/** The same cases at every run, so that a change is judged by what it changes; another FUZZ_SEED tries others. */
if (process.env.FUZZ_SEED) fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED) });
