import type { Collection, ObjectId } from 'mongodb';
import type { Made } from '../base/maker.ts';
import type { Mailbox, Utm } from '../base/model.ts';
import type { InlinePicture } from '../templates/media/model.ts';
import type { LanguageMail } from '../templates/model.ts';

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

/** The ledger's numbers at the last count, shown to people. */
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

interface CampaignGradual {
  emailsPerDay: number;
  growth: 'fixed' | '1.25x' | '1.5x' | '1.75x' | '2x';
  timezone: string;
  startAt: Date | null;
  /** Changed by one compare-and-set for each release: a crash can neither spend a budget twice nor lose it. */
  day: number;
  calendarDay: string | null;
  releasedToday: number;
  dayStartedAt: Date | null;
  /** Recipients with a lower `seq` may be sent to. */
  releasedUpTo: number;
}

/** Each person gets it when a clock where they are shows this time. */
export interface CampaignLocalTime {
  /** 2026-12-24 */
  date: string;
  /** 09:00 */
  time: string;
  /** Of people without a zone, or with one that does not exist. */
  fallbackTimezone: string;
  /** People whose time was over before it began get the mail at once, at the time of the next day, or never. */
  late: 'now' | 'next_day' | 'skip';
}

export type VariantId = 'A' | 'B' | 'C' | 'D' | 'E';

/** One of the mails of a campaign; what it leaves out is as in the campaign. */
export interface CampaignVariant {
  id: VariantId;
  subject?: string;
  previewText?: string;
  from?: { email?: string; name?: string };
  templateId?: string;
  /** Per cent; null: an equal part. */
  share: number | null;
}

/** A part of the audience gets the variants first, and the others the one that did best. */
export interface CampaignTest {
  /** Per cent of the audience. */
  share: number;
  /** humanOpens, humanClicks or event:<name> */
  metric: string;
  decideAfterMinutes: number;
  minPerVariant: number;
  giveUpAfterMinutes: number;
  onTie: 'first' | 'hold';
}

export interface CampaignWinner {
  variantId: VariantId;
  by: 'figures' | 'tie' | 'person';
  at: Date;
}

/**
 * The recipients of one zone, neighbours in the order of sending. Releases are in the order of their moments, those of a test before the
 * others. Without local time `timezone` is empty.
 */
export interface Release {
  timezone: string;
  /** People without a zone of their own. */
  isFallback: boolean;
  at: Date;
  fromSeq: number;
  total: number;
  /** People who get a variant before the winner is known. */
  isTest?: boolean;
}

/** Recipients of another campaign who got it and did not open it. */
export interface OtherAudience {
  campaignId: ObjectId;
  did: 'notOpened';
  /** The lists through which they were recipients, which they must not have left; empty: not through lists alone. */
  listIds: ObjectId[];
}

export interface Campaign extends Made {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  name: string;
  subject: string;
  previewText: string;
  /** As the caller gave it; the saved sender fills the rest. */
  from: { email?: string; name?: string };
  senderId: ObjectId | null;
  replyTo: string | null;
  toLists: AudienceEntry[];
  excludeLists: AudienceEntry[];
  sendToGlobalList: boolean;
  /** Instead of lists: people of another campaign. */
  audience: OtherAudience | null;
  unsubscribeGroupId: string | null;
  templateId: string;
  trackingClick: boolean;
  trackingOpen: boolean;
  utm?: Utm | null;
  /** Sources of the values, by name. Absent as none. */
  headers?: Record<string, string>;
  /** Pictures of the project go inside the mail. Absent as false. */
  inlinePictures?: boolean;
  /** "name:value" of each, for all its mails. */
  tags?: string[];
  sendMode: 'immediate' | 'scheduled' | 'gradual';
  sendNow: boolean;
  scheduledAt: Date | null;
  maxLatenessMinutes: number;
  thresholdPreset: 'balanced' | 'aggressive' | 'conservative';
  sendRatePerSecond: number | null;
  gradual: CampaignGradual | null;
  /** Absent as null. */
  localTime?: CampaignLocalTime | null;
  /** Absent as null: one mail for all. */
  variants?: CampaignVariant[] | null;
  /** Absent as null: variants go to everybody. */
  test?: CampaignTest | null;
  /** Per cent of the audience that gets nothing; absent as 0. */
  holdOutShare?: number;
  /** Written once. */
  winner?: CampaignWinner | null;
  status: CampaignStatus;
  /** When sending is to begin; null in drafts. */
  startsAt: Date | null;
  /** The job to count the recipients as accepted. */
  countDueAt?: Date;
  startedAt: Date | null;
  /** Since when it has been sending, and for how long it was before that: pauses do not count. */
  sendingSince?: Date | null;
  sendingMs?: number;
  /** Set by senders while the relay takes nothing. */
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
  /** Counts when it started or was last resumed: thresholds check the difference. */
  stretch: { sent: number; bounced: number; spamReported: number };
  createdAt: Date;
  updatedAt: Date;
}

/** The mail of a variant, instead of the content's own. */
export interface VariantContent
  extends Pick<CampaignContent, 'from' | 'subject' | 'previewText' | 'html' | 'text' | 'translated' | 'pictures'> {
  id: VariantId;
}

export interface CampaignLanguage extends LanguageMail {
  language: string;
}

/** The content of a campaign, frozen when sending starts. `_id` is the campaign's. */
export interface CampaignContent {
  _id: ObjectId;
  projectId: ObjectId;
  from: Mailbox;
  replyTo: Mailbox | null;
  domainName: string;
  subject: string;
  previewText: string;
  html: string;
  /** Absent as null: the text part is made of the HTML. */
  text?: string | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  utm?: Utm | null;
  headers?: Record<string, string>;
  /** That go inside the mail: of all its languages. */
  pictures?: InlinePicture[];
  tags?: string[];
  groupId: string | null;
  /** The name of the campaign, for {{campaign.name}}. */
  campaign?: string;
  /** The same mail in the other languages of the template, and how a recipient's is found. */
  translated?: {
    /** Of the contact. */
    property: string;
    /** Of the content itself; null: not known. */
    base: string | null;
    mails: CampaignLanguage[];
  };
  /** In the order of the campaign's variants. */
  variants?: VariantContent[];
  frozenAt: Date;
}

/** The compared people of one variant. */
export interface VariantCounts {
  total: number;
  sent: number;
  humanOpens: number;
  humanClicks: number;
  unsubscribes: number;
  bounces: number;
  /** With the event of the metric after their mail. */
  events: number;
}

/** How the audience is written down: in blocks (core/mail/ledger/blocks). Ids of its messages are derived from `at`. */
export interface CampaignFreeze {
  /** When it began: the seconds in the ids of the messages. */
  at: Date;
  /** The attempt that writes, or wrote, the blocks that are read. Not set where an older version wrote a row for everybody. */
  run?: ObjectId;
  /** Recipients written so far by this attempt, for progress. */
  written: number;
  /** Transactions of the attempt: each changes the campaign, so that it conflicts with the beginning of another attempt. */
  writes?: number;
  isDone: boolean;
  /** The size of the audience, once it is written; `inBlocks`: those without a suppression. */
  frozen: { total: number; inBlocks: number } | null;
  /** Of a campaign at local time, once it is written. */
  releases?: Release[];
  /** How many of each release were sent, at the last count. */
  sentByRelease?: number[];
  /** In the order of the variants, at the last count. */
  variantCounts?: VariantCounts[];
  /** People of the test, who have the first `seq`s. */
  tested?: number;
  /** When the last of them was sent to. */
  testedAt?: Date;
  /** People of the audience who were left without a mail, and are in none of these numbers. */
  holdOut?: number;
  /** The whole audience by mailbox provider, once it is written. */
  providers?: Record<string, number>;
}

declare module '../base/collections.ts' {
  interface Collections {
    campaigns: Collection<Campaign>;
    campaignContents: Collection<CampaignContent>;
  }
}
