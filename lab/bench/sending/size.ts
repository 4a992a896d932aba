import { sizeOr } from '../run.ts';

export const size = {
  rounds: 3,
  /** Of each half of a round. */
  seconds: 10,
  connections: 64,
  backlog: sizeOr(100_000),
};

export type Size = typeof size;
