import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { RECIPIENTS_MAX } from '../../../schemas/mail/mails.ts';
import { invalid, unprocessable } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { requireSandbox } from '../../base/sandbox.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { breather } from '../../base/work/breathe.ts';
import { type SuppressionFact, stoppedBy } from '../../consent/suppressions/rules.ts';
import { TemplateRenderError } from '../../templates/language/templates.ts';
import { checkData, checkRendering } from '../../templates/mail.ts';
import { linkSetOf } from '../compose/link-sets.ts';
import { TRIAL_PAGES } from '../compose/links.ts';
import { variablesOf } from '../compose/variables.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, MessageRecipient } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { storeFile } from '../messages/contents.ts';
import { copiesOf } from '../messages/copies.ts';
import { publishScheduled, publishSuppressed } from '../messages/events.ts';
import { dueAtOnce, type Mailing, queueMailing, queueMailings, refuseFullBacklog } from '../messages/messages.ts';
import { scheduledLine } from '../messages/scheduled/change-state.ts';
import { checkSender } from './check-sender.ts';
import { fetchAttachments } from './fetch-attachments.ts';
import { draftsByReader } from './in-languages.ts';
import {
  type BulkInput,
  draftMail,
  type MailDraft,
  type MailOrigin,
  mailbox,
  recipientsOf,
  type SendInput,
  sentBy,
} from './inputs.ts';

interface Sent {
  emailId: string;
  message: string;
  totalRecipients: number;
}

interface BulkSent {
  batchId: string;
  totalRecipients: number;
  successCount: number;
  failedCount: number;
  failures: BulkFailure[];
}

interface BulkFailure {
  email: string;
  code: 'SUPPRESSED' | 'INVALID_EMAIL' | 'RENDER_FAILED';
  message: string;
}

export async function sendMail(deps: MailDeps, project: Project, input: SendInput, origin: MailOrigin): Promise<Sent> {
  const drafted = await draftSend(deps, project, input, origin);
  const { emailId, messages, totalRecipients } = messagesOf(deps, drafted, origin);
  await store(deps, drafted.draft, messages);
  return { emailId, message: answerTo(messages), totalRecipients };
}

function answerTo(messages: Message[]): string {
  if (messages.every(({ state }) => state === states.suppressed))
    return 'Every recipient is suppressed; nothing is sent.';
  return `Email ${messages.some(isScheduled) ? 'scheduled' : 'queued'} successfully.`;
}

export interface DraftedSend {
  draft: MailDraft;
  recipients: MessageRecipient[];
  suppressions: Map<string, SuppressionFact[]>;
}

/** A mail to one recipient with its copies, checked but for its rendering. */
export async function draftSend(
  deps: MailDeps,
  project: Project,
  input: SendInput,
  origin: MailOrigin,
): Promise<DraftedSend> {
  const recipients = recipientsOf(mailbox(input.to), input.cc, input.bcc);
  checkRecipients(recipients, 'to');
  await requireSandbox(
    deps,
    project,
    recipients.map(({ email }) => ({ email, field: 'to' })),
  );
  const draft = await draftMail(deps, project, { ...input, email: recipients[0]!.email }, origin);
  const suppressions = await checkSender(
    deps,
    project,
    senderOf(draft),
    recipients.map(({ email }) => email),
  );
  return { draft, recipients, suppressions };
}

/** Its messages, with what the other mails of the call share. */
export function messagesOf(
  deps: MailDeps,
  { draft, recipients, suppressions }: DraftedSend,
  origin: MailOrigin,
  shared: Pick<Message, 'batchId'> = {},
): { emailId: string; messages: Message[]; totalRecipients: number } {
  const subject = render(draft, recipients[0]!.email, undefined, origin);
  if (subject instanceof TemplateRenderError)
    throw unprocessable('TEMPLATE_RENDER_FAILED', `The mail cannot be made with these data: ${subject.message}`);
  const { content } = draft;
  const _id = derivedId(origin.at, 'mail', origin.seed.toHexString());
  const messages = queuedFor(deps, draft, suppressions, { _id, recipients }).map(
    (queued): Message => ({
      projectId: content.projectId,
      lane: content.marketing ? 'automation' : 'transactional',
      ...queued,
      contentId: content._id,
      ...sentBy(origin),
      ...taggedWith(draft.tags),
      subject,
      ...shared,
      createdAt: origin.at,
    }),
  );
  return { emailId: _id.toHexString(), messages, totalRecipients: recipients.length };
}

/** A fault of one recipient fails that recipient alone. */
export async function sendBulk(
  deps: MailDeps,
  project: Project,
  input: BulkInput,
  origin: MailOrigin,
): Promise<BulkSent> {
  const people = input.recipients.map((entry, index) => {
    checkData(entry.dynamicData, `recipients/${index}/dynamicData`);
    const email = normalizeEmail(entry.email);
    const copies = [entry.cc ?? input.cc, entry.bcc ?? input.bcc] as const;
    const recipients = email === null ? null : recipientsOf(mailbox({ email, name: entry.name }), ...copies);
    if (recipients) checkRecipients(recipients, `recipients/${index}`);
    return { entry, index, recipients };
  });
  const named = people.flatMap(({ recipients, index }) =>
    (recipients ?? []).map(({ email }) => ({ email, field: `recipients/${index}` })),
  );
  await requireSandbox(deps, project, named);
  const draft = await draftMail(deps, project, input, origin);
  const emails = people.flatMap(({ recipients }) => recipients?.map(({ email }) => email) ?? []);
  const suppressions = await checkSender(deps, project, senderOf(draft), emails);
  const readers = people.map(({ entry, recipients }) => {
    return { email: recipients?.[0]?.email ?? null, language: entry.language };
  });
  const draftOf = await draftsByReader(deps, project, { draft, input }, readers, origin);
  const batchId = uuidOf(origin);
  const failures: BulkFailure[] = [];
  const pause = breather();
  const messages = new Map<MailDraft, Message[]>();
  for (const { entry, index, recipients } of people) {
    await pause();
    if (!recipients) {
      failures.push({ email: entry.email, code: 'INVALID_EMAIL', message: 'This is not an email address.' });
      continue;
    }
    const own = draftOf(index);
    const subject = render(own, recipients[0]!.email, entry.dynamicData, origin);
    const _id = derivedId(origin.at, 'bulk', origin.seed.toHexString(), index);
    const queued = queuedFor(deps, own, suppressions, { _id, recipients });
    const failure = failureOf(entry.email, subject, queued[0]?.suppressedBy);
    if (failure) failures.push(failure);
    const isFailed = failure?.code === 'RENDER_FAILED';
    const ofEntry = queued.map(
      (one, place): Message => ({
        projectId: project._id,
        lane: 'automation',
        ...(isFailed ? failedFor(one, failure.message, origin) : one),
        contentId: own.content._id,
        ...sentBy(origin),
        ...taggedWith(draft.tags),
        ...(entry.dynamicData && place === 0 ? { data: entry.dynamicData } : {}),
        ...(typeof subject === 'string' ? { subject } : {}),
        batchId,
        createdAt: origin.at,
      }),
    );
    messages.set(own, (messages.get(own) ?? []).concat(ofEntry));
  }
  await storeEach(deps, messages);
  const totalRecipients = people.length;
  const failedCount = failures.length;
  return { batchId, totalRecipients, successCount: totalRecipients - failedCount, failedCount, failures };
}

function senderOf({ content }: MailDraft) {
  return { email: content.from.email, field: 'from/email' };
}

function checkRecipients(recipients: MessageRecipient[], field: string): void {
  if (recipients.length > RECIPIENTS_MAX)
    throw invalid(
      `A mail goes to ${RECIPIENTS_MAX} addresses at most: to, cc and bcc together.`,
      `${field}: must have ${RECIPIENTS_MAX} addresses at most with cc and bcc`,
    );
}

/**
 * A mail that cannot be rendered is refused while the caller can still correct it; it is rendered again, from the same sources, when it is
 * sent.
 */
function render({ templates, content }: MailDraft, email: string, data: object | undefined, { at }: MailOrigin) {
  const builtIn = { email, at, pages: TRIAL_PAGES, contact: null };
  try {
    return checkRendering(templates, variablesOf(builtIn, content.data, data as Record<string, unknown> | undefined));
  } catch (error) {
    if (error instanceof TemplateRenderError) return error;
    throw error;
  }
}

type Queued = Pick<Message, '_id' | 'state' | 'email' | 'name'> & Partial<Message>;

/**
 * One message for all recipients, or with marketing mail one for each address; the first is the one to `to`. Queued unless all its
 * recipients are suppressed, which is checked again after the claim; of mail for a later time only then.
 */
export function queuedFor(
  deps: MailDeps,
  { content, sendAt = null }: Pick<MailDraft, 'content'> & Partial<Pick<MailDraft, 'sendAt'>>,
  suppressions: Map<string, SuppressionFact[]>,
  { _id, recipients }: { _id: ObjectId; recipients: MessageRecipient[] },
): Queued[] {
  const { marketing, groupId, bypassSuppressions: bypass } = content;
  const judged = recipients.map((recipient): MessageRecipient => {
    const entry = sendAt ? null : stoppedBy(suppressions.get(recipient.email) ?? [], { marketing, groupId, bypass });
    if (!entry) return recipient;
    return { ...recipient, state: states.suppressed, suppressedBy: { groupId: entry.groupId, reason: entry.reason } };
  });
  if (!marketing || judged.length === 1) return [{ _id, ...stateOf(deps, { content, sendAt }, judged) }];
  return copiesOf({ _id }, judged).map(({ recipient, ...copy }) => ({
    ...copy,
    ...stateOf(deps, { content, sendAt }, [recipient]),
  }));
}

function stateOf(
  deps: MailDeps,
  { content: { createdAt }, sendAt }: Pick<MailDraft, 'content' | 'sendAt'>,
  judged: MessageRecipient[],
): Omit<Queued, '_id'> {
  const [first] = judged as [MessageRecipient];
  const isOpen = judged.some(({ state }) => state === states.queued);
  return {
    ...(sendAt && isOpen ? waitingFor(sendAt, createdAt) : { state: isOpen ? states.queued : states.suppressed }),
    email: first.email,
    name: first.name,
    ...(judged.length > 1 ? { recipients: judged } : {}),
    ...(isOpen ? { dueAt: sendAt ?? dueAtOnce(deps) } : { endedAt: createdAt }),
    ...(first.suppressedBy ? { suppressedBy: first.suppressedBy } : {}),
  };
}

function waitingFor(sendAt: Date, at: Date): Pick<Queued, 'state' | 'scheduledAt' | 'timeline'> {
  return { state: states.scheduled, scheduledAt: sendAt, timeline: [{ ...scheduledLine(sendAt), at }] };
}

function failedFor({ _id, copy, email, name, recipients }: Queued, reason: string, { at }: MailOrigin): Queued {
  const none = recipients?.map((one) => ({ ...one, state: states.failed, reason }));
  const timeline = [{ type: 'failed', at, reason }];
  return {
    _id,
    ...(copy ? { copy } : {}),
    state: states.failed,
    email,
    ...(name ? { name } : {}),
    ...(none ? { recipients: none } : {}),
    reason,
    endedAt: at,
    timeline,
  };
}

function failureOf(
  email: string,
  subject: string | TemplateRenderError,
  suppressedBy: Message['suppressedBy'],
): BulkFailure | null {
  if (subject instanceof TemplateRenderError) return { email, code: 'RENDER_FAILED', message: subject.message };
  if (!suppressedBy) return null;
  const { reason, groupId } = suppressedBy;
  return { email, code: 'SUPPRESSED', message: `The address is suppressed (${reason}, group ${groupId}).` };
}

export async function store(deps: MailDeps, draft: MailDraft, messages: Message[]): Promise<void> {
  if (messages.length === 0) return;
  const { projectId, lane } = messages[0]!;
  await refuseFullBacklog(deps, projectId, lane, messages.length);
  await fetchFiles(deps, draft);
  await queueMailing(deps, await mailingOf(deps, draft, messages));
  await publishStored(deps, projectId, messages, draft.content.createdAt);
}

/** The languages of a bulk mail: all of them or none. */
async function storeEach(deps: MailDeps, messages: ReadonlyMap<MailDraft, Message[]>): Promise<void> {
  const [only, ...others] = messages;
  if (!only) return;
  if (others.length === 0) return store(deps, ...only);
  const [{ content }, [first]] = only as [MailDraft, [Message]];
  const all = [...messages.values()].flat();
  await refuseFullBacklog(deps, content.projectId, first.lane, all.length);
  for (const draft of messages.keys()) await fetchFiles(deps, draft);
  const mailings = await Promise.all([...messages].map(([draft, some]) => mailingOf(deps, draft, some)));
  await queueMailings(deps, mailings);
  await publishStored(deps, content.projectId, all, content.createdAt);
}

/** Of mail that waits for a time: as they are at the call. */
export async function fetchFiles(deps: MailDeps, { content, sendAt }: MailDraft): Promise<void> {
  if (sendAt) content.attachments = await fetchAttachments(deps, content);
}

/** The events of messages that are stored. */
export async function publishStored(deps: MailDeps, projectId: ObjectId, messages: Message[], at: Date): Promise<void> {
  await publishSuppressed(deps, projectId, messages);
  await publishScheduled(deps, projectId, messages.filter(isScheduled), at);
}

function isScheduled({ state }: Message): boolean {
  return state === states.scheduled;
}

/** The files of a mail and its set of links are written before it. */
export async function mailingOf(
  deps: MailDeps,
  { content, files, templates }: MailDraft,
  messages: Message[],
): Promise<Mailing> {
  const { projectId, templateId } = content;
  await Promise.all(files.map((file) => storeFile(deps, projectId, file)));
  const linkSetId = templateId === null ? null : await linkSetOf(deps, { projectId, templateId }, templates.html);
  if (linkSetId) for (const message of messages) message.linkSetId = linkSetId;
  return { content: { ...content, messageIds: messages.map(({ _id }) => _id) }, messages };
}

/** A repeat of the request derives the same one. */
export function uuidOf({ at, seed }: MailOrigin): string {
  const hash = createHash('sha256').update(`batch ${at.toISOString()} ${seed.toHexString()}`).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
