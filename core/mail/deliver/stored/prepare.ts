import type { ObjectId } from 'mongodb';
import { emailDomain } from '../../../base/text/addresses.ts';
import { DAY_MS } from '../../../base/time/durations.ts';
import { goneGroups } from '../../../consent/suppressions/find-groups.ts';
import { type SuppressionFact, stoppedBy } from '../../../consent/suppressions/rules.ts';
import type { Contact } from '../../../people/model.ts';
import { wantsContact } from '../../compose/compose.ts';
import { type SendingDomain, sendingDomain } from '../../compose/sending-domain.ts';
import type { MailDeps } from '../../deps.ts';
import { CONTACT_DELETED } from '../../erase/fail-for-deleted.ts';
import type { Check, Claimed, Verdict } from '../../ledger/ledger.ts';
import type { Content, Message, MessageRecipient } from '../../ledger/model.ts';
import { afterOutcome } from '../../ledger/rules/judge-delivery.ts';
import { isOpenRecipient } from '../../ledger/states.ts';
import { contentsOf } from '../../messages/contents.ts';
import { firstOnes } from '../../messages/copies.ts';
import { openedContent } from '../../messages/sealed-content.ts';
import type { ClaimedMail } from '../claimed-mail.ts';
import { entriesAgainst } from '../entries-against.ts';
import { holdToCap } from '../hold-to-cap.ts';
import { presentPeople } from './present-people.ts';
import { LEFT, leftWhileWaiting } from './waiting-mail.ts';

/** For so long a mail waits for room under the frequency cap at most. */
const CAP_WAIT_MAX_MS = 7 * DAY_MS;

/** A claimed message with everything that was read for it; suppressed recipients are marked. */
export interface PreparedMail extends ClaimedMail {
  message: Message;
  /** The message to `to`, of which this one may be a copy. */
  first: Message;
  content: Content;
  sending: SendingDomain;
  contact: Contact | null;
}

/**
 * Reads everything about claimed mails of a project in parallel on the primary: what the check and
 * composing need.
 */
export async function prepareMails(
  deps: MailDeps,
  projectId: ObjectId,
  held: Claimed[],
  claim: { owner: string; number: number },
) {
  const ids = held.map(({ _id }) => _id);
  const messages = await deps.db.messages
    .find({ _id: { $in: ids }, projectId, owner: claim.owner, claim: claim.number })
    .toArray();
  const [contents, firstOf] = await Promise.all([
    contentsOf(deps, projectId, messages),
    firstOnes(deps, projectId, messages),
  ]);
  const [mayNotGo, domains, contactOf] = await Promise.all([
    checkMails(deps, projectId, messages, contents),
    domainsOf(deps, projectId, contents),
    contactsFor(
      deps,
      projectId,
      messages.flatMap((message) => firstOf(message) ?? []),
      contents,
    ),
  ]);
  const byId = new Map(messages.map((message) => [message._id.toHexString(), message]));
  const mails: PreparedMail[] = [];
  for (const one of held) {
    const key = one._id.toHexString();
    const message = byId.get(key);
    const stored = message && contents.get(String(message.contentId));
    const content = stored && openedContent(deps.config, stored);
    const sending = content && domains.get(emailDomain(content.from.email));
    if (!message || mayNotGo.verdicts.has(key)) continue;
    one.about = message;
    const first = firstOf(message);
    if (content === null)
      mayNotGo.verdicts.set(key, failedAll(message, 'The key that sealed its content is not among SECRET_KEYS.'));
    else if (!content || !first)
      mayNotGo.verdicts.set(key, failedAll(message, 'What was to be sent is not stored any more.'));
    else if (!sending)
      mayNotGo.verdicts.set(key, failedAll(message, 'The domain that it was to come from is not verified any more.'));
    else
      mails.push({
        held: one,
        lane: message.lane,
        at: message.firstAt ?? deps.clock.now(),
        deferrals: message.deferrals ?? 0,
        message,
        first,
        content,
        sending,
        contact: contactOf(first),
        recipients: mayNotGo.recipients.get(key) ?? null,
      });
  }
  const capped = await holdToCap(deps, projectId, mails.filter(isCapped).map(cappedOf));
  return { mails, verdicts: new Map([...ofHeld(held, mayNotGo.verdicts), ...capped]), messages, contents };
}

/** bypassSuppressions passes over the frequency cap too, and such mail does not count. */
function isCapped({ content, message }: PreparedMail): boolean {
  return content.marketing && !content.bypassSuppressions && !message.recipients;
}

function cappedOf({ held, message, content }: PreparedMail) {
  const { email, waitsWith, createdAt } = message;
  const waitsUntil = waitsWith && createdAt ? new Date(createdAt.getTime() + CAP_WAIT_MAX_MS) : null;
  return { held, email, groupId: content.groupId, waitsUntil };
}

function ofHeld(held: readonly Claimed[], verdicts: Map<string, Verdict>): Map<Claimed, Verdict> {
  return new Map(
    held.flatMap((one) => {
      const verdict = verdicts.get(one._id.toHexString());
      return verdict ? [[one, verdict]] : [];
    }),
  );
}

/**
 * The check made with every renewal: a message that must not be sent is stopped before its final dot, and claimed again when a
 * copy is suppressed.
 */
export function recheck(
  deps: MailDeps,
  projectId: ObjectId,
  { messages, contents, mails }: { messages: Message[]; contents: Map<string, Content>; mails: PreparedMail[] },
): Check {
  return async (held) => {
    const asked = new Set(held.map(({ _id }) => _id.toHexString()));
    const some = messages.filter(({ _id }) => asked.has(_id.toHexString()));
    const { verdicts, recipients } = await checkMails(deps, projectId, some, contents);
    for (const { message, recipients: known } of mails) {
      const key = message._id.toHexString();
      const changed = recipients.get(key)?.some(({ state }, index) => state !== known?.[index]?.state);
      if (changed && !verdicts.has(key)) verdicts.set(key, { kind: 'back', delayMs: 0 });
    }
    return ofHeld(held, verdicts);
  };
}

/**
 * Messages that must not be sent: the project or the contact is gone, the address is suppressed, or the person has left while the mail
 * waited. Also checked with every renewal of the claim.
 */
async function checkMails(
  deps: MailDeps,
  projectId: ObjectId,
  messages: Message[],
  contents: Map<string, Content>,
): Promise<{ verdicts: Map<string, Verdict>; recipients: Map<string, MessageRecipient[]> }> {
  const people = await presentPeople(deps, projectId, messages);
  const addressed = (message: Message, email: string) => ({ email, presentEmail: presentOf(message, email, people) });
  const mails = messages.flatMap((message) => emailsOf(message).map((email) => addressed(message, email)));
  const [project, against, left, gone] = await Promise.all([
    deps.db.projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } }),
    entriesAgainst(deps, projectId, mails),
    leftWhileWaiting(deps, projectId, messages),
    goneGroups(
      deps,
      projectId,
      [...contents.values()].map(({ groupId }) => groupId),
    ),
  ]);
  const entryAgainst = (message: Message, email: string, content: Content) => {
    const { marketing, groupId, bypassSuppressions: bypass, passesUnsubscribe = false } = content;
    const isGroupGone = gone.has(groupId ?? '');
    return stoppedBy(against(addressed(message, email)), {
      marketing,
      groupId,
      isGroupGone,
      bypass,
      passesUnsubscribe,
    });
  };
  const verdicts = new Map<string, Verdict>();
  const recipients = new Map<string, MessageRecipient[]>();
  for (const message of messages) {
    const key = message._id.toHexString();
    const content = contents.get(String(message.contentId));
    if (!project) verdicts.set(key, failedAll(message, 'The project was deleted.'));
    if (!project || !content) continue;
    if (!message.recipients) {
      const entry = entryAgainst(message, message.email, content);
      if (entry) verdicts.set(key, suppressed(entry));
      else if (people.get(key) === null) verdicts.set(key, failedAll(message, CONTACT_DELETED));
      else if (left.has(key)) verdicts.set(key, failedAll(message, LEFT));
      continue;
    }
    const judged = message.recipients.map((one) => {
      const entry = isOpenRecipient(one) ? entryAgainst(message, one.email, content) : null;
      return entry ? afterOutcome(one, suppressed(entry)) : one;
    });
    recipients.set(key, judged);
    const last = judged.findLast(({ suppressedBy }) => suppressedBy)?.suppressedBy;
    if (last && !judged.some(isOpenRecipient))
      verdicts.set(key, { kind: 'suppressed', by: judged[0]?.suppressedBy ?? last, recipients: judged });
  }
  return { verdicts, recipients };
}

function emailsOf({ email, recipients }: Message): string[] {
  return recipients?.map((one) => one.email) ?? [email];
}

/** The contact of a mail has the address that the mail is to, and today perhaps another. */
function presentOf(message: Message, email: string, people: Map<string, string | null>): string | undefined {
  const present = email === message.email && people.get(message._id.toHexString());
  return present && present !== email ? present : undefined;
}

function failedAll({ recipients }: Message, reason: string): Verdict {
  const failed = { kind: 'failed' as const, reason };
  return { ...failed, recipients: recipients?.map((one) => (isOpenRecipient(one) ? afterOutcome(one, failed) : one)) };
}

function suppressed({ groupId, reason }: SuppressionFact) {
  return { kind: 'suppressed' as const, by: { groupId, reason } };
}

async function domainsOf(deps: MailDeps, projectId: ObjectId, contents: Map<string, Content>) {
  const names = new Set([...contents.values()].map(({ from }) => emailDomain(from.email)));
  const found = await Promise.all([...names].map((name) => sendingDomain(deps, projectId, name)));
  return new Map([...names].flatMap((name, index) => (found[index] ? [[name, found[index]]] : [])));
}

/** A mail of an automation is about its own contact, whichever address that has today; another, about the one that has its address. */
async function contactsFor(
  deps: MailDeps,
  projectId: ObjectId,
  messages: Message[],
  contents: Map<string, Content>,
): Promise<(message: Message) => Contact | null> {
  const wanted = messages.filter((message) => {
    const content = contents.get(String(message.contentId));
    return content && wantsContact(content, message);
  });
  const ids = wanted.flatMap(({ contactId }) => contactId ?? []);
  const emails = wanted.flatMap(({ contactId, email }) => (contactId ? [] : [email]));
  const { contacts } = deps.db;
  const [named, others] = await Promise.all([
    ids.length > 0 ? contacts.find({ _id: { $in: ids }, projectId }, { hint: '_id_' }).toArray() : [],
    emails.length > 0 ? contacts.find({ projectId, email: { $in: emails } }).toArray() : [],
  ]);
  const byId = new Map(named.map((contact) => [contact._id.toHexString(), contact]));
  const byEmail = new Map(others.map((contact) => [contact.email, contact]));
  return ({ contactId, email }) => (contactId ? byId.get(contactId.toHexString()) : byEmail.get(email)) ?? null;
}
