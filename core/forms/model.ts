import type { Collection, ObjectId } from 'mongodb';
import type { FORM_FIELD_TYPES, FormText } from '../../schemas/forms.ts';
import type { Due, PropertyValue } from '../base/model.ts';

/** Forms by which people subscribe, and subscriptions that wait for a confirmation. */

export interface FormField {
  /** A field of the contact or a property. */
  name: string;
  label: string;
  type: (typeof FORM_FIELD_TYPES)[number];
  /** Of `select` only. */
  options: string[] | null;
  required: boolean;
  default: PropertyValue | null;
}

export interface Form {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  listIds: ObjectId[];
  fields: FormField[];
  doubleOptIn: boolean;
  /** Texts that replace those of the languages. */
  texts: Partial<Record<FormText, string>>;
  redirectTo: { submitted: string | null; confirmed: string | null };
  allowedOrigins: string[];
  confirmationTemplateId: string | null;
  /** Codes of groups. */
  unsubscribeGroupIds: string[];
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** The form that a person sent, as it was then. */
export interface Agreement {
  formId: ObjectId;
  /** As the form had them when it was sent. */
  listIds: ObjectId[];
  groupIds: string[];
  /** Without fields that were left empty. */
  fields: Record<string, PropertyValue>;
  /** The sentence, as it was shown. */
  consent: string;
  language: string;
  askedAt: Date;
  /** As the project keeps it: shortened, full or none. */
  networkAddress: string | null;
}

/**
 * A form that was sent. The request writes no more than this, so that its answer is the same for every address; the job does the rest and
 * removes it.
 */
export interface FormSubmission extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts. */
  email: string;
  agreement: Agreement;
  /** As the form had it when it was sent. */
  doubleOptIn: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * An address that waits for its confirmation, with everything that one confirmation applies. Confirmed, it holds nothing personal any more
 * and lets the link show that it worked.
 */
export interface PendingSubscription extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  /** Absent when it is confirmed. `dueAt`: when the oldest agreement is to be removed. */
  email?: string;
  /** The newest of each form. */
  agreements: Agreement[];
  /** Changes with each new agreement: a confirmation applies the one that its page showed, or nothing. */
  revision: number;
  confirmedAt: Date | null;
  /** The form that was sent last: its texts and its redirect are those of the confirmation. */
  formId: ObjectId;
  language: string;
  createdAt: Date;
  expiresAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    forms: Collection<Form>;
    formSubmissions: Collection<FormSubmission>;
    pendingSubscriptions: Collection<PendingSubscription>;
  }
}
