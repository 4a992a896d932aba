import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { createBatcher } from '../base/database/batcher.ts';
import { failedOf, isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { oncePerCore } from '../base/deps.ts';
import { TooMuch } from '../base/errors.ts';
import { networkOf } from '../base/text/networks.ts';
import { hashId, publishEvents } from '../events/events.ts';
import { applyReports, type ReportOutcome } from '../mail/feedback/bounces.ts';
import { applyComplaint } from '../mail/feedback/complaints.ts';
import { unsubscribeByMail } from '../mail/feedback/unsubscribes.ts';
import { deleteFile, storeFile } from '../mail/messages/contents.ts';
import type { InboundDeps } from './deps.ts';
import { type Destination, withPostmaster } from './destinations.ts';
import type { InboundEnvelope, MailReader, MailVerdicts, ParsedMail } from './mail.ts';
import type { InboundMessage } from './model.ts';
import { countMail, type Quota } from './quotas.ts';
import { inboundRemovalAt } from './removals.ts';
import { threadOf } from './threads.ts';
import { followWritten, isWritten } from './written-mail.ts';

/**
 * taken: durable. later: deliver it again. refused: it cannot be read, and never will be. unproven: the sender is not proven, so there is
 * no address to unsubscribe. slow: reading it took too long, for now. crowded: too many others are read. network, project: the quota that
 * has no room for it today.
 */
type Received = 'taken' | 'later' | 'refused' | 'unproven' | 'slow' | 'crowded' | Quota;

/** unread: no person reads the address. anonymous: neither the envelope nor the header names a sender. */
type Unwanted = 'unread' | 'anonymous';

const FILES_STORED_MAX = 100;
const TOGETHER_MAX = 50;

type Mailbox = Extract<Destination, { kind: 'mailbox' }>;

interface ArrivingMail {
  destinations: Destination[];
  envelope: InboundEnvelope;
  bytes: Buffer;
}

/** A mail for one or more of our addresses. All its consequences are written before the answer, and are harmless to repeat. */
export async function receiveMail(
  deps: InboundDeps,
  reader: MailReader,
  mail: ArrivingMail,
): Promise<Received | Unwanted> {
  try {
    return await receive(deps, reader, mail);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    // A mail that takes too much memory does so at every try.
    return error.limit === 'time' ? 'slow' : error.limit === 'waiting' ? 'crowded' : 'refused';
  }
}

async function receive(
  deps: InboundDeps,
  reader: MailReader,
  { destinations: given, envelope, bytes }: ArrivingMail,
): Promise<Received | Unwanted> {
  const isToPeople = given.some(({ kind }) => kind === 'mailbox' || kind === 'feedback');
  const [mail, verdicts] = await Promise.all([
    reader.parse(bytes, envelope),
    isToPeople ? reader.verify(bytes, envelope) : null,
  ]);
  if (!mail) return 'refused';
  const destinations = mail.complaint ? given : await withPostmaster(deps, given);
  if (typeof destinations === 'string') return destinations;
  // Without an address it would look like a message that was erased.
  const isAnonymous = mail.from === null && envelope.mailFrom === '';
  if (isAnonymous && destinations.some(({ kind }) => kind === 'mailbox')) return 'anonymous';
  const verify = async () => verdicts ?? reader.verify(bytes, envelope);
  for (const destination of destinations) {
    if (destination.kind === 'mailbox') continue;
    const outcome = await receiveForMachine(deps, destination, mail, verify);
    if (outcome === 'later' || outcome === 'unproven') return outcome;
  }
  const mailboxes = destinations.filter((one) => one.kind === 'mailbox');
  const once = Map.groupBy(mailboxes, ({ projectId, domainName }) => `${projectId.toHexString()} ${domainName}`);
  let full: Quota | null = null;
  for (const some of once.values()) {
    const to = some.map(({ address }) => address);
    const brought = { envelope, bytes, mail, verdicts: verdicts!, to };
    full = (await receiveWithinQuota(deps, some[0]!, brought)) ?? full;
  }
  return full ?? 'taken';
}

interface MailToPeople {
  envelope: InboundEnvelope;
  bytes: Buffer;
  mail: ParsedMail;
  verdicts: MailVerdicts;
  /** Addresses of the mailbox. */
  to: string[];
}

/** Returns the quota that has no room. A mail that was stored for another mailbox, and comes again for this one, is stored there once. */
async function receiveWithinQuota(deps: InboundDeps, mailbox: Mailbox, brought: MailToPeople): Promise<Quota | null> {
  const bringing = { projectId: mailbox.projectId, network: networkOf(brought.envelope.remoteAddress) };
  const counted = await countMail(deps, bringing, brought.bytes.length);
  if (counted.full) return counted.full;
  let isNew = false;
  try {
    isNew = await receiveForPeople(deps, mailbox, brought);
  } finally {
    if (!isNew) await counted.uncount();
  }
  return null;
}

async function receiveForMachine(
  deps: InboundDeps,
  destination: Exclude<Destination, Mailbox>,
  mail: ParsedMail,
  verify: () => Promise<MailVerdicts>,
): Promise<ReportOutcome | 'unproven'> {
  const { complaint, returned } = mail;
  if (complaint) return applyComplaint(deps, destination.kind === 'bounce' ? destination.ref : null, complaint);
  if (destination.kind === 'unsubscribe') return unsubscribeByMail(deps, destination.ref, mail, verify);
  if (destination.kind === 'feedback') return 'ignored';
  return returned.kind === 'delivery' ? applyReports(deps, destination.ref, returned.reports) : 'ignored';
}

/** The same mail delivered twice, because our answer was lost, is one message. Returns whether the message is new. */
async function receiveForPeople(
  deps: InboundDeps,
  { projectId, domainName, isBlocked }: Mailbox,
  { envelope, mail, verdicts, to }: Omit<MailToPeople, 'bytes'>,
): Promise<boolean> {
  const parts = [projectId.toHexString(), domainName, mail.messageId, mail.bodyHash, mail.from?.email ?? ''];
  const dedupe = createHash('sha256').update(parts.join('\u0000')).digest('base64url');
  const attachments = await storeFiles(deps, projectId, dedupe, mail);
  const receivedAt = deps.clock.now();
  const message: InboundMessage = {
    _id: new ObjectId(),
    projectId,
    dedupe,
    messageId: mail.messageId,
    domainName,
    from: mail.from ?? { email: envelope.mailFrom, name: null },
    ...{ to: mail.to, cc: mail.cc, bcc: mail.bcc, replyTo: mail.replyTo },
    ...{ subject: mail.subject, text: mail.text, html: mail.html },
    attachments,
    headers: mail.headers,
    spfVerdict: verdicts.spf,
    dkimVerdict: verdicts.dkim,
    dmarcVerdict: verdicts.dmarc,
    status: isBlocked ? 'BLOCKED_UNVERIFIED' : 'PROCESSED',
    ...(await threadOf(deps, projectId, mail)),
    references: mail.references,
    receivedAt,
    removeDueAt: inboundRemovalAt(deps, receivedAt),
  };
  const isNew = await inserter(deps)(message);
  // A process that died before its answer may have stored the message alone, so a repeat follows the one that is stored. Nothing follows
  // one that is erased or removed.
  const stored = isNew ? message : await deps.db.inboundMessages.findOne({ projectId, dedupe });
  if (!stored || stored.isOfDeleted) {
    for (const { fileId } of attachments) await deleteFile(deps, fileId);
    return isNew;
  }
  await publishEvents(deps, projectId, [
    { type: 'email.received', key: stored._id.toHexString(), at: stored.receivedAt, data: summaryOf(stored) },
  ]);
  if (isWritten(message, envelope, mail)) await followWritten(deps, stored, to);
  return isNew;
}

function summaryOf(message: InboundMessage): Record<string, unknown> {
  const { _id, from, to, subject, messageId, threadId, status, domainName, receivedAt } = message;
  const { inReplyToEmailActivityId: email, inReplyToInboundEmailId: inbound, attachments } = message;
  return {
    id: _id.toHexString(),
    // Every event of a mail carries its address, by which it is found when that contact is deleted.
    email: from.email,
    ...{ messageId, domainName, from, to, subject, threadId, status, receivedAt },
    inReplyToEmailActivityId: email?.toHexString() ?? null,
    inReplyToInboundEmailId: inbound?.toHexString() ?? null,
    attachmentCount: attachments.length,
    // The former name of attachmentCount, kept for receivers that read it.
    attachments: attachments.length,
  };
}

/** Stored before the message that names them, under ids that a repeat derives again. */
async function storeFiles(deps: InboundDeps, projectId: ObjectId, dedupe: string, { files }: ParsedMail) {
  const kept = files.slice(0, FILES_STORED_MAX);
  return Promise.all(
    kept.map(async ({ fileName, contentType, contentId, bytes }, index) => {
      const fileId = hashId('inbound file', dedupe, String(index));
      await storeFile(deps, projectId, { fileId, fileName, bytes });
      return { fileName, contentType, contentId, sizeBytes: bytes.length, fileId };
    }),
  );
}

/** Messages that arrive together share a commit. Returns whether the message is new. */
const inserter = oncePerCore(({ db }: InboundDeps) =>
  createBatcher<InboundMessage, boolean>(
    async (messages) => {
      const known = await db.inboundMessages.insertMany(messages, { ordered: false }).then(
        () => new Set<number>(),
        (error) => {
          if (!isDuplicateKey(error)) throw error;
          return failedOf(error);
        },
      );
      return messages.map((_, index) => !known.has(index));
    },
    { sizeMax: TOGETHER_MAX, runsMax: 2, callers: 'requests' },
  ),
);
