import { expect } from 'chai';
import type { Domain, Finding } from '../../core/domains/model.ts';
import { describeWait, nextCheckDelayMs, RECORDS_PATIENCE_MS } from '../../core/domains/rules/check-schedule.ts';
import {
  type DomainRecords,
  findDkim,
  findDmarc,
  findMx,
  findSpf,
  findText,
} from '../../core/domains/rules/records.ts';
import { afterCheck, type Findings } from '../../core/domains/rules/status.ts';

describe('DNS records of a domain', () => {
  const cases: Array<[title: string, found: Finding, expected: Finding]> = [
    ['ownership among other records', findText(['v=other', ' everpost=1 '], 'everpost=1'), 'found'],
    ['another ownership value', findText(['everpost=2'], 'everpost=1'), 'different'],
    ['no record', findText([], 'everpost=1'), 'absent'],
    ['no answer', findText(null, 'everpost=1'), 'unanswered'],
    ['the DKIM key alone, spaced and out of order', findDkim(['p = AB CD; v=DKIM1'], 'ABCD'), 'found'],
    ['a key that only begins like ours', findDkim(['v=DKIM1; p=ABCDE'], 'ABCD'), 'different'],
    ['a revoked key', findDkim(['v=DKIM1; p='], 'ABCD'), 'different'],
    ['a key with padding', findDkim(['v=DKIM1;k=rsa;p=ABC='], 'ABC='), 'found'],
    [
      'MX with a final dot and capitals',
      findMx([{ exchange: 'MAIL.example.com.', priority: 5 }], 'mail.example.com'),
      'found',
    ],
    ['MX elsewhere', findMx([{ exchange: 'mx.example.com', priority: 5 }], 'mail.example.com'), 'different'],
    ['our SPF mechanisms among others', findSpf(['v=spf1 mx a:m.test -all'], 'v=spf1 a:m.test ~all'), 'found'],
    ['SPF without ours', findSpf(['v=spf1 mx -all'], 'v=spf1 a:m.test ~all'), 'different'],
    ['two SPF records', findSpf(['v=spf1 a:m.test ~all', 'v=spf1 mx -all'], 'v=spf1 a:m.test ~all'), 'different'],
    ['TXT but no SPF', findSpf(['v=spf10 a:m.test', 'hello'], 'v=spf1 a:m.test ~all'), 'absent'],
    ['any DMARC policy', findDmarc(['v=DMARC1; p=none']), 'found'],
    ['DMARC without a policy', findDmarc(['v=DMARC1; rua=mailto:a@example.com']), 'different'],
  ];
  for (const [title, found, expected] of cases) it(`${title}: ${expected}`, () => expect(found).to.equal(expected));
});

describe('The waits between looks', () => {
  it('grow from 15 seconds to an hour and end after three days', () => {
    const waits: number[] = [];
    for (let look = 1; ; look++) {
      const wait = nextCheckDelayMs(look);
      if (wait === null) break;
      waits.push(wait);
    }
    expect(waits[0]).to.equal(15_000);
    expect(waits).to.deep.equal(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).to.equal(3_600_000);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).to.be.within(RECORDS_PATIENCE_MS, RECORDS_PATIENCE_MS + 3_600_000);
  });

  it('are said in words', () => {
    expect([15_000, 60_000, 300_000, 3_600_000, 7_200_000].map(describeWait)).to.deep.equal([
      '15 seconds',
      '1 minute',
      '5 minutes',
      '1 hour',
      '2 hours',
    ]);
  });
});

describe('A domain after a check', () => {
  const now = new Date('2026-01-10T00:00:00.000Z');
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const all = (finding: Finding): Findings => ({
    ownership: finding,
    dkim: finding,
    dkimEd25519: finding,
    mailFrom: finding,
    dmarc: finding,
    inboundMx: finding,
  });
  const record = { name: 'n', value: 'v', type: 'TXT', purpose: '' } as const;
  const records: DomainRecords = { ownership: record, dkim: record, mailFrom: [record, record], dmarc: record };
  const fresh = {
    verificationStatus: 'PENDING_CONFIGURATION',
    ownershipVerified: false,
    dkimEnabled: false,
    mailFromEnabled: false,
    dmarcEnabled: false,
    lastCheckedAt: null,
    verifiedAt: null,
    missingSince: null,
    inboundEnabledAt: null,
    inboundDomainVerifiedAt: null,
  } as Partial<Domain> as Domain;
  const verified: Domain = {
    ...fresh,
    verificationStatus: 'VERIFIED',
    ownershipVerified: true,
    dkimEnabled: true,
    verifiedAt: ago(99),
  };
  const check = (domain: Domain, findings: Findings) => afterCheck(domain, findings, records, now);

  it('no answer at all leaves even a new domain as it was', () => {
    const result = check(fresh, all('unanswered'));
    expect(result).to.include({ verificationStatus: 'PENDING_CONFIGURATION', lastCheckedAt: null });
  });

  it('half an answer never verifies: earlier findings do not replace missing answers', () => {
    const half = { ...fresh, verificationStatus: 'PENDING', dkimEnabled: true } as Domain;
    expect(check(half, { ...all('found'), dkim: 'unanswered' })).to.include({
      verificationStatus: 'PENDING',
      ownershipVerified: true,
    });
  });

  it('absence is counted from its first answer, ends with both found again, and takes 72 hours', () => {
    const missing = { ...all('found'), dkim: 'absent' as const };
    expect(check(verified, missing)).to.deep.include({ verificationStatus: 'VERIFIED', missingSince: now });
    expect(check({ ...verified, missingSince: ago(71) }, missing)).to.deep.include({
      verificationStatus: 'VERIFIED',
      missingSince: ago(71),
    });
    expect(check({ ...verified, missingSince: ago(72) }, missing)).to.deep.include({
      verificationStatus: 'PENDING',
      verifiedAt: null,
    });
    expect(check({ ...verified, missingSince: ago(99) }, all('unanswered'))).to.deep.include({
      verificationStatus: 'VERIFIED',
      missingSince: ago(99),
    });
    expect(check({ ...verified, missingSince: ago(99) }, all('found'))).to.deep.include({
      verificationStatus: 'VERIFIED',
      missingSince: null,
      verifiedAt: ago(99),
    });
  });

  it('the Ed25519 record is found or not by itself, and no verification waits for it', () => {
    const without = { ...all('found'), dkimEd25519: 'absent' as const };
    expect(check(verified, without)).to.include({
      verificationStatus: 'VERIFIED',
      dkimEd25519Enabled: false,
      message: null,
    });
    const signing = { ...verified, dkimEd25519Enabled: true };
    expect(check(signing, { ...without, dkimEd25519: 'unanswered' }).dkimEd25519Enabled).to.equal(true);
    expect(check(signing, without).dkimEd25519Enabled).to.equal(false);
    expect(check(verified, all('found')).dkimEd25519Enabled).to.equal(true);
  });

  it('inbound goes live once, and only while it is enabled', () => {
    expect(check(verified, all('found')).inboundDomainVerifiedAt).to.equal(null);
    const enabled = { ...verified, inboundEnabledAt: ago(5) };
    expect(check(enabled, all('found')).inboundDomainVerifiedAt).to.deep.equal(now);
    const live = { ...enabled, inboundDomainVerifiedAt: ago(3) };
    expect(check(live, all('found')).inboundDomainVerifiedAt).to.deep.equal(ago(3));
  });
});
