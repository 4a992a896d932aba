import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { requireSandbox } from '../../base/sandbox.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { breather } from '../../base/work/breathe.ts';
import { TemplateRenderError } from '../../templates/language/templates.ts';
import { checkData } from '../../templates/mail.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, MessageRecipient } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { queueMailings, refuseFullBacklog } from '../messages/messages.ts';
import { checkSender } from './check-sender.ts';
import { dropFetched } from './fetch-attachments.ts';
import { draftsByReader } from './in-languages.ts';
import {
  type BulkInput,
  draftMail,
  type MailDraft,
  type MailOrigin,
  mailbox,
  recipientsOf,
  sentBy,
  uuidOf,
} from './inputs.ts';
import { type Queued, queuedFor } from './queued.ts';
import { checkRecipients, type DraftedSend, render, senderOf } from './send.ts';
import { fetchFiles, mailingOf, publishStored, store } from './store.ts';

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

/** A fault of one recipient fails that recipient alone. */
export async function sendBulk(
  deps: MailDeps,
  project: Project,
  input: BulkInput,
  origin: MailOrigin,
): Promise<BulkSent> {
  const people = input.recipients.map((entry, index) => personOf(input, entry, index));
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
  const failures: BulkFailure[] = [];
  const pause = breather();
  const messages = new Map<MailDraft, Message[]>();
  for (const person of people) {
    await pause();
    const own = draftOf(person.index);
    const made = messagesFor(deps, own, suppressions, person, origin);
    if (made.failure) failures.push(made.failure);
    if (made.messages.length > 0) messages.set(own, (messages.get(own) ?? []).concat(made.messages));
  }
  await storeEach(deps, messages);
  const totalRecipients = people.length;
  const failedCount = failures.length;
  const batchId = uuidOf(origin);
  return { batchId, totalRecipients, successCount: totalRecipients - failedCount, failedCount, failures };
}

interface Person {
  entry: BulkInput['recipients'][number];
  index: number;
  /** null: the address is none. */
  recipients: MessageRecipient[] | null;
}

function personOf(input: BulkInput, entry: Person['entry'], index: number): Person {
  checkData(entry.dynamicData, `recipients/${index}/dynamicData`);
  const email = normalizeEmail(entry.email);
  const copies = [entry.cc ?? input.cc, entry.bcc ?? input.bcc] as const;
  const recipients = email === null ? null : recipientsOf(mailbox({ email, name: entry.name }), ...copies);
  if (recipients) checkRecipients(recipients, `recipients/${index}`);
  return { entry, index, recipients };
}

function messagesFor(
  deps: MailDeps,
  draft: MailDraft,
  suppressions: DraftedSend['suppressions'],
  { entry, index, recipients }: Person,
  origin: MailOrigin,
): { messages: Message[]; failure: BulkFailure | null } {
  const { email, dynamicData } = entry;
  if (!recipients)
    return { messages: [], failure: { email, code: 'INVALID_EMAIL', message: 'This is not an email address.' } };
  const subject = render(draft, recipients[0]!.email, dynamicData, origin);
  const _id = derivedId(origin.at, 'bulk', origin.seed.toHexString(), index);
  const queued = queuedFor(deps, draft, suppressions, { _id, recipients });
  const failure = failureOf(email, subject, queued[0]?.suppressedBy);
  const batchId = uuidOf(origin);
  const isFailed = failure?.code === 'RENDER_FAILED';
  const messages = queued.map(
    (one, place): Message => ({
      projectId: draft.content.projectId,
      lane: 'automation',
      ...(isFailed ? failedFor(one, failure.message, origin) : one),
      contentId: draft.content._id,
      ...sentBy(origin),
      ...taggedWith(draft.tags),
      ...(dynamicData && place === 0 ? { data: dynamicData } : {}),
      ...(typeof subject === 'string' ? { subject } : {}),
      batchId,
      createdAt: origin.at,
    }),
  );
  return { messages, failure };
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

/** The languages of a bulk mail: all of them or none. */
async function storeEach(deps: MailDeps, messages: ReadonlyMap<MailDraft, Message[]>): Promise<void> {
  const [only, ...others] = messages;
  if (!only) return;
  if (others.length === 0) return store(deps, ...only);
  const [{ content }, [first]] = only as [MailDraft, [Message]];
  const all = [...messages.values()].flat();
  await refuseFullBacklog(deps, content.projectId, first.lane, all.length);
  await fetchEach(deps, [...messages.keys()]);
  const mailings = await Promise.all([...messages].map(([draft, some]) => mailingOf(deps, draft, some)));
  await queueMailings(deps, mailings);
  await publishStored(deps, content.projectId, all, content.createdAt);
}

/** A file that cannot be had refuses the call: those of the other languages go too. */
async function fetchEach(deps: MailDeps, drafts: readonly MailDraft[]): Promise<void> {
  try {
    for (const draft of drafts) await fetchFiles(deps, draft);
  } catch (error) {
    for (const { content } of drafts) await dropFetched(deps, content);
    throw error;
  }
}
