import type { Project } from '../../base/model.ts';
import { type Language, languageOf, propertyOfLanguage } from '../../base/text/languages/index.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import { publicGroups } from '../../consent/suppressions/find-groups.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import { type SuppressionFact, suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import { readUnsubscribeToken, type UnsubscribeRef } from '../../mail/compose/tokens.ts';
import { groupOf, type Subscription, stateIn } from '../../mail/feedback/unsubscribes.ts';
import { publicLists } from '../../people/lists/lists.ts';
import type { Contact } from '../../people/model.ts';
import type { PersonsOwnDeps } from '../deps.ts';

/** A public list, and whether the person is in it. */
export interface ListChoice {
  id: string;
  name: string;
  description: string;
  isOn: boolean;
}

/** A group of mail, and whether the person gets it. */
export interface GroupChoice {
  group: SuppressionGroup;
  state: Subscription['state'];
}

/** The choices of a person: of the address that a mail went to. */
export interface Preferences {
  ref: UnsubscribeRef;
  project: Project;
  language: Language;
  /** null: the address is no contact's, so there are groups alone to choose. */
  contact: Contact | null;
  lists: ListChoice[];
  /** The group of the mail. */
  own: SuppressionGroup;
  groups: GroupChoice[];
  entries: readonly SuppressionFact[];
  mayChooseLanguage: boolean;
}

/** By the token of an unsubscribe link; null: it is not one of ours, or its project is gone. Changes nothing. */
export async function findPreferences(
  deps: PersonsOwnDeps,
  token: string,
  acceptLanguage: string,
): Promise<Preferences | null> {
  const ref = readUnsubscribeToken(deps.config, token);
  const project = ref && (await deps.db.projects.findOne({ _id: ref.projectId, deletedAt: null }));
  if (!ref || !project) return null;
  const { projectId, email } = ref;
  const [contact, lists, own, shown, against] = await Promise.all([
    deps.db.contacts.findOne({ projectId, email }),
    publicLists(deps, project),
    groupOf(deps, ref),
    publicGroups(deps, project),
    suppressionsAgainst(deps, projectId, [email]),
  ]);
  const entries = against.get(email) ?? [];
  const groups = await shownGroups(deps, project, [own, ...shown], entries);
  return {
    ref,
    project,
    language: languageOf(project, contact, acceptLanguage),
    contact,
    lists: contact ? lists.map((list) => choiceOf(list, contact)) : [],
    own,
    groups: groups.map((group) => ({ group, state: stateIn(group, entries) })),
    entries,
    mayChooseLanguage: contact !== null && (await isText(deps, project)),
  };
}

/**
 * The public groups, and that of the mail, which its own link stops as well. The default group also when the person has left it, or
 * everything, so that everything that they turned off here can be turned on again.
 */
async function shownGroups(
  deps: PersonsOwnDeps,
  project: Project,
  named: readonly SuppressionGroup[],
  entries: readonly SuppressionFact[],
): Promise<SuppressionGroup[]> {
  const hasLeftDefault = entries.some(
    ({ isDefault, isMarketing, reason }) => (isDefault || isMarketing) && reason === 'UNSUBSCRIBE',
  );
  const found = hasLeftDefault ? [await builtInGroup(deps, project, 'default'), ...named] : named;
  const distinct = new Map(found.filter(({ isGlobal }) => !isGlobal).map((group) => [group.groupId, group]));
  return [...distinct.values()].sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

function choiceOf(
  { _id, name, description }: { _id: Contact['_id']; name: string; description: string },
  { listIds }: Contact,
): ListChoice {
  return { id: _id.toHexString(), name, description, isOn: listIds.some((id) => id.equals(_id)) };
}

/** A property of another type cannot hold a language. */
async function isText({ db }: PersonsOwnDeps, project: Project): Promise<boolean> {
  const fieldName = propertyOfLanguage(project);
  const declared = await db.customFields.findOne({ projectId: project._id, fieldName });
  return declared === null || declared.fieldType === 'string';
}
