const URL_LENGTH_MAX = 2_048;

interface UrlRules {
  /** Allows http: in addition to https:. */
  http?: boolean | undefined;
  /** host:port pairs that may be private and speak http: (ALLOW_PRIVATE_URLS). */
  allow?: readonly string[] | undefined;
  /** Signed addresses of stored files are longer than those that people write. */
  lengthMax?: number | undefined;
}

/** Input that WHATWG parsing would quietly repair (backslashes, missing slashes, user info, odd characters) is refused. */
const WRITTEN = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s\\]*)?$/i;
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|onion)$/;
const PORTS = ['', '80', '443'];

/** Checks syntax and literal addresses only: resolved addresses are checked when the URL is fetched. */
export function isAllowedUrl(text: string, rules: UrlRules = {}): boolean {
  if (text.length > (rules.lengthMax ?? URL_LENGTH_MAX) || !WRITTEN.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  if (isListed(url, rules.allow)) return true;
  if (url.protocol !== 'https:' && !(rules.http && url.protocol === 'http:')) return false;
  return PORTS.includes(url.port) && isAllowedHost(url.hostname);
}

/** The host and port are on the list of those that may be private. */
export function isListed(url: URL, allow: readonly string[] = []): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allow.some((pair) => pair.toLowerCase() === `${url.hostname}:${port}`);
}

/** The address in a URL's host, without brackets; null: the host is a name. */
export function literalAddress(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return parseIpv4(hostname) === null ? null : hostname;
}

/**
 * True for addresses reachable from the Internet that cannot lead to a private one: IPv4 outside the special ranges of IANA, IPv6
 * in 2000::/3 without those that carry an IPv4 address inside or are meant for documents. Anything that cannot be parsed is not
 * public.
 */
export function isPublicAddress(text: string): boolean {
  const v4 = parseIpv4(text);
  if (v4 !== null) return !SPECIAL_IPV4.some(([base, bits]) => samePrefix(v4, base, bits));
  const v6 = parseIpv6(text);
  if (v6 === null) return false;
  const [first = 0, second = 0] = v6;
  if (first >> 13 !== 1) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0x0db8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

const SPECIAL_IPV4: [number, number][] = (
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.31.196.0', 24],
    ['192.52.193.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['192.175.48.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const
).map(([base, bits]) => [parseIpv4(base)!, bits]);

function isAllowedHost(hostname: string): boolean {
  const literal = literalAddress(hostname);
  if (literal !== null) return isPublicAddress(literal);
  const name = hostname.replace(/\.$/, '');
  return name.includes('.') && !PRIVATE_NAME.test(name);
}

function samePrefix(a: number, b: number, bits: number): boolean {
  return a >>> (32 - bits) === b >>> (32 - bits);
}

function parseIpv4(text: string): number | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Eight groups of 16 bits; an address with a zone ("%eth0") is refused. */
function parseIpv6(text: string): number[] | null {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const v4 = tail ? parseIpv4(tail[2]!) : null;
  if (tail && v4 === null) return null;
  const hex = v4 === null ? text : `${tail![1]}${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`;
  const halves = hex.split('::');
  if (halves.length > 2) return null;
  const [left, right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left!.length - (right?.length ?? 0);
  if (right ? missing < 1 : missing !== 0) return null;
  const groups = [...left!, ...Array<string>(right ? missing : 0).fill('0'), ...(right ?? [])];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}
