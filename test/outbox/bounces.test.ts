// Promise: who left is not mailed.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Phase } from '../../core/mail/ledger/relay.ts';
import {
  type BounceCategory,
  type Classification,
  classifyReply,
  DEFER_MAX_MS,
  parseRetryAfter,
  retryDelayMs,
} from '../../core/mail/ledger/rules/bounces.ts';
import { HOLD_MS_MAX, leastOf } from '../linear/cpu.ts';

type Where = Phase | 'dsn';
type Row = [line: string, where: Where, result: Classification['class'], category: BounceCategory, suppress?: boolean];

/** Replies of the relay of reliability 2.3 and of common servers. */
const REPLIES: Row[] = [
  ['250 2.0.0 Ok: queued as 4XyZ', 'dot', 'accepted', 'none'],
  ['251 User not local; will forward', 'rcpt', 'accepted', 'none'],
  ['421 4.3.2 Service shutting down', 'greeting', 'relay', 'relay'],
  ['554 5.7.1 You are not welcome', 'greeting', 'relay', 'relay'],
  ['421 4.7.0 Too many connections', 'mail', 'relay', 'rate'],
  ['451 4.7.1 Rate limit exceeded, slow down', 'rcpt', 'relay', 'rate'],
  ['535 5.7.8 Authentication failed', 'mail', 'relay', 'relay'],
  ['530 5.7.0 Must issue a STARTTLS command first', 'mail', 'relay', 'relay'],
  ['451 4.3.0 Temporary failure', 'mail', 'relay', 'relay'],
  ['452 4.3.1 Insufficient system storage', 'mail', 'relay', 'relay'],
  ['452 Insufficient system storage', 'mail', 'relay', 'relay'],
  ['451 4.1.8 Sender address rejected: Domain not found', 'mail', 'deferred', 'sender'],
  ['451 Temporary local problem', 'mail', 'deferred', 'temporary'],
  [
    '450 4.2.0 <a@b.test>: Recipient address rejected: Greylisted, see http://postgrey.test/',
    'rcpt',
    'deferred',
    'greylist',
  ],
  ['452 4.2.2 Mailbox full', 'rcpt', 'deferred', 'full'],
  ['452 Insufficient system storage', 'rcpt', 'deferred', 'full'],
  ['552 5.2.2 The email account that you tried to reach is over quota', 'rcpt', 'deferred', 'full'],
  ['552 Requested mail action aborted: exceeded storage allocation', 'rcpt', 'deferred', 'full'],
  [
    '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table',
    'rcpt',
    'bounced',
    'mailbox',
    true,
  ],
  [
    '550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking',
    'rcpt',
    'bounced',
    'mailbox',
    true,
  ],
  ['550 5.2.1 The email account that you tried to reach is disabled', 'rcpt', 'bounced', 'mailbox', true],
  ['550 5.1.2 Bad destination system address', 'rcpt', 'bounced', 'mailbox', true],
  ['501 5.1.3 Bad recipient address syntax', 'rcpt', 'bounced', 'mailbox', true],
  ['556 5.1.10 Recipient address has null MX', 'rcpt', 'bounced', 'mailbox', true],
  ['550 5.1.6 Mailbox has moved', 'rcpt', 'bounced', 'mailbox', true],
  ['550 No such user here', 'rcpt', 'bounced', 'mailbox', true],
  ['550 sorry, no mailbox here by that name. (#5.1.1)', 'rcpt', 'bounced', 'mailbox', true],
  ['550 Requested action not taken: mailbox unavailable', 'rcpt', 'bounced', 'mailbox', true],
  [
    "554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com)",
    'rcpt',
    'bounced',
    'mailbox',
    true,
  ],
  [
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [x.prod.protection.outlook.com]',
    'rcpt',
    'bounced',
    'mailbox',
    true,
  ],
  ['450 4.4.1 Recipient address rejected: Access denied. AS(201806281)', 'rcpt', 'deferred', 'temporary'],
  ['554 5.7.1 <a@b.test>: Recipient address rejected: Access denied', 'rcpt', 'failed', 'reputation'],
  ['554 <a@b.test>: Recipient address rejected: Access denied', 'rcpt', 'failed', 'reputation'],
  ['550 5.7.1 Unknown recipient', 'rcpt', 'bounced', 'mailbox', true],
  ['550 Unrouteable address', 'rcpt', 'bounced', 'mailbox', true],
  ['554 User jdoe (jdoe@b.test) not listed in Domino Directory', 'rcpt', 'bounced', 'mailbox', true],
  ['550 Invalid mailbox', 'dot', 'bounced', 'mailbox', true],
  [
    '450 4.1.1 <a@b.test>: Recipient address rejected: unverified address: user unknown',
    'rcpt',
    'deferred',
    'temporary',
  ],
  [
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery',
    'rcpt',
    'deferred',
    'temporary',
  ],
  ['451 4.4.1 Connection timed out', 'rcpt', 'deferred', 'network'],
  ['550 5.4.4 Host not found', 'rcpt', 'deferred', 'network'],
  ['452 4.5.3 Too many recipients', 'rcpt', 'deferred', 'temporary'],
  ['451 Requested action aborted: local error in processing', 'data', 'deferred', 'temporary'],
  ['451 4.3.0 queue file write error', 'dot', 'deferred', 'temporary'],
  ['552 5.3.4 Message size exceeds fixed limit', 'mail', 'failed', 'size'],
  ['552 Message size exceeds maximum permitted', 'dot', 'failed', 'size'],
  ['552 5.2.3 Message too long', 'dot', 'failed', 'size'],
  ['550 5.7.1 Message rejected by policy', 'dot', 'failed', 'reputation'],
  ['550 spam message rejected', 'dot', 'failed', 'reputation'],
  [
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    'rcpt',
    'failed',
    'reputation',
  ],
  [
    '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL',
    'rcpt',
    'failed',
    'reputation',
  ],
  ['550 5.1.1 <a@b.test> Recipient refused, 192.0.2.1 is listed at dnsbl.test', 'rcpt', 'failed', 'reputation'],
  ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'rcpt', 'failed', 'reputation'],
  [
    "554 Your access to this mail system has been rejected due to the sending MTA's poor reputation",
    'mail',
    'failed',
    'reputation',
  ],
  ['550 permanent failure for one or more recipients (a@b.test:blocked)', 'dot', 'failed', 'reputation'],
  [
    '550 5.7.26 Unauthenticated email from b.test is not accepted due to the DMARC policy',
    'dot',
    'failed',
    'authentication',
  ],
  [
    '550 5.7.515 Access denied, sending domain b.test does not meet the required authentication level',
    'dot',
    'failed',
    'authentication',
  ],
  ['550 5.7.1 Email rejected per SPF policy', 'dot', 'failed', 'authentication'],
  ['550 5.7.25 The IP address has no PTR record', 'rcpt', 'failed', 'authentication'],
  ['553 5.1.8 Sender address rejected: Domain not found', 'mail', 'failed', 'sender'],
  ['550 5.7.27 Sender address has null MX', 'mail', 'failed', 'sender'],
  ['554 5.7.1 <a@b.test>: Relay access denied', 'rcpt', 'failed', 'sender'],
  ['553 Sender denied', 'mail', 'failed', 'sender'],
  ['503 5.5.1 Bad sequence of commands', 'data', 'failed', 'protocol'],
  ['500 Syntax error', 'data', 'failed', 'protocol'],
  ['554 5.6.0 Message content rejected', 'dot', 'failed', 'content'],
  ['550 Rejected', 'rcpt', 'bounced', 'unknown'],
  ['554 Transaction failed', 'dot', 'failed', 'unknown'],
  ['0 ', 'rcpt', 'deferred', 'temporary'],
];

/** Status and Diagnostic-Code of reports, as the usual servers write them. */
const REPORTS: [status: string, diagnostic: string, category: BounceCategory, suppress: boolean][] = [
  ['5.1.1', 'smtp; 550 5.1.1 <a@b.test>: Recipient address rejected: User unknown', 'mailbox', true],
  ['5.1.1', 'smtp; 550-5.1.1 The email account that you tried to reach does not exist.', 'mailbox', true],
  ['5.0.0', 'smtp; 550 Unknown user', 'mailbox', true],
  ['5.0.0', 'smtp; 550 Administrative prohibition', 'unknown', false],
  [
    '5.1.10',
    'smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    'mailbox',
    true,
  ],
  ['5.2.1', 'smtp; 550 5.2.1 The email account that you tried to reach is inactive', 'mailbox', true],
  ['5.2.2', 'smtp; 552 5.2.2 Mailbox size limit exceeded', 'full', false],
  ['4.2.2', 'smtp; 452-4.2.2 The email account that you tried to reach is over quota', 'full', false],
  ['5.7.1', 'smtp; 550 5.7.1 Message rejected due to content restrictions', 'reputation', false],
  ['5.7.1', 'smtp; 554 5.7.1 <a@b.test>: Recipient address rejected: Access denied', 'reputation', false],
  ['5.4.1', 'smtp;550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'mailbox', true],
  ['5.7.26', 'smtp; 550-5.7.26 This mail is unauthenticated', 'authentication', false],
  ['5.7.1', 'smtp;550 5.7.1 RESOLVER.RST.AuthRequired; authentication required', 'reputation', false],
  ['4.4.7', 'smtp; 421 4.4.7 Message expired', 'expired', false],
  ['5.4.7', 'Delivery expired', 'expired', false],
  ['4.4.1', 'X-Postfix; connect to b.test[192.0.2.1]:25: Connection timed out', 'network', false],
  [
    '5.4.4',
    'X-Postfix; Host or domain name not found. Name service error for name=b.test type=A: Host not found',
    'network',
    false,
  ],
  ['5.4.6', 'smtp; 554 5.4.6 Too many hops', 'network', false],
  ['5.3.4', 'smtp; 552 5.3.4 Message size exceeds fixed maximum message size', 'size', false],
  ['4.0.0', 'smtp; 451 Temporary local problem - please try later', 'expired', false],
  ['', '550 5.1.1 user unknown', 'mailbox', true],
  ['', 'something went wrong', 'unknown', false],
];

describe('bounces', () => {
  for (const [line, where, result, category, suppress = false] of REPLIES)
    it(`${where}: ${line.slice(0, 90)} is ${result}, ${category}`, () => {
      const answer = classifyReply(reply(line, where));
      expect({ class: answer.class, category: answer.category, suppress: answer.suppress }).to.deep.equal({
        class: result,
        category,
        suppress,
      });
    });

  for (const [status, diagnostic, category, suppress] of REPORTS)
    it(`a report of "${status} ${diagnostic.slice(0, 70)}" bounced: ${category}`, () => {
      const answer = classifyReply({
        code: Number(/\b[245]\d\d\b/.exec(diagnostic)?.[0] ?? 0),
        enhanced: status || null,
        text: diagnostic,
        phase: 'dsn',
      });
      expect({ class: answer.class, category: answer.category, suppress: answer.suppress }).to.deep.equal({
        class: 'bounced',
        category,
        suppress,
      });
    });

  it('suppresses soft bounces only when they repeat', () => {
    expect(classifyReply({ code: 552, enhanced: '5.2.2', text: 'full', phase: 'dsn' }).suppressAfter).to.deep.equal({
      bounces: 3,
      days: 30,
    });
    expect(classifyReply({ code: 550, text: 'Rejected', phase: 'rcpt' }).suppressAfter).to.deep.equal({
      bounces: 2,
      days: 7,
    });
    expect(
      classifyReply({ code: 0, enhanced: '5.4.4', text: 'host not found', phase: 'dsn' }).suppressAfter,
    ).to.deep.equal({ bounces: 3, days: 2 });
    expect(classifyReply({ code: 550, enhanced: '5.7.1', text: 'spam', phase: 'dsn' }).suppressAfter).to.equal(null);
    expect(classifyReply({ code: 452, enhanced: '4.2.2', text: 'full', phase: 'rcpt' }).suppressAfter).to.equal(null);
  });

  it('says when the fault is the sender’s own', () => {
    expect(classifyReply({ code: 550, enhanced: '5.7.26', text: '', phase: 'dot' }).ownFault).to.equal(true);
    expect(classifyReply({ code: 553, enhanced: '5.1.8', text: '', phase: 'mail' }).ownFault).to.equal(true);
    expect(classifyReply({ code: 550, enhanced: '5.1.1', text: '', phase: 'rcpt' }).ownFault).to.equal(false);
  });

  it('answers for any reply, and never suppresses for one that is temporary, ours or about a list', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(...REPLIES.map(([line]) => line.slice(4)), ...REPORTS.map(([, line]) => line)),
    );
    const where = fc.constantFrom<Where>('connect', 'greeting', 'mail', 'rcpt', 'data', 'body', 'dot', 'dsn');
    const enhanced = fc.oneof(
      fc.constant(null),
      fc.string(),
      fc.tuple(fc.constantFrom(2, 4, 5), fc.nat(9), fc.nat(999)).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.integer({ min: 200, max: 599 })),
        enhanced,
        text,
        where,
        (code, status, said, phase) => {
          const answer = classifyReply({ code, enhanced: status, text: said, phase });
          expect(answer.class).to.be.oneOf(['accepted', 'relay', 'deferred', 'bounced', 'failed']);
          if (answer.suppress) expect(answer.category).to.equal('mailbox');
          if (answer.suppress && phase !== 'dsn') expect(code).to.be.within(500, 599);
          if (/spamhaus/i.test(said)) expect(answer.suppress).to.equal(false);
          if (code >= 400 && code < 500 && phase !== 'dsn') expect(answer.class).to.be.oneOf(['deferred', 'relay']);
          if (answer.class !== 'accepted') expect(answer.reason).not.to.equal('');
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('reads a hostile reply of any length at once', () => {
    for (const text of [
      'user '.repeat(100_000),
      'retry again '.repeat(100_000),
      '5.1.'.repeat(100_000),
      'mailbox mail from sender '.repeat(50_000),
    ])
      expect(leastOf(() => classifyReply({ code: 550, text, phase: 'rcpt' }))).to.be.below(HOLD_MS_MAX);
  });

  const HINTS: [string, number | null][] = [
    ['Greylisted, please try again in 5 minutes', 300_000],
    ['try again in 60 seconds', 60_000],
    ['Please retry after 90s', 90_000],
    ['Greylisting in effect, retry in 00300 seconds', 300_000],
    ['temporarily deferred, come back in 2 hours', 7_200_000],
    ['try again in 0 seconds', 5_000],
    ['try again in 99999 hours', 86_400_000],
    ['try again later', null],
    ['we serve 5 minutes of music', null],
    ['', null],
  ];
  for (const [text, ms] of HINTS) it(`hears ${ms} ms in "${text}"`, () => expect(parseRetryAfter(text)).to.equal(ms));

  it('waits 5 and 15 minutes, 1, 3, 6 and 12 hours, and up to a fifth longer', () => {
    const minutes = [1, 2, 3, 4, 5, 6].map(
      (deferrals) => retryDelayMs({ deferrals, elapsedMs: 0, jitter: 0 })! / 60_000,
    );
    expect(minutes).to.deep.equal([5, 15, 60, 180, 360, 720]);
    expect(retryDelayMs({ deferrals: 1, elapsedMs: 0, jitter: 1 })).to.equal(360_000);
  });

  it('takes the receiver’s word the first time, and never comes earlier than it says', () => {
    expect(retryDelayMs({ deferrals: 1, elapsedMs: 0, jitter: 0, retryAfterMs: 60_000 })).to.equal(60_000);
    expect(retryDelayMs({ deferrals: 2, elapsedMs: 0, jitter: 0, retryAfterMs: 60_000 })).to.equal(900_000);
    expect(retryDelayMs({ deferrals: 2, elapsedMs: 0, jitter: 0, retryAfterMs: 3_600_000 })).to.equal(3_600_000);
  });

  it('tries for the last time at 24 hours, and then gives up', () => {
    expect(retryDelayMs({ deferrals: 6, elapsedMs: DEFER_MAX_MS - 1_000, jitter: 1 })).to.equal(1_000);
    expect(retryDelayMs({ deferrals: 7, elapsedMs: DEFER_MAX_MS, jitter: 0 })).to.equal(null);
  });
});

/** As platform/smtp reads a reply: code, status, text. */
function reply(line: string, phase: Where): Parameters<typeof classifyReply>[0] {
  const [, code, enhanced, text] = /^(\d+) (?:([245]\.\d+\.\d+) )?(.*)$/s.exec(line)!;
  return { code: Number(code), enhanced: enhanced ?? null, text: text!, phase };
}
