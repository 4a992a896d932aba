import { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { languageOfTag, propertyOfLanguage } from '../../base/text/languages/index.ts';
import { networkAddressFor, recordConsents } from '../../consent/consents/record.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import { suppress, takeBackUnsubscribe } from '../../consent/suppressions/suppressions.ts';
import { withPresentAddress } from '../../mail/feedback/present-address.ts';
import { unsubscribe } from '../../mail/feedback/unsubscribes.ts';
import { type ContactChange, changeContactsTogether } from '../../people/changes/changes.ts';
import { requestWriter } from '../../people/changes/counts.ts';
import type { PersonsOwnDeps } from '../deps.ts';
import type { ListChoice, Preferences } from './preferences.ts';

/** A choice for each list and group that the person was shown: those that are missing stay as they are. */
export interface Chosen {
  lists: ReadonlyMap<string, boolean>;
  groups: ReadonlyMap<string, boolean>;
  language: string | undefined;
}

/** The facts of the visit that a record of a consent has. */
interface Asked {
  ip: string;
  /** The words in which the page offers a list. */
  offerOf(list: ListChoice): string;
}

const HOW = 'preference page';

/** Durable when it returns; repeating it changes nothing. Lists and groups that were deleted or made private since are left out. */
export async function savePreferences(
  deps: PersonsOwnDeps,
  preferences: Preferences,
  { lists, groups, language }: Chosen,
  asked: Asked,
): Promise<void> {
  const changed = preferences.lists.filter(({ id, isOn }) => (lists.get(id) ?? isOn) !== isOn);
  const tag = languageOfTag(language);
  const isNewLanguage = tag !== null && tag !== preferences.language && preferences.mayChooseLanguage;
  await changeLists(deps, preferences, changed, asked);
  if (isNewLanguage) await setLanguage(deps, preferences, tag);
  for (const { group, state } of preferences.groups) {
    const isOn = groups.get(group.groupId);
    if (isOn === true && state === 'undoable') await takeBack(deps, preferences, group);
    if (isOn === false && state === 'subscribed') await leave(deps, preferences, group);
  }
}

/**
 * Stops all marketing mail, also that of groups made later, and leaves all public lists. Never the global group: that would stop mail
 * which the person needs, such as a link for a new password. The mail with the link counts as unsubscribed from.
 */
export async function turnEverythingOff(deps: PersonsOwnDeps, preferences: Preferences): Promise<void> {
  const { project, ref, lists } = preferences;
  const group = await builtInGroup(deps, project, 'marketing');
  await unsubscribe(deps, { ref, group }, `${HOW}, everything off`);
  await changeLists(
    deps,
    preferences,
    lists.filter(({ isOn }) => isOn),
  );
}

/** Turns these lists over. */
async function changeLists(
  deps: PersonsOwnDeps,
  preferences: Preferences,
  changed: readonly ListChoice[],
  asked?: Asked,
): Promise<void> {
  const joining = changed.filter(({ isOn }) => !isOn);
  const removeListIds = changed.filter(({ isOn }) => isOn).map(({ id }) => new ObjectId(id));
  if (removeListIds.length > 0) await changeContact(deps, preferences, { removeListIds });
  // One by one: a list that is deleted at the same time does not keep the person out of the others.
  for (const list of joining) {
    const addListIds = [new ObjectId(list.id)];
    await changeContact(deps, preferences, { addListIds }, asked && consentTo(deps, preferences, list, asked));
  }
}

type InSameTransaction = Parameters<typeof changeContactsTogether>[3]['inSameTransaction'];

/** Written with the list, once: a repeat does not join it again. */
function consentTo(
  deps: PersonsOwnDeps,
  { project }: Preferences,
  list: ListChoice,
  { ip, offerOf }: Asked,
): InSameTransaction {
  return async (session, [outcome]) => {
    if (!outcome || outcome instanceof AppError || outcome.kind !== 'changed' || !outcome.after) return;
    const at = deps.clock.now();
    const { _id: contactId, email } = outcome.after;
    const networkAddress = networkAddressFor(project, ip);
    const shown = { text: offerOf(list), listIds: [new ObjectId(list.id)], networkAddress };
    await recordConsents(deps, session, project._id, [
      { contactId, email, source: 'page', ...shown, askedAt: at, confirmedAt: at },
    ]);
  };
}

async function setLanguage(deps: PersonsOwnDeps, preferences: Preferences, tag: string): Promise<void> {
  await changeContact(deps, preferences, { properties: { [propertyOfLanguage(preferences.project)]: tag } });
}

/** A change that its contact or its list does not take any more is left out; the page shows what is stored. */
async function changeContact(
  deps: PersonsOwnDeps,
  { project, contact }: Preferences,
  change: Partial<ContactChange>,
  inSameTransaction?: InSameTransaction,
): Promise<void> {
  if (!contact) return;
  const whole: ContactChange = {
    ...{ contactId: contact._id, newId: new ObjectId(), whenMissing: 'leave', whenPresent: 'change' },
    ...change,
  };
  const options = { writer: requestWriter(), ...(inSameTransaction ? { inSameTransaction } : {}) };
  await changeContactsTogether(deps, project, [whole], options);
}

/** Leaving the group of the mail counts for its campaign, as its unsubscribe link does. */
async function leave(deps: PersonsOwnDeps, { ref, own }: Preferences, group: SuppressionGroup): Promise<void> {
  const { projectId, messageId } = ref;
  const { groupId } = group;
  if (groupId === own.groupId) return unsubscribe(deps, { ref, group }, HOW).catch(unlessGone);
  const evidence = `${HOW}, email ${messageId.toHexString()}`;
  const emails = await withPresentAddress(deps, ref);
  await suppress(deps, projectId, { emails, groupId, reason: 'UNSUBSCRIBE', evidence }).catch(unlessGone);
}

async function takeBack(deps: PersonsOwnDeps, { ref }: Preferences, group: SuppressionGroup): Promise<void> {
  for (const email of await withPresentAddress(deps, ref))
    await takeBackUnsubscribe(deps, group, email).catch(unlessGone);
}

/** The group was deleted since the page was read. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
}
