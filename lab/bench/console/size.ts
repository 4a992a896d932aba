import { sizeOr } from '../run.ts';

export const size = {
  contacts: sizeOr(1_000_000),
  /** Of the part heap. */
  minutes: 10,
  /** A second, published while the page of a campaign is open. */
  events: 200,
  /** Of each half of a round of the part live. */
  seconds: 20,
  /** Of the part campaign. */
  recipients: sizeOr(50_000),
  rounds: [0, 1, 2],
};

export type ConsoleSize = typeof size;
