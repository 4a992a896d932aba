import type { IncomingMessage } from 'node:http';
import type { ObjectId } from 'mongodb';
import type { ApiKey, Member, MemberSession, Organization } from '../../core/accounts/model.ts';
import type { Deps } from '../../core/base/deps.ts';
import type { HeldBytes } from '../../core/base/held-bytes.ts';
import type { Maker } from '../../core/base/maker.ts';
import type { Project } from '../../core/base/model.ts';
import type { Pagination } from '../../core/base/paging.ts';
import type { OperationName } from '../../schemas/operations.ts';
import type { Schema } from '../../schemas/schema.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';
/**
 * project: a project key only. token: a project key, or an admin key with x-project-id. admin: an admin key only. All three take the
 * session of a member with the role of the operation too. session: a session only. none: public.
 */
type KeyKind = 'project' | 'token' | 'admin' | 'session' | 'none';
export type BodyLimit = 'standard' | 'attachments' | 'import' | 'picture' | 'texts';

export interface Call<Body, Query> {
  deps: Deps;
  /** Of the key, or named by the session. Admin, session and public endpoints have none; reading it there is a mistake in the table. */
  project: Project;
  organization: Pick<Organization, '_id'>;
  /** null: a member calls with a session. */
  apiKey: ApiKey | null;
  /** null: a key calls. */
  member: Member | null;
  /** With key `session` only. */
  session: MemberSession;
  memberships: Member[];
  params: Record<string, string>;
  query: Query;
  body: Body;
  request: RequestFacts;
  /** For a handler that runs the one of another endpoint: counts a call of that one, and fails with 429. */
  limitCostly(endpoint: Pick<Endpoint, 'perMinute' | 'cost'>): void;
}

export interface RequestFacts {
  id: string;
  /** When this request's work began; its ids are derived from it. A repeat with the same Idempotency-Key gets the same value. */
  at: Date;
  seed: ObjectId;
  /** The member who calls with a session; undefined: a key calls. */
  by?: Maker | undefined;
  ip: string;
  header(name: string): string;
  /** The raw request, for uploads: `body` is undefined there. */
  incoming: IncomingMessage;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Bytes of stored files for this answer; given back when the answer is sent, or the caller has disconnected. */
  held: HeldBytes;
}

interface EndpointSpec<Body, Query> {
  /** Its name in schemas/operations.ts, and its operationId. */
  operation: OperationName;
  method: Method;
  /** Under /v1, with {names} in braces. */
  path: string;
  /** Other paths with the same meaning; left out of the OpenAPI document. */
  aliases?: string[];
  key: KeyKind;
  tag: string;
  summary: string;
  description?: string;
  query?: Schema<Query>;
  body?: Schema<Body>;
  /** A request without a body is one with `{}`. */
  bodyOptional?: true;
  /** A bare array is wrapped under this name before validation. */
  bareArrayAs?: string;
  bodyLimit?: BodyLimit;
  /** The handler reads the request itself (uploads). */
  rawBody?: string[];
  /** Schema of `data`, and of a download that is JSON; left out when the answer is only {success: true} or another download. */
  answer?: Schema<unknown>;
  /** Content types of a download or an event stream. */
  produces?: string[];
  /** Of an event stream: schema of the data of each event, and of the one message that may be the answer instead. */
  events?: Schema<unknown>;
  status?: 200 | 201 | 202;
  /** More answers of success, with their meaning: 200 is like that of `status`, 202 has no body. */
  also?: Partial<Record<200 | 202, string>>;
  /** More statuses that the OpenAPI document lists, with their meaning. */
  errors?: Partial<Record<401 | 403 | 404 | 409 | 422 | 429 | 500, string>>;
  /** The answers with 400 and 404 may have this schema instead of the envelope, where the body is of another protocol. */
  faults?: Schema<unknown>;
  /** Answers carry a secret under this key of `data`; stored idempotent answers leave it out. */
  secret?: string;
  /** An Idempotency-Key belongs to the call that the handler makes of another endpoint. */
  passesIdempotencyKey?: boolean;
  /** Nothing of it stays: a repeat is computed again, and its Idempotency-Key is not looked at. */
  isComputed?: boolean;
  /** Bytes that its answer has in memory at a time, taken before the handler runs (downloads that are made in pages). */
  heldBytes?: number;
  /** The most calls of a project, over all its keys, where each costs more than others. */
  perMinute?: MinuteLimit;
  /** How many of those one call is; left out: 1. */
  cost?: number;
  /** A request that a web page of another origin sends is refused. */
  ownOrigin?: boolean;
  /** Public, but for pages of this installation alone: the header X-Everpost-Console and the origin are asked for, as with a session. */
  forConsole?: true;
  /** An unexpected failure (500) has no code. */
  codeless?: boolean;
  handler(call: Call<Body, Query>): Promise<unknown>;
}

/** Calls of one kind count together, since they load the same processes. */
export interface MinuteLimit {
  of: string;
  most: number;
}

/** Of a download: a page of 1,000 entries, and its lines. */
export const DOWNLOAD_BYTES = 2 * 1024 * 1024;

/** An editor asks for three a second at most; several people may edit at a time. */
export const PREVIEWS_A_MINUTE: MinuteLimit = { of: 'previews', most: 600 };
/** Up to a hundred mails are put together, most of them in a millisecond or two. */
export const TOUCHED_COST = 10;

export type Endpoint = EndpointSpec<never, never> & { body?: Schema<unknown>; query?: Schema<unknown> };

/** An endpoint is data and one function. Routing, authentication, validation, the envelope and the OpenAPI operation all come from it. */
export function endpoint<Body = undefined, Query = Record<string, never>>(spec: EndpointSpec<Body, Query>): Endpoint {
  return spec as unknown as Endpoint;
}

/** Public endpoints are at the root of PUBLIC_URL, all others under /v1. */
export function fullPath({ key }: Pick<Endpoint, 'key'>, path: string): string {
  return key === 'none' ? path : `/v1${path}`;
}

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** An answer with a text next to its data (`message` of the envelope), or with headers of its own. */
export class Answer {
  readonly data: unknown;
  readonly message: string | undefined;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;
  constructor(data: unknown, message?: string, status?: number, headers: Record<string, string> = {}) {
    this.data = data;
    this.message = message;
    this.status = status;
    this.headers = headers;
  }
}

export class Download {
  readonly contentType: string;
  readonly fileName: string | null;
  readonly chunks: AsyncIterable<string | Uint8Array>;
  constructor(contentType: string, fileName: string | null, chunks: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.chunks = chunks;
  }
}

/** Entries that may have megabytes, each or together: they are read and written one after the other, as fast as the caller takes them. */
export class LongPage {
  readonly plural: string;
  readonly entries: AsyncIterable<unknown>;
  /** null: these are all that there are. */
  readonly pagination: Pagination | null;
  constructor(plural: string, entries: AsyncIterable<unknown>, pagination: Pagination | null) {
    this.plural = plural;
    this.entries = entries;
    this.pagination = pagination;
  }
}

export interface ServerEvent {
  id?: string;
  event?: string;
  /** Left out: only the id, for the reader's next Last-Event-ID. */
  data?: unknown;
}

export const streamErrors = {
  429: 'The limit of this key is reached, or it has 20 streams open (all kinds together); Retry-After says for how long.',
} as const;

export const streamEnds =
  'A stream that the server ends (the key is revoked, the project deleted, the reader too slow, the server stops or lost its database) sends a last event `closed` with `reason` and `message`, without an id. A key may have 20 open.';

/** Server-sent events. null is a heartbeat, sent as a comment. The iterable ends when the caller disconnects: watch `request.signal`. */
export class EventStream {
  readonly events: AsyncIterable<ServerEvent | null>;
  /** The last event of a stream that the server ends; else it is `closed`. */
  readonly lastEvent: LastEvent;
  constructor(events: AsyncIterable<ServerEvent | null>, lastEvent: LastEvent = closed) {
    this.events = events;
    this.lastEvent = lastEvent;
  }
}

type LastEvent = (reason: string, message: string) => ServerEvent;

function closed(reason: string, message: string): ServerEvent {
  return { event: 'closed', data: { reason, message } };
}

type Content = string | Uint8Array | AsyncIterable<Uint8Array> | null;

/** The answer of a public page: HTML, a picture, a file, or a redirect without a body. */
export class Page {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly content: Content;
  constructor(status: number, headers: Record<string, string>, content: Content) {
    this.status = status;
    this.headers = headers;
    this.content = content;
  }
}
