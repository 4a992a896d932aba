import { expect } from 'chai';
import { isAllowedUrl, isPublicAddress } from '../../core/base/text/urls.ts';

const PRIVATE_IPV4 = [
  '127.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.5',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];

const PRIVATE_IPV6 = [
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:0:4136:e378::',
  '::ffff:0:127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'fd00:ec2::254',
  'fc00::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001:1ff::1',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  'fe81::1',
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '198.17.0.1',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2a00:1450::1',
  '3ffe::1',
];

const NO_ADDRESS = [
  '',
  'x',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '1.2.3.-4',
  '01234.1.1.1',
  '2606::1::2',
  '2606:1:2:3:4:5:6:7:8',
  '2606:4700',
  '2606:12345::',
  ':::',
  '2606:4700::1.2.3',
  '2606:4700::256.1.1.1',
  '1.1.1.1\n',
];

const REFUSED = [
  'http://8.8.8.8/',
  'ftp://files.test/',
  'file:///etc/passwd',
  'gopher://files.test/',
  'data:text/plain,hi',
  'javascript:alert(1)',
  'https:\\\\127.0.0.1',
  'https:127.0.0.1',
  'https:/files.test',
  'https:///files.test',
  '//evil.test',
  'https://user:pw@files.test/',
  'https://user@files.test/',
  'https://@files.test/',
  'files.test:22',
  'https://files.test:22/',
  'https://files.test:27017/',
  '127.0.0.1:80@example.com',
  'https://127.0.0.1:80@example.com/',
  'example.com#@127.0.0.1',
  'https://example.com#@127.0.0.1',
  'https://example.com\\@127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://127.000.000.001/',
  'https://0/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://x.localhost/',
  'https://vault.internal/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://intranet/',
  'https://nas.home.arpa/',
  'https://files.test/a b',
  'https://files.test/\r\nX: y',
  ' https://files.test/',
  'https://files.test/\t',
  '',
  'https://',
  'https://[::1',
  `https://files.test/${'x'.repeat(2_048)}`,
];

describe('addresses of the Internet', () => {
  it('are distinguished from others', () => {
    for (const address of [...PRIVATE_IPV4, ...PRIVATE_IPV6, ...NO_ADDRESS])
      expect(isPublicAddress(address), address).to.equal(false);
    for (const address of PUBLIC) expect(isPublicAddress(address), address).to.equal(true);
  });
});

describe('URLs that callers chose', () => {
  it('may name a public host over https, at the usual port', () => {
    for (const url of [
      'https://files.test/a.pdf',
      'HTTPS://files.test',
      'https://files.test:443/?a=b#c',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/',
      'https://例え.jp/%20',
      'https://files.test:80/',
    ])
      expect(isAllowedUrl(url), url).to.equal(true);
    expect(isAllowedUrl('http://files.test/', { http: true })).to.equal(true);
    expect(isAllowedUrl('http://files.test/')).to.equal(false);
  });

  it('are refused for what they are or where they lead', () => {
    for (const url of REFUSED) expect(isAllowedUrl(url), url).to.equal(false);
    for (const url of REFUSED.slice(1)) expect(isAllowedUrl(url, { http: true }), url).to.equal(false);
    for (const address of PRIVATE_IPV4) expect(isAllowedUrl(`https://${address}/`), address).to.equal(false);
    for (const address of PRIVATE_IPV6) expect(isAllowedUrl(`https://[${address}]/`), address).to.equal(false);
  });

  it('may be private where the operator lists host and port', () => {
    const rules = { allow: ['127.0.0.1:8080', '[::1]:8443', 'files.internal:80'] };
    for (const url of [
      'http://127.0.0.1:8080/x',
      'https://127.0.0.1:8080/',
      'https://[::1]:8443/',
      'http://files.internal/',
    ])
      expect(isAllowedUrl(url, rules), url).to.equal(true);
    for (const url of [
      'http://127.0.0.1:8081/',
      'http://127.0.0.2:8080/',
      'https://files.internal/',
      'http://u:p@127.0.0.1:8080/',
      'ftp://127.0.0.1:8080/',
    ])
      expect(isAllowedUrl(url, rules), url).to.equal(false);
  });
});
