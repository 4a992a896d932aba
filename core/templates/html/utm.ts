import type { Utm } from '../../base/model.ts';
import { withoutEnd } from '../../base/text/text-ends.ts';
import { TRACKED_URL_BYTES_MAX } from './links.ts';

const NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/**
 * Signatures of a whole query, which a further parameter would break: those of S3, GCS and OSS (X-Amz-Signature and so on), of
 * CloudFront (Signature, Policy, Key-Pair-Id), Azure (sig), Akamai (hdnts, __token__) and Cloudflare (verify), and names like them.
 * Not `token` and `expires` alone: links to confirm and to log in have those, and take further parameters.
 */
const SIGNATURE =
  /^(?:sig|sign|signed|hmac|digest|checksum|policy|key-pair-id|hdnts|hdnea|hdntl|__token__|verify)$|[-_.](?:sig|sign|hmac)$|signature$/i;

const ADDRESS_IN_TEXT = /(^|[\s(<])(https?:\/\/[^\s<>()"']+)(?=[\s)>]|$)/gi;
const SENTENCE_ENDS = '.,;:!?';
const REWRITTEN_IN_TEXT_MAX = 2_000;

/** The URL with these parameters; every other byte stays. `publicUrl` is the address of this service. */
export function withUtm(url: string, utm: Utm, publicUrl: string): string {
  const hash = url.indexOf('#');
  const [address, fragment] = hash < 0 ? [url, ''] : [url.slice(0, hash), url.slice(hash)];
  if (!/^https?:\/\//i.test(address) || isOwn(address, publicUrl)) return url;
  const start = address.indexOf('?');
  const query = start < 0 ? null : address.slice(start + 1);
  if (namesIn(query ?? '').some((name) => name.startsWith('utm_') || SIGNATURE.test(name))) return url;
  const added = NAMES.flatMap((name) =>
    utm[name] ? [`utm_${name}=${encodeURIComponent(utm[name].toWellFormed())}`] : [],
  ).join('&');
  if (added === '') return url;
  const joint = query === null ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  const result = address + joint + added + fragment;
  return Buffer.byteLength(result) > TRACKED_URL_BYTES_MAX ? url : result;
}

/** For links that are not tracked; null leaves the link byte for byte. */
export function utmRewrite(utm: Utm, publicUrl: string): (url: string) => string | null {
  return (url) => {
    const to = withUtm(url, utm, publicUrl);
    return to === url ? null : to;
  };
}

/**
 * The same for a text part that was given. Only whole addresses, between white space or in brackets: where one ends is not
 * always clear, and a part of one would lead elsewhere.
 */
export function withUtmInText(text: string, rewrite: ((url: string) => string | null) | undefined): string {
  if (!rewrite) return text;
  let found = 0;
  return text.replace(ADDRESS_IN_TEXT, (whole, before: string, address: string) => {
    const url = withoutEnd(address, SENTENCE_ENDS);
    found += 1;
    if (found > REWRITTEN_IN_TEXT_MAX || !URL.canParse(url)) return whole;
    return before + (rewrite(url) ?? url) + address.slice(url.length);
  });
}

function isOwn(address: string, publicUrl: string): boolean {
  const [given, own] = [new URL(address), new URL(publicUrl)];
  return given.host === own.host && given.pathname.startsWith(own.pathname);
}

/** In lower case, without their encoding. */
function namesIn(query: string): string[] {
  return query.split(/[&;]/).map((one) => decoded(one.split('=', 1)[0]!).trim().toLowerCase());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
