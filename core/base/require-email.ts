import { invalid } from './errors.ts';
import { normalizeEmail } from './text/addresses.ts';

/** The normal form of an address that a caller gave in the field `email`. */
export function requireEmail(email: string | undefined): string {
  const normal = normalizeEmail(email ?? '');
  if (!normal) throw invalid('email must be an email address.', 'email: must be an email address');
  return normal;
}
