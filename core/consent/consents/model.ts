import type { Collection, ObjectId } from 'mongodb';

/** Consents: the text that a person was shown and agreed to, and when. A record is never changed, but for erasure. */

export type ConsentSource = 'form' | 'page' | 'import' | 'api';

export interface Consent {
  /** Derived from contact, source, lists, text and times, so that the same evidence is one record. */
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  /** The address that the contact had then; empty once it is erased. */
  email: string;
  /** Of erased records: `hashOfErased` of the address. */
  emailHash?: string;
  source: ConsentSource;
  formId?: ObjectId;
  importId?: ObjectId;
  /** The lists that the consent was asked for. */
  listIds?: ObjectId[];
  /** The words that were shown. */
  text: string;
  /** The same text has the same version, and another text another one. */
  textVersion: string;
  askedAt: Date;
  /** null: the consent needed no confirmation, or has none. */
  confirmedAt: Date | null;
  /** As the project's setting keeps it; null: none is stored. */
  networkAddress: string | null;
  createdAt: Date;
  /** Since then the record has no address of the person: their contact was deleted. */
  erasedAt?: Date;
}

/** A consent as the code that took it hands it over; contact and address are known in the transaction. */
export type ConsentEvidence = Omit<NewConsent, 'contactId' | 'email'>;

/** A consent of a contact. */
export type NewConsent = Pick<
  Consent,
  | 'contactId'
  | 'email'
  | 'source'
  | 'formId'
  | 'importId'
  | 'listIds'
  | 'text'
  | 'askedAt'
  | 'confirmedAt'
  | 'networkAddress'
>;

declare module '../../base/collections.ts' {
  interface Collections {
    consents: Collection<Consent>;
  }
}
