import { isIP } from 'node:net';

/** An IPv4 address, or the first half of an IPv6 address: a client owns all addresses below it. */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** One spelling for each address: IPv6 as short as it gets, IPv4 where it is mapped to IPv6. null: the text is no address. */
export function plainAddress(text: string): string | null {
  const [address = ''] = text.split('%');
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : null;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped
    ? groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 255])
        .join('.')
    : shortForm(address);
}

/** The network that an address is in: /24 of IPv4, /48 of IPv6. null: the text is no address. */
export function shortenedAddress(text: string): string | null {
  const address = plainAddress(text);
  if (!address) return null;
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const groups = groupsOf(address).slice(0, 3);
  return `${shortForm(`${groups.map((group) => group.toString(16)).join(':')}::`)}/48`;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = shortForm(address)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const missing = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...missing, ...tail].map((group) => Number.parseInt(group, 16));
}

/** As RFC 5952 writes IPv6; the parser of URLs does it, and turns a dotted end into groups. */
function shortForm(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const LOOPBACK_ADDRESS = /^((::ffff:)?127(\.\d{1,3}){3}|::1)$/;

/** Of a URL or a Host header without its port. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname);
}

export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK_ADDRESS.test(address);
}
