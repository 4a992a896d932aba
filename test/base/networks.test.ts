import { isIP } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { plainAddress, shortenedAddress } from '../../core/base/text/networks.ts';
import { networkAddressFor } from '../../core/consent/consents/record.ts';

const SHORTENED: [string, string][] = [
  ['203.0.113.77', '203.0.113.0/24'],
  ['0.0.0.0', '0.0.0.0/24'],
  ['255.255.255.255', '255.255.255.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['::FFFF:203.0.113.77', '203.0.113.0/24'],
  ['::ffff:cb00:714d', '203.0.113.0/24'],
  ['0:0:0:0:0:ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:12:3456:789a:bcde:f012:3456', '2001:db8:12::/48'],
  ['2001:DB8:0012::1', '2001:db8:12::/48'],
  ['2001:db8::1', '2001:db8::/48'],
  ['2001::1:0:0:7', '2001::/48'],
  ['::1', '::/48'],
  ['::', '::/48'],
  ['1::', '1::/48'],
  ['0:0:5::1', '0:0:5::/48'],
  ['64:ff9b::203.0.113.77', '64:ff9b::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
];

const REFUSED = ['', ' ', '203.0.113', '203.0.113.256', '203.0.113.77/24', '01.2.3.4', 'a', '::g', '1::2::3', '[::1]'];

const ipv4Bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const ipv6Groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });

describe('Network addresses', () => {
  for (const [address, shortened] of SHORTENED)
    it(`${address} is shortened to ${shortened}`, () => expect(shortenedAddress(address)).to.equal(shortened));

  for (const text of REFUSED)
    it(`"${text}" is no address`, () => {
      expect(shortenedAddress(text)).to.equal(null);
      expect(plainAddress(text)).to.equal(null);
    });

  it('of IPv4 keep the first three bytes, and have the same form mapped to IPv6', () => {
    fc.assert(
      fc.property(ipv4Bytes, (bytes) => {
        const address = bytes.join('.');
        expect(shortenedAddress(address)).to.equal(`${bytes.slice(0, 3).join('.')}.0/24`);
        expect(plainAddress(address)).to.equal(address);
        expect(plainAddress(`::ffff:${address}`)).to.equal(address);
      }),
    );
  });

  it('of IPv6 keep the first three groups, however they are written', () => {
    fc.assert(
      fc.property(ipv6Groups, (groups) => {
        fc.pre(groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff);
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const first = [...groups.slice(0, 3), 0, 0, 0, 0, 0].map((group) => group.toString(16)).join(':');
        const [network = '', bits] = shortenedAddress(long)?.split('/') ?? [];
        expect(bits).to.equal('48');
        expect(isIP(network)).to.equal(6);
        expect(network).to.equal(plainAddress(first));
        expect(shortenedAddress(plainAddress(long) ?? '')).to.equal(`${network}/48`);
        expect(plainAddress(long.toUpperCase())).to.equal(plainAddress(long));
      }),
    );
  });

  it('never keep the last byte of IPv4 or the last five groups of IPv6', () => {
    fc.assert(
      fc.property(ipv6Groups, fc.array(fc.nat(0xffff), { minLength: 5, maxLength: 5 }), (groups, others) => {
        const isMapped = (all: number[]) => all.slice(0, 5).every((group) => group === 0) && all[5] === 0xffff;
        const other = [...groups.slice(0, 3), ...others];
        fc.pre(!isMapped(groups) && !isMapped(other));
        const written = (all: number[]) => all.map((group) => group.toString(16)).join(':');
        expect(shortenedAddress(written(groups))).to.equal(shortenedAddress(written(other)));
      }),
    );
  });

  it('are never read with an error, whatever the text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4()), (text) => void shortenedAddress(text)));
  });

  it('are stored as the project says', () => {
    const project = { _id: new ObjectId() };
    const address = '::ffff:203.0.113.77';
    expect(networkAddressFor(project, address)).to.equal('203.0.113.0/24');
    expect(networkAddressFor({ ...project, consentAddress: 'shortened' }, address)).to.equal('203.0.113.0/24');
    expect(networkAddressFor({ ...project, consentAddress: 'full' }, address)).to.equal('203.0.113.77');
    expect(networkAddressFor({ ...project, consentAddress: 'none' }, address)).to.equal(null);
    for (const consentAddress of ['shortened', 'full', 'none'] as const) {
      expect(networkAddressFor({ ...project, consentAddress }, 'nowhere')).to.equal(null);
      expect(networkAddressFor({ ...project, consentAddress }, undefined)).to.equal(null);
    }
  });
});
