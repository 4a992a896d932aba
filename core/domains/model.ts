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

export interface Domain {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts: lower case, ASCII. */
  domainName: string;
  regionKey: string;
  verificationStatus: VerificationStatus;
  /** What the TXT record of this project must say. */
  ownershipValue: string;
  dkim: DkimKeys;
  /** relay: the relay signs, we do not. */
  dkimSigning: 'own' | 'relay';
  ownershipVerified: boolean;
  dkimEnabled: boolean;
  mailFromEnabled: boolean;
  dmarcEnabled: boolean;
  /** What the last check has to say to the owner of the domain. */
  message: string | null;
  /** When a check was asked for that has not given its first result. */
  checkRequestedAt: Date | null;
  createdAt: Date;
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  /** Since when ownership or DKIM of a verified domain are answered as absent. */
  missingSince: Date | null;
  inboundEnabledAt: Date | null;
  inboundDomainVerifiedAt: Date | null;
  /** Of the demo project: verified without DNS, and never checked. */
  seeded: boolean;
  /** Moves with every change, so that a check never overwrites what was changed while it ran. */
  revision: number;
  /** There is a run to start or to tell. */
  startDueAt?: Date;
  recheckDueAt?: Date;
}

export interface DkimKeys {
  selector: string;
  /** Base64 of the DER form, as the DNS record says it. */
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
