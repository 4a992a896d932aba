import type { Config } from '../../schemas/config.ts';
import type { DnsRecord, Domain, SeenRecord } from './model.ts';
import { domainRecords } from './rules/records.ts';

/** A domain as answers and events show it. */
export function domainData(domain: Domain, config: Pick<Config, 'mailHost' | 'spfRecord'>) {
  const { ownershipVerified, dkimEnabled, mailFromEnabled, dmarcEnabled, dkimSigning, regionKey, message } = domain;
  const { dkimEd25519Enabled = false } = domain;
  const { createdAt, lastCheckedAt, verifiedAt, inboundEnabledAt, inboundDomainVerifiedAt, seen } = domain;
  const { ownership, dkim, dkimEd25519, mailFrom, dmarc, inboundMx } = domainRecords(domain, config);
  return {
    id: domain._id.toHexString(),
    domainName: domain.domainName,
    verificationStatus: domain.verificationStatus,
    ...{ ownershipVerified, dkimEnabled, dkimEd25519Enabled, mailFromEnabled, dmarcEnabled, dkimSigning },
    dnsRecords: {
      ownership: withSeen(ownership, seen?.ownership),
      dkim: withSeen(dkim, seen?.dkim),
      ...(dkimEd25519 ? { dkimEd25519: withSeen(dkimEd25519, seen?.dkimEd25519) } : {}),
      mailFrom: mailFrom.map((record, index) => withSeen(record, seen?.mailFrom[index])),
      dmarc: withSeen(dmarc, seen?.dmarc),
      ...(inboundMx ? { inboundMx: withSeen(inboundMx, seen?.inboundMx) } : {}),
    },
    message,
    createdAt,
    lastCheckedAt,
    ...(verifiedAt ? { verifiedAt } : {}),
    regionKey,
    verificationInProgress: domain.checkRequestedAt !== null,
    inboundEnabledAt,
    inboundDomainVerifiedAt,
  };
}

function withSeen(record: DnsRecord, seen: SeenRecord | null | undefined) {
  return { ...record, found: seen?.finding ?? null, values: seen?.values ?? [] };
}
