import { type Indexes, onlyWith } from '../../base/indexes.ts';
import { REASON_STATES, states } from './states.ts';

export const outboxIndexes = {
  contents: {
    removal: {
      key: { projectId: 1, removeDueAt: 1 },
      ...onlyWith('removeDueAt'),
      because: 'Contents whose last outcome may be a week old.',
    },
  },
  messages: {
    own_content: {
      key: { projectId: 1, contentDueAt: 1 },
      ...onlyWith('contentDueAt'),
      because: 'The same for contents that are stored in their messages.',
    },
    campaign: {
      key: { campaignId: 1, projectId: 1, state: 1, seq: 1 },
      ...onlyWith('campaignId'),
      because: 'Ranges of a campaign, its claimed messages, counts, recipients by status.',
    },
    reasons: {
      key: {
        ...{ campaignId: 1, projectId: 1, state: 1, 'reply.code': 1, 'reply.enhanced': 1 },
        ...{ 'suppressedBy.reason': 1, 'suppressedBy.groupId': 1, reason: 1, seq: 1 },
      },
      partialFilterExpression: { campaignId: { $exists: true }, state: { $in: REASON_STATES } },
      because: 'Why recipients of a campaign did not get it, with their numbers, without reading the others.',
    },
    email: { key: { projectId: 1, email: 1, _id: -1 }, because: 'Why an address got a mail or not; erasure.' },
    contact: {
      key: { projectId: 1, contactId: 1, _id: 1 },
      ...onlyWith('contactId'),
      because: 'Mail of a contact that is deleted, whichever address it went to.',
    },
    copies: {
      key: { projectId: 1, 'recipients.email': 1, _id: -1 },
      ...onlyWith('recipients'),
      because: 'The same for those in cc and bcc.',
    },
    copies_of: {
      key: { projectId: 1, 'copy.of': 1, 'copy.index': 1 },
      ...onlyWith('copy'),
      because: 'The messages of one marketing mail with cc or bcc.',
    },
    due: {
      key: { lane: 1, projectId: 1, dueAt: 1 },
      partialFilterExpression: { dueAt: { $exists: true }, lane: { $in: ['transactional', 'automation'] } },
      because: 'Which projects have mail to send, and which mail is next.',
    },
    scheduled: {
      key: { projectId: 1, state: 1, email: 1, lane: 1, dueAt: 1 },
      partialFilterExpression: { state: states.scheduled },
      because: 'Scheduled mail of a contact or project that is deleted, and how much there is in a lane.',
    },
    scheduled_copies: {
      key: { projectId: 1, 'recipients.email': 1 },
      partialFilterExpression: { state: states.scheduled },
      because: 'The same for those in cc and bcc.',
    },
    counted: {
      key: { projectId: 1, countDueAt: 1 },
      ...onlyWith('countDueAt'),
      because: 'Changes of rows that the series do not have yet.',
    },
    newest: { key: { projectId: 1, _id: -1 }, because: 'The mails of a project, newest first.' },
    batch: {
      key: { projectId: 1, batchId: 1, _id: 1 },
      ...onlyWith('batchId'),
      because: 'The mails of one bulk call.',
    },
    tag: {
      key: { projectId: 1, tags: 1, _id: -1 },
      ...onlyWith('tags'),
      because: 'The mails with a tag, newest first.',
    },
    thread: {
      key: { projectId: 1, threadId: 1, _id: -1 },
      ...onlyWith('threadId'),
      because: 'Our answers in a conversation, newest first.',
    },
    key: {
      key: { projectId: 1, keyId: 1, _id: -1, 'copy.index': 1 },
      ...onlyWith('keyId'),
      because: 'The mails that a key with scope send has sent, newest first.',
    },
  },
  campaignBlocks: {
    place: {
      key: { projectId: 1, campaignId: 1, run: 1, n: 1 },
      unique: true,
      because: 'A block of a freeze is written once, and found by its claims.',
    },
    order: {
      key: { projectId: 1, campaignId: 1, run: 1, fromSeq: 1, n: 1, count: 1 },
      because: 'The order of sending; the places and sizes of blocks without their recipients.',
    },
    person: {
      key: { projectId: 1, campaignId: 1, run: 1, first: 1, n: 1, fromSeq: 1, count: 1 },
      because: 'The block that has an address.',
    },
  },
  campaignClaims: {
    place: {
      key: { projectId: 1, campaignId: 1, n: 1, from: 1 },
      unique: true,
      because: 'Recipients are claimed by one process: a claim begins where the one before it ends.',
    },
    open: {
      key: { projectId: 1, campaignId: 1, leaseUntil: 1 },
      ...onlyWith('leaseUntil'),
      because: 'Claims that are not closed, and those whose lease ended.',
    },
    counted: {
      key: { projectId: 1, countDueAt: 1 },
      ...onlyWith('countDueAt'),
      because: 'Closed claims that the series do not have yet.',
    },
  },
} satisfies Indexes;
