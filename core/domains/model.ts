import type { Collection, ObjectId } from 'mongodb';
import type { Sealed } from '../base/model.ts';

/** Sending domains and saved senders. */

export type VerificationStatus = 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';

export interface DnsRecord {
  name: string;
  value: string;
  type: 'TXT' | 'MX';
  purpose: string;
  priority?: number;
}

/** different: there are records of the kind, but none is ours. unanswered: no result about the records. */
export type Finding = 'found' | 'absent' | 'different' | 'unanswered';

/** The answer of DNS about a record at the last check, shortened. */
export interface SeenRecord {
  finding: Finding;
  values: string[];
}

export interface SeenRecords {
  ownership: SeenRecord;
  dkim: SeenRecord;
  /** Not set before a check that looked for it. */
  dkimEd25519?: SeenRecord;
  /** MX and SPF of the return path. */
  mailFrom: [SeenRecord, SeenRecord];
  dmarc: SeenRecord;
  inboundMx: SeenRecord | null;
}

export type RecordName = 'ownership' | 'dkim' | 'mailFrom' | 'dmarc';

export interface Domain {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts: lower case, ASCII. */
  domainName: string;
  regionKey: string;
  verificationStatus: VerificationStatus;
  /** The text of the TXT record of this project. */
  ownershipValue: string;
  dkim: DkimKeys;
  /** The second key; a domain of before there were two has it when setup has run. */
  dkimEd25519?: DkimKeys;
  /** Its record was found, so mail is signed with it too. */
  dkimEd25519Enabled?: boolean;
  /** relay: the relay signs. */
  dkimSigning: 'own' | 'relay';
  ownershipVerified: boolean;
  dkimEnabled: boolean;
  mailFromEnabled: boolean;
  dmarcEnabled: boolean;
  /** The result of the last check, for the owner of the domain. */
  message: string | null;
  /** When a check was requested that has no result yet. */
  checkRequestedAt: Date | null;
  createdAt: Date;
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  /** Since when DNS has answered that ownership or DKIM of a verified domain are absent. */
  missingSince: Date | null;
  /** Since when records that were found before are not found. */
  lostSince?: Partial<Record<RecordName, Date>>;
  /** Not set before a check that keeps what it saw. */
  seen?: SeenRecords;
  inboundEnabledAt: Date | null;
  inboundDomainVerifiedAt: Date | null;
  /** True for the demo project: verified without DNS, and never checked. */
  seeded: boolean;
  /** Incremented with every change, so that a check never overwrites a change made while it ran. */
  revision: number;
  recheckDueAt?: Date;
}

export interface DkimKeys {
  selector: string;
  /** Base64 as in the DNS record: of the DER form with RSA, of the 32 bytes with Ed25519. */
  publicKey: string;
  /** PKCS 8 PEM, sealed for this project and domain. */
  privateKey: Sealed;
}

export interface Sender {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  name: string;
  /** '' when not set. */
  replyTo: string;
  createdAt: Date;
  updatedAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    senders: Collection<Sender>;
    domains: Collection<Domain>;
  }
}
