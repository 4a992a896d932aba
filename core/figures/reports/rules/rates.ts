/** Percent with two digits; 0 of nothing. Events of one time may belong to mail of an earlier one, so it may be over 100. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? Math.round((part / whole) * 10_000) / 100 : 0;
}
