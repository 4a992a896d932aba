import type { Binary, ClientSession, Collection, ObjectId } from 'mongodb';
import type { DKIM_ALGORITHMS } from '../../schemas/accounts/account.ts';

/** Types that every folder of the core names. */

export type Session = ClientSession;

export interface Project {
  _id: ObjectId;
  organizationId: ObjectId;
  name: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** With what mail of its domains is signed; absent: both. */
  dkimAlgorithms?: DkimAlgorithm[];
  /** IANA name; absent: UTC. */
  timezone?: string;
  /** The contact property with the zone of a person; absent or null: none. */
  timezoneProperty?: string | null;
  /** Absent: any number of marketing mails. */
  frequencyCap?: FrequencyCap;
  /** Of pages and mails that the project shows to people; absent: `name`. */
  publicName?: string;
  /** An https address, or one of the media of the project. */
  logoUrl?: string;
  /** #rrggbb in small letters. */
  color?: string;
  /** Lines end with \n. */
  postalAddress?: string;
  /** The contact property with the language of a person; absent: `language`. */
  languageProperty?: string;
  /** How much of a network address a consent record keeps; absent: shortened. */
  consentAddress?: ConsentAddress;
  /** The sender of confirmations and of links to data; absent: no-reply@ the first verified domain. */
  publicFrom?: Mailbox;
  /** Absent: mail to sandbox addresses is refused, unless the relay is a mailbox. */
  sandboxAddresses?: boolean;
  /** Bounces and complaints of sandbox addresses suppress them, as they do others; absent: they do not. */
  sandboxSuppressions?: boolean;
  /** Of content blocks that name it, besides publicName, logoUrl, color and postalAddress; absent: its defaults. */
  brand?: ProjectBrand;
  /** Incremented with every change of fields, segments or automations, so that compiled copies can detect that they are stale. */
  audienceVersion: number;
  createdAt: Date;
  /** When its settings were changed last; absent: never. */
  updatedAt?: Date;
  deletedAt: Date | null;
  /** Of a deleted project: when a process looks at what is left of it, and when nothing was left. */
  removalDueAt?: Date;
  removedAt?: Date;
}

/** Each part has a default (core/templates/brand.ts). The primary colour is the project's `color`. */
export interface ProjectBrand {
  colours?: Partial<Record<'background' | 'paper' | 'text', string>>;
  font?: 'sans' | 'serif' | 'mono';
  families?: string[];
  links?: Array<{ label: string; href: string }>;
  footer?: { spans?: unknown[]; unsubscribe: string; preferences?: string };
}

/** How many marketing mails an address gets at most within so many days of 24 hours (core/mail/frequency). */
export interface FrequencyCap {
  mails: number;
  withinDays: number;
  /** Codes of suppression groups whose mail neither counts nor is held back. */
  exceptGroupIds: string[];
}

export type DkimAlgorithm = (typeof DKIM_ALGORITHMS)[number];
export type ConsentAddress = 'shortened' | 'full' | 'none';

/** The answer of a POST that carried an Idempotency-Key. `_id` is a hash of tenant and key. */
export interface IdempotencyRow {
  _id: string;
  fingerprint: string;
  state: 'running' | 'done';
  /** Ids of created documents are derived from seed and time, so a second try makes the same ones. */
  seed: ObjectId;
  startedAt: Date;
  owner: string;
  leaseUntil: Date;
  status: number | null;
  body: string | null;
  expiresAt: Date;
}

/** A document with a job (core/jobs/queue.ts): when it is due, absent when there is nothing to do. */
export interface Due {
  dueAt?: Date;
}

/** AES-256-GCM: the name of the key, nonce, tag and ciphertext. */
export interface Sealed {
  keyId: string;
  nonce: Binary;
  tag: Binary;
  text: Binary;
}

export type PropertyValue = string | number | boolean;

export type PropertyType = 'string' | 'number' | 'boolean' | 'date';

export interface Mailbox {
  email: string;
  name: string | null;
}

declare module './collections.ts' {
  interface Collections {
    projects: Collection<Project>;
    idempotency: Collection<IdempotencyRow>;
  }
}

/** The values of utm_source and so on. */
export interface Utm {
  source?: string | undefined;
  medium?: string | undefined;
  campaign?: string | undefined;
  term?: string | undefined;
  content?: string | undefined;
}
