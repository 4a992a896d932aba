import type { MongoClient } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import type { Collections } from './collections.ts';

/**
 * What the core needs from outside. platform/ and workflows/client.ts implement it; api/main.ts and workers/main.ts wire it.
 * A noun with a port of its own adds it here from its file: `declare module './deps.ts'`.
 */
export interface Deps {
  config: Config;
  db: Collections;
  mongo: MongoClient;
  clock: Clock;
  log: Log;
  signals: Signals;
  workflows: Workflows;
  dns: Dns;
  media: Media;
  evidence: Evidence;
  subscribers: Subscribers;
}

/** Code that follows what happens in folders below its own; core/subscribers.ts lists it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Subscribers {}

/** Fetches what a caller named by URL, and nothing that is not public. */
export interface Files {
  fetch(url: string, bytesMax: number): Promise<FetchedFile>;
}

/** again: it may work later. large: it has more bytes than were asked for. never: the URL is not allowed, or what is there cannot be taken. */
export type FetchedFile =
  | { kind: 'fetched'; bytes: Buffer; contentType: string | null }
  | { kind: 'again' | 'large' | 'never'; reason: string };

/** Whether a relay took a message, by Message-ID. `none`: nobody can tell. */
export interface Evidence {
  isKnown: boolean;
  /** Rejects when no answer came. */
  accepted(messageId: string): Promise<boolean>;
}

/** Stored times come from here or from the database ($$NOW); tests turn this clock. */
export interface Clock {
  now(): Date;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Wake-ups and fan-out over Redis. A lost one only costs time: nothing depends on its arrival. */
export interface Signals {
  publish(channel: string, message: string): void;
  /** Answers the function that ends the subscription. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  isUp(): boolean;
}

/** Starts and signals runs; every id is derived from the document, so a repeat finds the run that is there. */
export interface Workflows {
  isUp(): Promise<boolean>;
  /** Starts the check of a domain's records, or has the one that waits look again now. */
  checkDomain(domain: { projectId: string; domainId: string; domainName: string }): Promise<void>;
  /** Starts the run of a campaign, or has the one that is there read the campaign again. */
  sendCampaign(campaign: { projectId: string; campaignId: string }): Promise<void>;
  /** Starts the refreshing of a campaign's numbers; one that runs goes on. */
  refreshMetrics(campaign: { projectId: string; campaignId: string }): Promise<void>;
  /** Starts the recompute of a segment, or has the one that waits go on now. */
  recomputeSegment(segment: { projectId: string; listId: string }): Promise<void>;
  importContacts(job: { projectId: string; importId: string }): Promise<void>;
  /** Starts the run of a person in an automation; `isNew` false: or has the one that is there look again. */
  enroll(run: EnrollmentRun, how: { isNew: boolean; wait?: EnrollmentWait | null }): Promise<void>;
  /** Has the run of a person look again, where there is one. */
  wakeEnrollment(run: EnrollmentRun): Promise<void>;
  /** Starts the run of a migration, or has the one that is there look at the job again. false: a run of another job is still there. */
  migrate(job: MigrationJob): Promise<boolean>;
  /** Ends the run of a job that was cancelled, where there is one. */
  cancelMigration(job: MigrationJob): Promise<void>;
}

/** Ids alone: which person in which automation. */
export interface EnrollmentRun {
  enrollmentId: string;
  projectId: string;
  automationId: string;
  contactId: string;
}

/** Until when a person waits, and for what, in words without names. */
export interface EnrollmentWait {
  untilMs: number;
  label: string;
}

/** Ids alone: which run of which job. */
export interface MigrationJob {
  projectId: string;
  migrationId: string;
  provider: 'providerA' | 'providerB';
  run: number;
}

/** Pictures that are served from /media. A file appears whole or not at all. */
export interface Media {
  save(name: string, bytes: Uint8Array): Promise<void>;
  /** null: there is none. */
  read(name: string): Promise<Uint8Array | null>;
}

/** null: no answer came, which says nothing about the records. []: answered, and there are none. */
export interface Dns {
  txt(name: string): Promise<string[] | null>;
  mx(name: string): Promise<MxRecord[] | null>;
}

export interface MxRecord {
  exchange: string;
  priority: number;
}
