import fc from 'fast-check';
import { returnedMails } from '../../fixtures/inbound/mails.ts';

const LONG = 100_000;
const CHARACTERS = [...'<>-=?@.,;:"\'()\\[]{}/%&_*+# \t\r\n0a\u00e9\u2028'];
/** Words that the readers of mails and reports look for. */
const PHRASES = [
  ...[
    'Delivery has failed',
    'could not be delivered',
    'user unknown',
    'mailbox full',
    '550 5.1.1',
    '(#5.1.1)',
    '4.2.2',
  ],
  ...['rfc822; ada@example.net', 'smtp; 550 5.1.1 no such user', '<ada@example.net>:', 'try again in 5 minutes'],
  ...['abuse', 'not-spam', 'failed', 'delayed', 'delivered', 'auto-replied', '5.1.1', 'utf-8', 'x-nothing'],
  ...[
    '=?utf-8?B?8J+YgA==?=',
    '=?utf-8?Q?=0D=0ABcc:=20x?=',
    '=?x?',
    '--b',
    '--b--',
    '&#0;',
    '<a href=',
    '=\r\n',
    '\u0000',
  ],
];
const HEADERS = [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References', 'Return-Path'],
  ...['Auto-Submitted', 'Precedence', 'X-Failed-Recipients', 'List-Unsubscribe', 'MIME-Version', '__proto__', 'X'],
  ...['Content-Type', 'Content-Disposition', 'Content-Transfer-Encoding', 'Content-ID'],
];
const FIELDS = [
  ...['Reporting-MTA', 'Original-Recipient', 'Final-Recipient', 'Action', 'Status', 'Diagnostic-Code'],
  ...['Feedback-Type', 'Original-Mail-From', 'Original-Rcpt-To', 'Arrival-Date', 'Removal-Recipient'],
];
const TYPES = [
  ...['text/plain', 'text/html; charset=utf-8', 'text/plain; charset="x-nothing"', 'text/calendar', 'image/png'],
  ...['message/delivery-status', 'message/global-delivery-status', 'message/feedback-report', 'message/rfc822'],
  ...['text/rfc822-headers', 'application/octet-stream; name="../../x"', 'text/plain; format=flowed; delsp=yes'],
];
const MULTIPARTS = [
  'multipart/mixed',
  'multipart/alternative',
  'multipart/report; report-type=delivery-status',
  'multipart/related',
];

const run = fc
  .tuple(fc.constantFrom(...CHARACTERS, ...PHRASES), fc.constantFrom(20, 1_000, LONG))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length));

/** Text of all kinds, with `names` (ids, addresses, links) among it. */
export function texts(names: readonly string[] = []): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PHRASES, ...names) },
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
    { weight: 1, arbitrary: run },
  );
  return fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
}

/** The fields of a delivery or feedback report, in one or more groups. */
export function reportTexts(names: readonly string[] = []): fc.Arbitrary<string> {
  const field = fc.tuple(fc.constantFrom(...FIELDS), texts(names)).map(([name, value]) => `${name}: ${value}`);
  const line = fc.oneof(
    { weight: 6, arbitrary: field },
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: texts(names) },
  );
  return fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\r\n'));
}

/** Mails as bytes (latin1): made of parts, or mails of known programs with something in the middle or without an end. */
export function mails(names: readonly string[]): fc.Arbitrary<string> {
  const { mail } = fc.letrec<{ mail: string; part: string; body: string }>((tie) => ({
    mail: fc.tuple(headers(names), tie('part')).map(([head, part]) => `${head}\r\n${part}`),
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc
        .tuple(
          fc.constantFrom(...TYPES),
          headers(names),
          fc.oneof(reportTexts(names), texts(names), headers(names)),
          fc.constantFrom('8bit', 'base64', 'quoted-printable'),
        )
        .map(
          ([type, head, body, encoding]) =>
            `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n${head}\r\n\r\n${body}`,
        ),
      fc
        .tuple(
          fc.constantFrom(...MULTIPARTS),
          fc.array(fc.oneof({ weight: 3, arbitrary: tie('part') }, { weight: 1, arbitrary: tie('mail') }), {
            maxLength: 4,
          }),
          fc.boolean(),
        )
        .map(
          ([type, parts, isEnded]) =>
            `Content-Type: ${type}; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}${isEnded ? '--b--' : ''}`,
        ),
    ) as fc.Arbitrary<string>,
    body: texts(names),
  }));
  const known = fc
    .tuple(fc.constantFrom(...returnedMails.map(({ raw }) => raw)), fc.nat(), fc.nat(), texts(names), fc.boolean())
    .map(([raw, at, cut, text, isCut]) => {
      const from = at % raw.length;
      return isCut ? raw.slice(0, from) : raw.slice(0, from) + text + raw.slice(from + (cut % 40));
    });
  return fc.oneof(
    { weight: 3, arbitrary: mail },
    { weight: 2, arbitrary: known },
    { weight: 1, arbitrary: complaints(names) },
  );
}

/** A feedback report about a mail that names one of `names` where its address and its project are looked for. */
function complaints(names: readonly string[]): fc.Arbitrary<string> {
  const { raw } = returnedMails.find(({ name }) => name === 'a complaint, abuse')!;
  return fc
    .tuple(fc.constantFrom('List-Unsubscribe', 'Return-Path', 'Errors-To'), fc.constantFrom(...names))
    .map(([header, name]) => raw.replace('Subject: Our news of this week', `${header}: <${name}>`));
}

function headers(names: readonly string[]): fc.Arbitrary<string> {
  const header = fc.tuple(fc.constantFrom(...HEADERS), texts(names)).map(([name, value]) => `${name}: ${value}`);
  return fc.array(header, { maxLength: 8 }).map((lines) => lines.join('\r\n'));
}
