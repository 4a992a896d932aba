import type { PropertyType } from '../base/model.ts';

/** A picture of a template that is larger stays at the source. */
export const IMAGE_BYTES_MAX = 10 * 1024 * 1024;

/** The two source accounts, as far as a migration reads them. platform/providers implements it over HTTP. */
export interface Sources {
  openA(options: OpenSource): SourceA;
  openB(options: OpenSource): SourceB;
  /** A picture of a template; null when it cannot be fetched, or when its host keeps failing until the patience is over. */
  fetchImage(url: string, wait: Pick<OpenSource, 'patienceMs' | 'signal'>): Promise<Uint8Array | null>;
}

export interface OpenSource {
  key: string;
  /** How long the source may keep failing before a read gives up. */
  patienceMs: number;
  signal?: AbortSignal | undefined;
}

/** The lists of addresses that provider A does not mail, for the whole account. Blocks are left out: the provider ends them by itself. */
export const SUPPRESSION_LISTS = ['unsubscribes', 'bounces', 'invalidEmails', 'spamReports'] as const;
export type SuppressionList = (typeof SUPPRESSION_LISTS)[number];

/** Shared by both providers. */
interface AnySource {
  /** Throws `invalid_key` or `forbidden`. Provider B has no endpoint for it, so it makes one small read. */
  checkKey(): Promise<void>;
  listTemplates(): Promise<SourceItem[]>;
  /** The active version; null when the template has none. */
  readTemplate(id: string): Promise<SourceTemplate | null>;
  listFields(): Promise<SourceField[]>;
}

export interface SourceA extends AnySource {
  readonly provider: 'providerA';
  listLists(): Promise<SourceList[]>;
  countContacts(): Promise<number>;
  listGroups(): Promise<SourceGroup[]>;
  readGroup(id: string): Promise<SourceGroup>;
  listGroupAddresses(group: SourceGroup): Promise<string[]>;
  /** One page; `since` leaves out what is older. Throws `forbidden` when the key lacks the scope of this list. */
  listSuppressed(list: SuppressionList, range: { offset: number; since: Date | null }): Promise<SourceSuppressedPage>;
  /** null: every contact of the account; otherwise those who are in any of the lists. */
  startExport(listIds: string[] | null): Promise<string>;
  readExport(id: string): Promise<SourceExport>;
  /** Rows of one file of an export, in batches, without holding the file in memory. */
  readExportFile(url: string, batchSize: number): AsyncIterable<SourceRow[]>;
}

export interface SourceB extends AnySource {
  readonly provider: 'providerB';
  listSegments(): Promise<SourceItem[]>;
  listTopics(): Promise<SourceTopic[]>;
  /** Newest first. Throws `stale_cursor` when the contact that `after` names is gone. */
  listContacts(after: string | null, segmentId?: string): Promise<SourcePage>;
  /** With its properties, which lists leave out; null when it was deleted in between. */
  readContact(id: string): Promise<SourceContact | null>;
}

export type Source = SourceA | SourceB;

export function openSource(sources: Sources, provider: Source['provider'], options: OpenSource): Source {
  switch (provider) {
    case 'providerA':
      return sources.openA(options);
    case 'providerB':
      return sources.openB(options);
  }
}

export interface SourceItem {
  id: string;
  name: string;
}

export interface SourceField extends SourceItem {
  fieldType: PropertyType;
}

export interface SourceTemplate extends SourceItem {
  subject: string | null;
  html: string | null;
  text: string | null;
}

export interface SourceList extends SourceItem {
  contactCount: number;
}

export interface SourceGroup extends SourceItem {
  description: string;
  suppressedCount: number;
}

export interface SourceSuppressed {
  email: string;
  /** When it came into the list; null when the source does not say. */
  at: Date | null;
}

interface SourceSuppressedPage {
  rows: SourceSuppressed[];
  hasMore: boolean;
}

export interface SourceTopic extends SourceItem {
  description: string;
}

export interface SourceExport {
  state: 'pending' | 'ready' | 'failed';
  urls: string[];
  contactCount: number | null;
  message: string;
}

export interface SourceContact {
  sourceId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  mobile: string | null;
  unsubscribed: boolean;
  createdAt: string;
  /** By lower-case name: the source's names are unique without regard to case. */
  properties: Record<string, unknown>;
}

/** One line of an export: a contact, or the reason why it is not one. */
export type SourceRow = { ok: true; contact: SourceContact } | { ok: false; message: string };

export interface SourcePage {
  contacts: SourceContact[];
  hasMore: boolean;
}

export type SourceErrorKind =
  | 'invalid_key'
  /** The key is valid, but may not read this. */
  | 'forbidden'
  | 'not_found'
  | 'stale_cursor'
  /** A file of an export was cut off, or its URL has expired. */
  | 'file_gone'
  | 'quota'
  | 'unavailable'
  | 'malformed'
  | 'too_large'
  | 'refused'
  /** Some data that was read from the source is missing here. */
  | 'incomplete';

/** Its message is shown to users: it never contains the key, and of an answer only the source's own error text. */
export class SourceError extends Error {
  readonly kind: SourceErrorKind;
  readonly status: number | null;

  constructor(kind: SourceErrorKind, message: string, status: number | null = null) {
    super(message);
    this.name = 'SourceError';
    this.kind = kind;
    this.status = status;
  }
}

declare module '../base/deps.ts' {
  interface Deps {
    /** The accounts that migrations read. */
    sources: Sources;
  }
}
