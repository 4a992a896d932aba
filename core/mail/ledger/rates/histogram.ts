/** Buckets of times, each a twelfth of an octave wide: a percentile is at most 6 % off. */
const PER_OCTAVE = 12;
const SEPARATOR = '~';

export function bucketOf(name: string, ms: number): string {
  return `${name}${SEPARATOR}${Math.ceil(Math.log2(Math.max(1, ms)) * PER_OCTAVE)}`;
}

/** The time that this share of the values is not above, in milliseconds; null without values. */
export function percentile(
  counts: readonly Readonly<Record<string, number>>[],
  name: string,
  share: number,
): number | null {
  const byBucket = new Map<number, number>();
  for (const fields of counts)
    for (const [field, count] of Object.entries(fields)) {
      const [of, bucket] = field.split(SEPARATOR);
      if (of === name && bucket !== undefined)
        byBucket.set(Number(bucket), (byBucket.get(Number(bucket)) ?? 0) + count);
    }
  const total = [...byBucket.values()].reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of [...byBucket].sort(([a], [b]) => a - b)) {
    below += count;
    if (below >= total * share) return Math.round(2 ** (bucket / PER_OCTAVE));
  }
  return null;
}
