import { conflict } from '../errors.ts';

interface Changing {
  updatedAt: Date;
}

/** Later than the former value, so that two changes in one millisecond differ. */
export function nextUpdate({ updatedAt }: Changing, now: Date): Date {
  return new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
}

/** For a caller who says which state they changed: what was saved since is not overwritten. */
export function refuseUnseen(noun: string, { updatedAt }: Changing, seen: string | undefined): void {
  if (seen === undefined || Date.parse(seen) === updatedAt.getTime()) return;
  const at = updatedAt.toISOString();
  throw conflict(
    'INVALID_STATE',
    `The ${noun} was changed meanwhile: its updatedAt is ${at}. Look at it and repeat the call with updatedAt: ${at}.`,
    `updatedAt: is ${at}`,
  );
}
