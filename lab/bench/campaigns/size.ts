import { sizeOr } from '../run.ts';

export const size = {
  recipients: sizeOr(100_000),
  rounds: [0, 1, 2],
  sizes: [10_000, 100_000, 1_000_000],
  shared: { senders: 1, connections: 64 },
};

export type Size = typeof size;
