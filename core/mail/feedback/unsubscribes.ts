import { AppError } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { type Language, languageOf } from '../../base/text/languages/index.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import { findGroup } from '../../consent/suppressions/find-groups.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import { stoppedBy } from '../../consent/suppressions/rules.ts';
import {
  type SuppressionFact,
  suppress,
  suppressionsAgainst,
  takeBackUnsubscribe,
} from '../../consent/suppressions/suppressions.ts';
import {
  readMailLocalPart,
  readUnsubscribeToken,
  type UnsubscribeAddressRef,
  type UnsubscribeRef,
} from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';
import { findMail } from '../ledger/blocks/find-mail.ts';
import type { Message } from '../ledger/model.ts';
import { contentOf } from '../messages/contents.ts';
import { bufferSignal } from './buffer.ts';
import { type Signal, writeSignals } from './engagements.ts';
import { withPresentAddress } from './present-address.ts';

export interface Subscription {
  ref: UnsubscribeRef;
  group: SuppressionGroup;
  project: Project;
  /** null: the mail names no group. */
  groupName: string | null;
  /**
   * undoable: the person unsubscribed, and may subscribe again. stopped: nothing is sent for another reason, which the person cannot lift.
   */
  state: 'subscribed' | 'undoable' | 'stopped';
}

/** The subscription as the page shows it. */
export interface ShownSubscription extends Subscription {
  language: Language;
}

/** In the language of the contact; of the browser when the contact is gone, or cannot be read. */
export async function findShownSubscription(
  deps: MailDeps,
  token: string,
  acceptLanguage: string,
): Promise<ShownSubscription | null> {
  const ref = readUnsubscribeToken(deps.config, token);
  const [subscription, contact] = await Promise.all([
    findSubscription(deps, token),
    ref && languageFacts(deps, ref).catch(() => null),
  ]);
  return subscription && { ...subscription, language: languageOf(subscription.project, contact, acceptLanguage) };
}

/** null: the link is not one of ours, or its project is gone. Changes nothing. */
export async function findSubscription(deps: MailDeps, token: string): Promise<Subscription | null> {
  const ref = readUnsubscribeToken(deps.config, token);
  const project = ref && (await deps.db.projects.findOne({ _id: ref.projectId, deletedAt: null }));
  if (!ref || !project) return null;
  const group = await groupOf(deps, ref);
  const entries = (await suppressionsAgainst(deps, ref.projectId, [ref.email])).get(ref.email) ?? [];
  return { ref, group, project, groupName: group.isDefault ? null : group.name, state: stateIn(group, entries) };
}

/** `entries`: every entry against the address. */
export function stateIn(
  { groupId, isDefault }: SuppressionGroup,
  entries: readonly SuppressionFact[],
): Subscription['state'] {
  const mail = { marketing: true, groupId: isDefault ? null : groupId, bypass: false };
  if (!stoppedBy(entries, mail)) return 'subscribed';
  const own = entries.filter((entry) => entry.groupId === groupId || entry.isMarketing);
  if (own.some(({ reason }) => reason === 'COMPLAINT')) return 'stopped';
  return own.some((entry) => entry.reason === 'UNSUBSCRIBE' && stoppedBy([entry], mail)) ? 'undoable' : 'stopped';
}

/** Durable when it returns; repeating it changes nothing. Works long after contact and message are gone. */
export async function unsubscribe(
  deps: MailDeps,
  { ref, group }: Pick<Subscription, 'ref' | 'group'>,
  how: string,
): Promise<void> {
  await stopGroup(deps, ref, group, how);
}

/** Takes back only the person's own unsubscribe: bounces, complaints and decisions of the sender stay. */
export async function resubscribe(deps: MailDeps, { ref, group, state }: Subscription): Promise<void> {
  if (state !== 'undoable') return;
  for (const email of await withPresentAddress(deps, ref)) await takeBackUnsubscribe(deps, group, email);
}

/**
 * A mail to the address of List-Unsubscribe. The recipient comes from the original message. When that is gone or erased, it is the From
 * that DMARC proves; without one the sender must learn that the mail had no effect. `later` while the message is in flight.
 */
export async function unsubscribeByMail(
  deps: MailDeps,
  ref: UnsubscribeAddressRef,
  mail: { to: readonly { email: string }[] },
  verify: () => Promise<{ author: string | null; isFinal: boolean }>,
): Promise<'applied' | 'unproven' | 'later'> {
  const { projectId, messageId } = ref;
  const found = await findMail(deps, { projectId, messageId });
  if (found === 'inFlight') return 'later';
  const message = found === 'gone' ? null : found;
  const how = 'mail to the address of List-Unsubscribe';
  if (message?.email) {
    const whole = { projectId, messageId, groupId: await groupIdOf(deps, ref, message), email: message.email };
    await stopGroup(deps, whole, await groupOf(deps, whole), how);
    return 'applied';
  }
  // A mail replayed by someone else still passes DMARC, but is not written to this address.
  if (!mail.to.some(({ email }) => isFor(deps, email, ref))) return 'unproven';
  const { author, isFinal } = await verify();
  const email = author && normalizeEmail(author);
  if (!email) return isFinal ? 'unproven' : 'later';
  const whole = { projectId, messageId, groupId: await groupIdOf(deps, ref, message), email };
  await stopGroup(deps, whole, await groupOf(deps, whole), `${how}, by its From`);
  return 'applied';
}

function isFor({ config }: MailDeps, address: string, { messageId }: Pick<UnsubscribeRef, 'messageId'>): boolean {
  return readMailLocalPart(config, address.split('@')[0] ?? '')?.messageId.equals(messageId) ?? false;
}

/** An address of an earlier version names no group: its mail decides, and where the content is no longer kept, what sent it. */
async function groupIdOf(
  deps: MailDeps,
  { groupId }: UnsubscribeAddressRef,
  message: Message | null,
): Promise<string | null> {
  if (groupId !== undefined) return groupId;
  if (!message) return null;
  const { projectId, campaignId, automationId } = message;
  const [content, campaign, automation] = await Promise.all([
    contentOf(deps, message),
    campaignId && deps.db.campaigns.findOne({ _id: campaignId, projectId }),
    automationId && deps.db.automations.findOne({ _id: automationId, projectId }),
  ]);
  // A content that names none says so: its automation may name one since.
  if (content) return content.groupId;
  return campaign?.unsubscribeGroupId ?? automation?.unsubscribeGroupId ?? null;
}

async function stopGroup(deps: MailDeps, ref: UnsubscribeRef, group: SuppressionGroup, how: string): Promise<void> {
  const { projectId, messageId } = ref;
  const evidence = `${how}, email ${messageId.toHexString()}`;
  const emails = await withPresentAddress(deps, ref);
  await suppress(deps, projectId, { emails, groupId: group.groupId, reason: 'UNSUBSCRIBE', evidence });
  const signal: Signal = { kind: 'unsubscribe', projectId, messageId, at: deps.clock.now(), reason: how };
  const later = await writeSignals(deps, [signal]).catch(() => [signal]);
  for (const one of later) bufferSignal(deps, one);
}

function languageFacts({ db }: MailDeps, { projectId, email }: UnsubscribeRef) {
  return db.contacts.findOne({ projectId, email }, { projection: { contactProperties: 1 } });
}

/** A group that was deleted since is replaced by the default one, so that the unsubscribe still holds. */
export async function groupOf(deps: MailDeps, { projectId, groupId }: UnsubscribeRef): Promise<SuppressionGroup> {
  const project = { _id: projectId };
  if (groupId === null) return builtInGroup(deps, project, 'default');
  return findGroup(deps, project, groupId).catch((error) => {
    if (error instanceof AppError && error.kind === 'not_found') return builtInGroup(deps, project, 'default');
    throw error;
  });
}
