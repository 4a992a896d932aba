import type { MongoClient } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import type { Collections } from './collections.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { Members } from './members.ts';

/**
 * The ports of the core. platform/ and workflows/client.ts implement them; api/main.ts and workers/main.ts wire them. A noun with
 * a port of its own adds it here from its file: `declare module './deps.ts'`.
 */
export interface Deps {
  state: CoreState;
  config: Config;
  db: Collections;
  mongo: MongoClient;
  clock: Clock;
  members: Members;
  log: Log;
  signals: Signals;
  workflows: Workflows;
  dns: Dns;
  media: Media;
  files: Files;
  evidence: Evidence;
  subscribers: Subscribers;
}

/** A part of the ports and of the collections: a room declares its own in its deps.ts, so that a signature says what it touches. */
export type Needs<Ports extends Exclude<keyof Deps, 'db'>, Names extends keyof Collections> = Pick<Deps, Ports> & {
  db: Pick<Collections, Names>;
};

/** The dependencies of a subscriber, as its caller knows them. At run time they are the whole. */
export type CallerDeps = Pick<Deps, 'subscribers'>;

/** The caches and batchers of one process. Each part is made when it is first needed. */
class CoreState {
  readonly #parts = new Map<object, { made: unknown; close: () => void }>();

  part<Made>(name: object, make: (onClose: (close: () => void) => void) => Made): Made {
    const known = this.#parts.get(name);
    if (known) return known.made as Made;
    let close = () => {};
    const made = make((given) => {
      close = given;
    });
    this.#parts.set(name, { made, close });
    return made;
  }

  close(): void {
    for (const { close } of this.#parts.values()) close();
    this.#parts.clear();
  }
}

/** Adds an empty state. Copies of the result share it: code that replaces `db` in a copy opens that copy again. */
export function openCore<Given extends object>(deps: Given): Given & Pick<Deps, 'state'> {
  return { ...deps, state: new CoreState() };
}

/** Makes one instance for each state, when it is first asked for: calls that are to be joined must reach the same instance. */
export function oncePerCore<Given extends Pick<Deps, 'state'>, Made>(
  make: (deps: Given, onClose: (close: () => void) => void) => Made,
): (deps: Given) => Made {
  return (deps) => deps.state.part(make, (onClose) => make(deps, onClose));
}

/** Code that follows changes in folders below its own; core/subscribers.ts lists it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Subscribers {}

/** Fetches files from callers' URLs, and only from public addresses. */
export interface Files {
  fetch(url: string, bytesMax: number): Promise<FetchedFile>;
}

/**
 * again: it may work later. large: it has more bytes than were asked for. never: the URL is not allowed, or the file cannot be
 * taken.
 */
type FetchedFile =
  | { kind: 'fetched'; bytes: Buffer; contentType: string | null }
  | { kind: 'again' | 'large' | 'never'; reason: string };

/** Whether a relay took a message, by Message-ID. `none`: no evidence can be had. */
export interface Evidence {
  isKnown: boolean;
  /** Rejects when no answer came. */
  accepted(messageId: string): Promise<boolean>;
}

/** Stored times come from here or from the database ($$NOW); tests set this clock. */
interface Clock {
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
  /** Returns the function that ends the subscription. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  isUp(): boolean;
}

/** Starts and signals runs; every id is derived from the document, so a repeat finds the existing run. */
export interface Workflows {
  isUp(): Promise<boolean>;
  /** Starts the check of a domain's records, or makes the waiting run check now. */
  checkDomain(domain: { projectId: string; domainId: string; domainName: string }): Promise<void>;
  /** Starts the run of a campaign, or makes the existing one read the campaign again. */
  sendCampaign(campaign: { projectId: string; campaignId: string }): Promise<void>;
  /** The page of a campaign's run in the Web UI of Temporal; null when its address is not known. */
  campaignRunUrl(campaignId: string): string | null;
  /** Starts refreshing a campaign's numbers; a run in progress continues. */
  refreshMetrics(campaign: { projectId: string; campaignId: string }): Promise<void>;
  /** Starts the recompute of a segment, or makes the waiting run continue now. */
  recomputeSegment(segment: { projectId: string; listId: string }): Promise<void>;
  /** Starts judging the stored opens of all projects again; a run in progress continues. */
  recomputeOpens(): Promise<void>;
  importContacts(job: { projectId: string; importId: string }): Promise<void>;
  /** Starts a contact's run in an automation; with `isNew` false an existing run checks again instead. */
  enroll(run: EnrollmentRun, how: { isNew: boolean; wait?: EnrollmentWait | null }): Promise<void>;
  /** Makes a contact's run check again, if there is one. */
  wakeEnrollment(run: EnrollmentRun): Promise<void>;
  /** Starts the run of a migration, or makes the existing one read the job again. false: a run of another job still exists. */
  migrate(job: MigrationJob): Promise<boolean>;
  /** Ends the run of a cancelled job, if there is one. */
  cancelMigration(job: MigrationJob): Promise<void>;
}

/** Ids only: the contact and the automation. */
interface EnrollmentRun {
  enrollmentId: string;
  projectId: string;
  automationId: string;
  contactId: string;
}

/** Until when a contact waits, and for what, in words without names. */
export interface EnrollmentWait {
  untilMs: number;
  label: string;
}

/** Ids only: the run and the job. */
interface MigrationJob {
  projectId: string;
  migrationId: string;
  provider: 'providerA' | 'providerB';
  run: number;
}

/** Images that are served from /media. A file appears whole or not at all. */
export interface Media {
  save(name: string, bytes: Uint8Array): Promise<void>;
  /** null: the file does not exist. Its bytes are taken before they are read. */
  read(name: string, held: HeldBytes): Promise<Uint8Array | null>;
  /** A repeat is harmless. */
  remove(name: string): Promise<void>;
}

/** null: no answer came, which proves nothing about the records. []: the answer was that there are none. */
export interface Dns {
  txt(name: string): Promise<string[] | null>;
  mx(name: string): Promise<MxRecord[] | null>;
}

export interface MxRecord {
  exchange: string;
  priority: number;
}
