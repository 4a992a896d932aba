import { normalizeEmail } from '../../core/base/text/addresses.ts';

const NAMES = ['email', 'to', 'cc', 'bcc', 'recipients', 'emails'];

/** The number of addresses that a body of a mail names, each counted once. */
export function countAddresses(body: unknown): number {
  return new Set(addressesIn(body)).size;
}

function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return [normalizeEmail(value) ?? value];
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  return NAMES.flatMap((name) => addressesIn(fields[name]));
}
