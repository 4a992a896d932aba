import type { Collection, ObjectId } from 'mongodb';
import type { Mailbox } from '../base/model.ts';

/** Campaigns, their audience and their counts. */

export type CampaignStatus =
  | 'draft'
  | 'scheduled'
  | 'sending'
  | 'sending_gradual'
  | 'paused'
  | 'sent'
  | 'failed'
  | 'aborted';

export interface AudienceEntry {
  /** An ObjectId in hexadecimal, or GLOBAL_CONTACT_LIST. */
  id: string;
  name: string;
  type: 'list' | 'segment';
  contactCount: number;
}

/** What the ledger said at the last count; the numbers that people read. */
export interface CampaignCounts {
  totalContacts: number;
  suppressed: number;
  failed: number;
  sent: number;
  unknown: number;
  pending: number;
  bounced: number;
  opened: number;
  humanOpened: number;
  clicked: number;
  unsubscribed: number;
  spamReported: number;
}

export interface CampaignGradual {
  emailsPerDay: number;
  growth: 'fixed' | '1.25x' | '1.5x' | '1.75x' | '2x';
  timezone: string;
  startAt: Date | null;
  /** Moved by one compare-and-set for each release: a crash can neither spend a budget twice nor lose it. */
  day: number;
  calendarDay: string | null;
  releasedToday: number;
  dayStartedAt: Date | null;
  /** Recipients with a lower `seq` may be sent to. */
  releasedUpTo: number;
}

export interface Campaign {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  name: string;
  subject: string;
  previewText: string;
  /** What the caller said; the saved sender fills the rest. */
  from: { email?: string; name?: string };
  senderId: ObjectId | null;
  replyTo: string | null;
  toLists: AudienceEntry[];
  excludeLists: AudienceEntry[];
  sendToGlobalList: boolean;
  unsubscribeGroupId: string | null;
  templateId: string;
  trackingClick: boolean;
  trackingOpen: boolean;
  sendMode: 'immediate' | 'scheduled' | 'gradual';
  sendNow: boolean;
  scheduledAt: Date | null;
  maxLatenessMinutes: number;
  thresholdPreset: 'balanced' | 'aggressive' | 'conservative';
  sendRatePerSecond: number | null;
  gradual: CampaignGradual | null;
  status: CampaignStatus;
  /** When sending is to begin; null in drafts. */
  startsAt: Date | null;
  /** Due document: a run of `campaignSend` must be started or told. */
  startDueAt?: Date;
  /** Due document: the run that refreshes its numbers must be started. */
  metricsDueAt?: Date;
  startedAt: Date | null;
  /** While it is under way, and how long it was before that: pauses take no time. */
  sendingSince?: Date | null;
  sendingMs?: number;
  /** What the senders find while they cannot hand over anything. */
  relay?: { notAnsweringSince: Date; reason: string } | null;
  sentAt: Date | null;
  abortedAt: Date | null;
  failureReason: string | null;
  pausedAt: Date | null;
  resumedAt: Date | null;
  pausedReason: string | null;
  counts: CampaignCounts;
  refreshedAt: Date | null;
  nextBatchAt: Date | null;
  /** null before sending starts. */
  freeze: CampaignFreeze | null;
  /** Counts when it started or was resumed last: thresholds look at what came since. */
  stretch: { sent: number; bounced: number; spamReported: number };
  createdAt: Date;
  updatedAt: Date;
}

/** What a campaign sends, frozen when sending starts. `_id` is the campaign's. */
export interface CampaignContent {
  _id: ObjectId;
  projectId: ObjectId;
  from: Mailbox;
  replyTo: Mailbox | null;
  domainName: string;
  subject: string;
  previewText: string;
  html: string;
  trackingClick: boolean;
  trackingOpen: boolean;
  groupId: string | null;
  frozenAt: Date;
}

/** How far the audience is written down. Ids of its messages are derived, so any part may be written again. */
export interface CampaignFreeze {
  /** When it began: the seconds in the ids of the messages. */
  at: Date;
  /** Which list is being read, and the address below which everything of it is written. */
  list: number;
  after: string | null;
  /** Recipients written so far, for progress; the ledger has the exact number. */
  written: number;
  isDone: boolean;
}

declare module '../base/collections.ts' {
  interface Collections {
    campaigns: Collection<Campaign>;
    campaignContents: Collection<CampaignContent>;
  }
}
