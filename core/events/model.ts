import type { Collection, ObjectId } from 'mongodb';
import type { Due, Sealed } from '../base/model.ts';

/** Events of a project, for webhooks and event streams. */

/** An event of a project, for webhooks and /stream. `_id` is derived from its key, so a repeat is the same event. */
export interface ProjectEvent {
  _id: ObjectId;
  projectId: ObjectId;
  type: string;
  createdAt: Date;
  /** Orders the stream. */
  writtenAt: Date;
  /** Set when the contact that it is about was deleted, and for figures that the next event replaces. */
  eraseAt?: Date;
  /** Of a step of an automation: for one webhook alone. Absent: for all that want the type. */
  to?: EventTarget;
  data: Record<string, unknown>;
}

interface EventTarget {
  webhookId: ObjectId;
  headersId?: ObjectId;
  /** The step waits for the answer. */
  isAwaited?: true;
}

/** A project whose /stream was read: events are kept until an hour after that. `_id` is the project's. */
export interface EventStreamRow {
  _id: ObjectId;
  projectId: ObjectId;
  openUntil: Date;
  /** The same for each type that was asked for, with "," for each "."; absent where a former version wrote it: all types. */
  types?: Record<string, Date>;
  /** The process that computes live figures for the streams that are open, and what these ask for. */
  figures?: { by: string; until: Date; readers: FigureReader[] };
}

/** The open streams of a process. */
export interface FigureReader {
  process: string;
  types: string[];
  timezones: string[];
  until: Date;
}

export interface Webhook {
  _id: ObjectId;
  projectId: ObjectId;
  url: string;
  events: string[];
  /** Made for the url that steps of automations call. */
  isOfSteps?: true;
  secret: Sealed;
  /** The last time at which one of the replaced secrets signs; absent until the first rotation. */
  previousSecretUntil?: Date;
  isActive: boolean;
  /** Why the service switched it off; null when a person did, or it is on. */
  disabledReason: string | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A secret that was replaced; it signs too until it expires. `sealed` is bound to the webhook, like the secret of the webhook. */
export interface PreviousWebhookSecret {
  _id: ObjectId;
  projectId: ObjectId;
  webhookId: ObjectId;
  sealed: Sealed;
  until: Date;
}

/** Headers that a step of an automation adds, as sealed JSON. */
export interface WebhookHeaders {
  _id: ObjectId;
  projectId: ObjectId;
  /** The automation whose steps send them. */
  ownerId: ObjectId;
  sealed: Sealed;
  /** When the last delivery with them is over; absent while their owner is there. */
  removeAt?: Date;
}

export interface WebhookTry {
  at: Date;
  status: number | null;
  error: string | null;
  tookMs: number;
}

/** One event for one endpoint; due until it was taken or given up. */
export interface WebhookDelivery extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  webhookId: ObjectId;
  eventId: ObjectId;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  firstTryAt: Date | null;
  /** The latest tries. */
  tries: WebhookTry[];
  isReplay: boolean;
  createdAt: Date;
  endedAt: Date | null;
}

declare module '../base/collections.ts' {
  interface Collections {
    projectEvents: Collection<ProjectEvent>;
    eventStreams: Collection<EventStreamRow>;
    webhooks: Collection<Webhook>;
    previousWebhookSecrets: Collection<PreviousWebhookSecret>;
    webhookDeliveries: Collection<WebhookDelivery>;
    webhookHeaders: Collection<WebhookHeaders>;
  }
}
