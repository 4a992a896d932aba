import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../core/base/text/networks.ts';

/** An address, or a network in the form 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsOf(version));
}

export function networkSet(networks: readonly string[]): BlockList {
  const set = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    set.addSubnet(address, Number(bits ?? bitsOf(version)), version === 6 ? 'ipv6' : 'ipv4');
  }
  return set;
}

function bitsOf(version: number): number {
  return version === 6 ? 128 : 32;
}

export function isAmong(set: BlockList | undefined, address: string): boolean {
  const plain = plainAddress(address);
  return plain !== null && set?.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4') === true;
}
