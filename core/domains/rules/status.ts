import type { Domain, Finding, RecordName } from '../model.ts';
import { RECORDS_PATIENCE_MS } from './check-schedule.ts';
import type { DomainRecords } from './records.ts';

export interface Findings {
  ownership: Finding;
  dkim: Finding;
  dkimEd25519: Finding;
  mailFrom: Finding;
  dmarc: Finding;
  inboundMx: Finding;
}

export type DomainResult = Pick<
  Domain,
  | 'verificationStatus'
  | 'ownershipVerified'
  | 'dkimEnabled'
  | 'dkimEd25519Enabled'
  | 'mailFromEnabled'
  | 'dmarcEnabled'
  | 'message'
  | 'lastCheckedAt'
  | 'verifiedAt'
  | 'missingSince'
  | 'lostSince'
  | 'inboundDomainVerifiedAt'
>;

/** The domain after a check of DNS. A record without an answer keeps its former state. */
export function afterCheck(domain: Domain, findings: Findings, records: DomainRecords, now: Date): DomainResult {
  const isAnswered = Object.values(findings).some((finding) => finding !== 'unanswered');
  const verification = verify(domain, findings, now);
  const isLive = domain.inboundEnabledAt !== null && findings.inboundMx === 'found';
  return {
    ...verification,
    lostSince: lostAfter(domain, findings, now),
    ownershipVerified: known(findings.ownership, domain.ownershipVerified),
    dkimEnabled: known(findings.dkim, domain.dkimEnabled),
    dkimEd25519Enabled: known(findings.dkimEd25519, domain.dkimEd25519Enabled ?? false),
    mailFromEnabled: known(findings.mailFrom, domain.mailFromEnabled),
    dmarcEnabled: known(findings.dmarc, domain.dmarcEnabled),
    inboundDomainVerifiedAt: domain.inboundDomainVerifiedAt ?? (isLive ? now : null),
    lastCheckedAt: isAnswered ? now : domain.lastCheckedAt,
    message: isAnswered ? describe(verification, findings, records) : NO_ANSWER,
  };
}

/** Another project has the name: the findings are kept, and the domain waits. */
export function afterTaken(result: DomainResult): DomainResult {
  return {
    ...result,
    verificationStatus: 'PENDING',
    verifiedAt: null,
    missingSince: null,
    message: 'Another project holds this domain name verified. It can be verified here once it is deleted there.',
  };
}

/** The records for which the check still waits. */
export function waitsFor({
  verificationStatus,
  inboundEnabledAt,
  inboundDomainVerifiedAt,
}: Domain): 'records' | 'inbound' | null {
  if (verificationStatus !== 'VERIFIED') return 'records';
  return inboundEnabledAt && !inboundDomainVerifiedAt ? 'inbound' : null;
}

type Verification = Pick<Domain, 'verificationStatus' | 'verifiedAt' | 'missingSince'>;

const NO_ANSWER = 'No name server answered, so nothing was changed.';

function verify(domain: Domain, { ownership, dkim }: Findings, now: Date): Verification {
  const { verificationStatus, verifiedAt, missingSince } = domain;
  const isFound = ownership === 'found' && dkim === 'found';
  const isMissing = [ownership, dkim].some((finding) => finding === 'absent' || finding === 'different');
  if (isFound) return { verificationStatus: 'VERIFIED', verifiedAt: verifiedAt ?? now, missingSince: null };
  if (!isMissing) return { verificationStatus, verifiedAt, missingSince };
  const pending = { verificationStatus: 'PENDING', verifiedAt: null, missingSince: null } as const;
  if (verificationStatus !== 'VERIFIED') return pending;
  const since = missingSince ?? now;
  const isOver = now.getTime() - since.getTime() >= RECORDS_PATIENCE_MS;
  return isOver ? pending : { verificationStatus, verifiedAt, missingSince: since };
}

const BEFORE = {
  ownership: 'ownershipVerified',
  dkim: 'dkimEnabled',
  mailFrom: 'mailFromEnabled',
  dmarc: 'dmarcEnabled',
} as const satisfies Record<RecordName, keyof Domain>;

function lostAfter(domain: Domain, findings: Findings, now: Date): NonNullable<Domain['lostSince']> {
  const { lostSince = {} } = domain;
  const names = Object.keys(BEFORE) as RecordName[];
  const lost = names.flatMap((name): Array<[RecordName, Date]> => {
    const since = lostSince[name] ?? (domain[BEFORE[name]] ? now : null);
    if (findings[name] === 'unanswered') return lostSince[name] ? [[name, lostSince[name]]] : [];
    return findings[name] === 'found' || !since ? [] : [[name, since]];
  });
  return Object.fromEntries(lost);
}

function known(finding: Finding, before: boolean): boolean {
  return finding === 'unanswered' ? before : finding === 'found';
}

function describe(
  { verificationStatus, missingSince }: Verification,
  findings: Findings,
  records: DomainRecords,
): string | null {
  const faults = [
    fault(findings.ownership, `the ownership record at ${records.ownership.name}`),
    fault(findings.dkim, `the DKIM record at ${records.dkim.name}`),
  ].filter((text) => text !== null);
  if (faults.length === 0) return null;
  const list = faults.join('; ');
  if (verificationStatus !== 'VERIFIED' || !missingSince) return `Waiting for DNS: ${list}.`;
  const until = new Date(missingSince.getTime() + RECORDS_PATIENCE_MS).toISOString();
  return `The domain stays verified until ${until}, unless this is mended: ${list}.`;
}

function fault(finding: Finding, record: string): string | null {
  switch (finding) {
    case 'found':
      return null;
    case 'absent':
      return `${record} is not there`;
    case 'different':
      return `${record} has another value`;
    case 'unanswered':
      return `${record} was not answered`;
  }
}
