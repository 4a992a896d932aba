import { domainToASCII, domainToUnicode } from 'node:url';
import { invalid } from '../errors.ts';

const EMAIL_LENGTH_MAX = 254;
const EMAIL_INPUT_LENGTH_MAX = 1_024;

const LOCAL_PART = /^(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_IN_A_NAME = /[^A-Za-z0-9.\u{80}-\u{10ffff}-]|\p{Default_Ignorable_Code_Point}|\s/u;
const E164 = /^\+[1-9][0-9]{1,14}$/;

/** One stored form per mailbox: every spelling that a relay would deliver to the same place gives the same text, anything else null. */
export function normalizeEmail(input: string): string | null {
  if (input.length > EMAIL_INPUT_LENGTH_MAX) return null;
  const text = trimSpaces(input);
  const at = text.lastIndexOf('@');
  if (at < 1 || !LOCAL_PART.test(text.slice(0, at))) return null;
  const domain = normalizeDomain(text.slice(at + 1));
  if (domain === null) return null;
  const email = `${text.slice(0, at).toLowerCase()}@${domain}`;
  return email.length <= EMAIL_LENGTH_MAX ? email : null;
}

/** The normal form of an address that a caller gave in the field `email`. */
export function requireEmail(email: string | undefined): string {
  const normal = normalizeEmail(email ?? '');
  if (!normal) throw invalid('email must be an email address.', 'email: must be an email address');
  return normal;
}

/** The ASCII form of a host name of at least two labels, in lower case and without the final dot. */
export function normalizeDomain(name: string): string | null {
  if (name.length > EMAIL_INPUT_LENGTH_MAX) return null;
  const ascii = /^[A-Za-z0-9.-]+$/.test(name) ? name.toLowerCase() : internationalToAscii(name);
  const domain = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (!DOMAIN.test(domain)) return null;
  return /(^|\.)xn--/.test(domain) && !isReadable(domain) ? null : domain;
}

/** The domain of an address that normalizeEmail gave. */
export function emailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** For pages whose link may be forwarded: enough to recognize one's own address, too little to reveal it to others. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, Math.min(2, at))}•••${email.slice(at)}`;
}

/** For pages that say more about a person: a•••@e•••.org. */
export function maskWholeEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email.slice(0, at);
  const domain = email.slice(at + 1);
  return `${first}•••@${domain.slice(0, 1)}•••${domain.slice(domain.lastIndexOf('.'))}`;
}

export function isE164(text: string): boolean {
  return E164.test(text);
}

/** The URL parser behind domainToASCII drops tabs and stops at "/", so invalid names are refused before it is called. */
function internationalToAscii(name: string): string {
  return NOT_IN_A_NAME.test(name) || NOT_IN_A_NAME.test(name.normalize('NFKC')) ? '' : domainToASCII(name);
}

/** An xn-- label that decodes to nothing valid (or to invisible characters) stays undecoded. */
function isReadable(domain: string): boolean {
  const unicode = domainToUnicode(domain);
  return !/(^|\.)xn--/.test(unicode) && domainToASCII(unicode) === domain;
}

function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === ' ') from++;
  while (to > from && text[to - 1] === ' ') to--;
  return text.slice(from, to);
}
