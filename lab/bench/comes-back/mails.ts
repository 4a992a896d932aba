import { generateKeyPairSync } from 'node:crypto';
import { signMessage } from '../../../platform/dkim/sign.ts';
import type { DnsStandIn } from '../../../test/support/mail/dns-stand-in.ts';

export const MAIL_BYTES = 20_000;
const DOMAIN = 'bench.example.net';
const LINE = 'Gr=C3=BC=C3=9Fe, a paragraph of a letter, as quoted-printable has it, and so on=20=\r\n';

/** So many letters as people write them, text and HTML, each signed beforehand, of a domain that publishes SPF, DKIM and DMARC. */
export function letters(dns: DnsStandIn, count: number): (index: number) => string {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  dns.set(DOMAIN, 'TXT', ['v=spf1 ip4:127.0.0.0/8 -all']);
  dns.set(`bench._domainkey.${DOMAIN}`, 'TXT', [`v=DKIM1; k=rsa; p=${spki}`]);
  dns.set(`_dmarc.${DOMAIN}`, 'TXT', ['v=DMARC1; p=reject']);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const head = [
    `From: Ann <ann@${DOMAIN}>`,
    'To: desk@mail.example.com',
    'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    'Date: Fri, 20 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=part',
  ];
  const [text, html] = [1 / 3, 2 / 3].map((share) => LINE.repeat((MAIL_BYTES * share) / LINE.length));
  const encoding = 'charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable';
  const body = `--part\r\nContent-Type: text/plain; ${encoding}\r\n\r\n${text}\r\n--part\r\nContent-Type: text/html; ${encoding}\r\n\r\n<p>${html}</p>\r\n--part--\r\n`;
  const mail = `${head.join('\r\n')}\r\n\r\n${body}`;
  const key = { domain: DOMAIN, selector: 'bench', privateKey: pem };
  const tops = Array.from({ length: count }, (_, index) => {
    const messageId = `Message-ID: <${index}@${DOMAIN}>\r\n`;
    return `${signMessage(`${messageId}${mail}`, [key], new Date())}${messageId}`;
  });
  return (index) => `${tops[index]}${mail}`;
}

export const MAIL_FROM = `ann@${DOMAIN}`;
export const MAIL_TO = 'desk@mail.example.com';
