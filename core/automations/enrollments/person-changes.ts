import { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { breather } from '../../base/work/breathe.ts';
import { applyChange, type ContactChange, type Drafts } from '../../people/changes/apply-change.ts';
import { findGone } from '../../people/changes/changes.ts';
import type { View } from '../../people/changes/compare-segments.ts';
import type { Contact } from '../../people/model.ts';
import { readPast } from '../../people/past.ts';
import { type ProjectRules, projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { AutomationDefinition, AutomationStep } from '../model/definition.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { chainOf } from '../rules/entering/chain.ts';
import type { Facts, PersonChange } from '../rules/moves/decision.ts';
import { listsAddedTo, type PersonUpdate } from '../rules/update.ts';

interface Surroundings {
  projectId: ObjectId;
  /** For segments that ask about behaviour. */
  pastOf: View['pastOf'];
  /** Lists that the automation names, and that are gone. */
  goneListIds: ReadonlySet<string>;
}

/** Changes a contact by the rules of real changes, without a write: coercion, clearing, segments. Runs and simulations share it. */
export function personChanges(rules: ProjectRules, { projectId, pastOf, goneListIds }: Surroundings) {
  const apply = (drafts: Drafts, change: ContactChange, atMs: number): Contact | AppError => {
    const outcome = applyChange(drafts, rules, change, { projectId, now: new Date(atMs), goneListIds, pastOf });
    return outcome instanceof AppError ? outcome : (outcome.after as Contact);
  };
  const make = (...given: Parameters<typeof apply>): Contact => {
    const made = apply(...given);
    if (made instanceof AppError) throw made;
    return made;
  };
  const pause = breather();
  return {
    create(email: string, wish: Partial<ContactChange>, atMs: number): Contact {
      const drafts: Drafts = { byId: new Map(), byEmail: new Map(), stored: new Map() };
      const change = { email, newId: new ObjectId(), whenMissing: 'create', whenPresent: 'change', ...wish } as const;
      return make(drafts, change, atMs);
    },
    change(before: Contact, wish: Partial<ContactChange>, atMs: number): Contact {
      return make(draftsOf(before), { ...changeOf(before), ...wish }, atMs);
    },
    /** By a step. */
    async update(before: Contact, update: PersonUpdate, atMs: number): Promise<Contact | { problem: string }> {
      await pause();
      if (update.addListIds?.some((id) => goneListIds.has(id)))
        return { problem: 'addListIds: names a list that was deleted' };
      const changed = apply(draftsOf(before), { ...changeOf(before), ...wishOf(update) }, atMs);
      return changed instanceof AppError ? { problem: changed.details ?? changed.message } : changed;
    },
  };
}

function draftsOf(contact: Contact): Drafts {
  const byId = new Map([[contact._id.toHexString(), contact]]);
  return { byId, byEmail: new Map([[contact.email, contact]]), stored: byId };
}

/** By itself, or by an answer. */
function changesPeople(step: AutomationStep): boolean {
  return step.type === 'update_contact' || (step.type === 'webhook' && step.webhook.wait);
}

/** How the steps of a definition change each of these people, at a moment. */
export async function changeOfSteps(
  deps: AutomationsDeps,
  projectId: ObjectId,
  contactIds: ObjectId[],
  definition: Pick<AutomationDefinition, 'steps'>,
): Promise<(nowMs: number) => Facts['change']> {
  if (!definition.steps.some(changesPeople)) return () => async (person) => person;
  const [rules, goneListIds] = await Promise.all([
    projectRulesOf(deps, projectId),
    goneLists(deps, projectId, definition),
  ]);
  const { behaviours, mixesBehaviour } = rules;
  const pastOf = mixesBehaviour ? await readPast(deps, { projectId, who: { $in: contactIds }, behaviours }) : null;
  const people = personChanges(rules, { projectId, pastOf, goneListIds });
  return (nowMs) => (person, update) => people.update(person, update, nowMs);
}

/** The changes of a decision, to be written with its move. */
export function changesOf(enrollment: Enrollment, changes: PersonChange[]): ContactChange[] {
  const causedBy = chainOf(enrollment);
  return changes.map(({ before, update }) => ({ ...changeOf(before), ...wishOf(update), causedBy }));
}

/** Of a contact that is there. */
function changeOf({ _id }: Pick<Contact, '_id'>): ContactChange {
  return { contactId: _id, newId: new ObjectId(), whenMissing: 'leave', whenPresent: 'change' };
}

function wishOf({ contactProperties, addListIds, removeListIds }: PersonUpdate): Partial<ContactChange> {
  return { properties: contactProperties, addListIds: idsOf(addListIds), removeListIds: idsOf(removeListIds) };
}

/** Read only where the automation adds people to lists. */
export async function goneLists(
  deps: AutomationsDeps,
  projectId: ObjectId,
  { steps }: Pick<AutomationDefinition, 'steps'>,
): Promise<Set<string>> {
  return findGone(deps, undefined, projectId, [{ addListIds: idsOf(listsAddedTo(steps)) }]);
}

function idsOf(listIds: readonly string[] = []): ObjectId[] {
  return listIds.map((id) => new ObjectId(id));
}
