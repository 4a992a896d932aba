import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { pino } from 'pino';
import type { MailReader, MailVerdicts } from '../../core/inbound/mail.ts';
import { signMessage } from '../../platform/dkim/sign.ts';
import { createMailReader } from '../../platform/inbound/reader.ts';
import { withFewSignatures } from '../../platform/inbound/signatures.ts';
import { leastOf } from '../linear/cpu.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';

const MEGABYTE = 1_048_576;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const KEY_RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const AT = new Date('2026-11-22T12:00:00Z');

describe('The verification of mail that comes in', function () {
  this.timeout(60_000);
  let dns: DnsStandIn;
  let reader: MailReader;
  before(async () => {
    dns = await startDnsStandIn();
  });
  after(() => dns.stop());
  beforeEach(() => {
    const config = { dnsServers: [dns.address], mailHost: 'mail.example.com' };
    reader = createMailReader(config, pino({ level: 'silent' }));
  });
  afterEach(() => {
    dns.behave('answer');
    return reader.close();
  });

  /** A domain that signs its mail. DNS answers are cached, so each mail has its own. */
  function newDomain(): string {
    const name = `d${new ObjectId().toHexString()}.example`;
    dns.set(`s._domainkey.${name}`, 'TXT', [KEY_RECORD]);
    dns.set(`_dmarc.${name}`, 'TXT', ['v=DMARC1; p=reject']);
    return name;
  }
  const verify = (raw: string, remoteAddress = '198.51.100.7'): Promise<MailVerdicts> =>
    reader.verify(Buffer.from(raw), { mailFrom: 'a@elsewhere.example', remoteAddress, helo: 'x.example' });
  const mailOf = (domain: string) => `From: ada@${domain}\r\nTo: b@in.example\r\nSubject: s\r\n\r\nHello\r\n`;
  const signatureOf = (domain: string, raw = mailOf(domain)) =>
    signMessage(raw, [{ domain, selector: 's', privateKey: PEM }], AT);
  const signed = (domain: string) => signatureOf(domain) + mailOf(domain);
  /** Whose body hash is wrong, with or without a length of the body. */
  const wrong = (domain: string, number: number, length?: number) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s${number};${length === undefined ? '' : ` l=${length};`} h=from; bh=AAAA; b=AAAA\r\n`;

  /** Every length is a hash of its own. */
  function hostile(signatures: number, bytes: number): string {
    const domain = newDomain();
    const some = Array.from({ length: signatures }, (_, number) => wrong(domain, number, bytes - number));
    return `${some.join('')}${mailOf(domain)}${`${'x y '.repeat(19)}\r\n`.repeat(Math.floor(bytes / 78))}`;
  }

  it('of a letter with many signatures of a part of the body takes no longer, and the next mail is verified', async () => {
    const before = verify(hostile(60, 4 * MEGABYTE));
    expect(await verify(signed(newDomain()), '198.51.100.8')).to.deep.include({ dkim: 'PASS', dmarc: 'PASS' });
    expect(await before).to.include({ dkim: 'NONE', isFinal: true });
    expect(await verify(signed(newDomain()))).to.deep.include({ dkim: 'PASS', dmarc: 'PASS' });
  });

  it('looks at ten signatures, and at none that covers a part of the body or is longer than a signature is', async () => {
    const domain = newDomain();
    const lookedAtFirst = (count: number) =>
      Array.from({ length: count }, (_, number) => wrong(domain, number)).join('');
    expect(await verify(lookedAtFirst(9) + signed(domain))).to.include({ dkim: 'PASS', dmarc: 'PASS' });
    expect(await verify(lookedAtFirst(10) + signed(domain))).to.include({ dmarc: 'FAIL' });
    const ofPart = Array.from({ length: 20 }, (_, number) => wrong(domain, number, 3)).join('');
    expect(await verify(ofPart + signed(domain))).to.include({ dkim: 'PASS', dmarc: 'PASS' });
    for (const tag of ['l=5;', 'L = 5 ;', '\r\n\tl=\r\n 5;', `x=${'y'.repeat(8_192)};`]) {
      const own = newDomain();
      const partly = signatureOf(own).replace('v=1;', `v=1; ${tag}`);
      expect(withFewSignatures(Buffer.from(partly + mailOf(own)))!.toString(), tag).to.equal(mailOf(own));
      expect(await verify(partly + mailOf(own)), tag).to.include({ dkim: 'NONE', dmarc: 'FAIL' });
    }
  });

  it('reads a header as the verifier does, whatever its line ends are', () => {
    const signature = wrong('a.example', 1, 5).trim();
    for (const [mail, left] of [
      [`A: b\n${signature}\n\nx`, 'A: b\r\n\r\nx'],
      [`A: b\r\n${signature.replace(':', '\r\n :')}\r\n\n${signature}`, `A: b\r\n\r\n${signature}`],
      [`\r\n${signature}\r\n\r\n`, `\r\n${signature}\r\n\r\n`],
      [`${signature}`, '\r\n'],
    ] as const)
      expect(withFewSignatures(Buffer.from(mail))!.toString(), JSON.stringify(mail)).to.equal(left);
    for (const long of [`A: ${'x'.repeat(262_144)}\r\n\r\n`, `A: x\r\n${' x\r\n'.repeat(1_501)}\r\n`])
      expect(withFewSignatures(Buffer.from(long))).to.equal(null);
    const most = Buffer.from(
      `${'A: x\r\n'.repeat(100)}${wrong('a.example', 1, 5)}A: x\r\n${' x\r\n'.repeat(1_350)}\r\n`,
    );
    expect(leastOf(() => withFewSignatures(most), 250)).to.be.below(250);
  });

  it('is there for others while the servers of one domain do not answer', async () => {
    const silent = newDomain();
    dns.behave('silent', [`s._domainkey.${silent}`, `_dmarc.${silent}`, 'elsewhere.example']);
    expect(await verify(signed(silent))).to.include({ dmarc: 'NONE', isFinal: false });
    dns.behave('silent', [`s._domainkey.${silent}`, `_dmarc.${silent}`]);
    expect(await verify(signed(newDomain()), '198.51.100.8')).to.deep.include({ dkim: 'PASS', dmarc: 'PASS' });
  });
});
