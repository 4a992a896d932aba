import type { ObjectId } from 'mongodb';
import { namingOf } from '../../../people/addresses.ts';
import { contactData } from '../../../people/contacts/events.ts';
import type { PersonalData } from '../model.ts';
import { ofContact, pick, rowsOf } from '../rows.ts';

const FORGOTTEN = { by: 'job', how: 'removed a minute later (core/people/behaviour)' } as const;

/** Contacts, their lists, what they did, and what stops mail to them. */
export const contacts = {
  contacts: {
    section: 'contact',
    rows: ofContact(({ db }, { projectId, contactId: _id }) =>
      rowsOf(db.contacts.find({ _id, projectId }), contactData),
    ),
    removal: { by: 'deletion' },
  },
  contactLists: {
    section: 'lists',
    rows: ofContact(({ db }, { projectId, contact: { listIds, segmentIds } }) =>
      rowsOf(db.contactLists.find({ _id: { $in: [...listIds, ...segmentIds] }, projectId }), (list) =>
        pick(list, 'name', 'type'),
      ),
    ),
    removal: {
      by: 'nothing',
      because: 'Who is in a list is part of the contact. A filter that names an address is text of a member.',
    },
  },
  contactHistory: {
    section: 'changes',
    rows: ofContact(({ db }, theirs) =>
      rowsOf(db.contactHistory.find(byContact(theirs), { hint: 'contact' }).sort({ at: -1, _id: -1 }), (change) =>
        pick(change, 'at', 'kind', 'fields', 'fieldCount', 'joinedListIds', 'leftListIds', 'importId', 'automationId'),
      ),
    ),
    removal: FORGOTTEN,
  },
  contactFacts: {
    section: 'behaviour',
    rows: ofContact(({ db }, theirs) =>
      rowsOf(db.contactFacts.find(byContact(theirs), { hint: 'contact' }), (fact) =>
        pick(fact, 'kind', 'at', 'campaignId', 'automationId', 'url', 'eventName', 'properties'),
      ),
    ),
    removal: FORGOTTEN,
  },
  notedFacts: {
    leftOut: 'Opens, clicks and events that are counted within seconds. They are in the file where they come from.',
    removal: { by: 'job', how: 'removed when they are counted' },
  },
  customFields: { nameless: 'Names and types of fields.' },
  listCounts: { nameless: 'Numbers.' },
  listRemovals: { nameless: 'Ids of lists.' },
  previewSlots: { nameless: 'Numbers.' },
  suppressionGroups: { nameless: 'Names and numbers of groups.' },
  suppressions: {
    section: 'suppressions',
    rows: async function* ({ db }, { projectId, email, addresses }) {
      // However old an entry for the present address is, it stops mail to the person.
      const present = { email, since: null, until: null };
      const former = addresses.filter((one) => one.email !== email);
      for (const which of namingOf([present, ...former], 'email', 'createdAt'))
        yield* rowsOf(db.suppressions.find({ projectId, ...which }, { hint: 'address' }), (entry) =>
          pick(
            entry,
            ...(['email', 'groupId', 'isMarketing', 'exceptGroupIds', 'reason', 'evidence', 'beside'] as const),
            ...(['createdAt', 'updatedAt'] as const),
          ),
        );
    },
    removal: { by: 'nothing', because: 'An address that must not be mailed stays so when its contact is deleted.' },
  },
  events: {
    section: 'events',
    rows: ofContact(({ db }, theirs) =>
      rowsOf(db.events.find(byContact(theirs), { hint: 'contact_newest' }).sort({ createdAt: -1, _id: -1 }), (event) =>
        pick(event, 'eventName', 'properties', 'createdAt'),
      ),
    ),
    removal: {
      by: 'job',
      how: 'its properties are removed at once, or 12 hours later where it was the first (core/automations/enrollments)',
    },
  },
  enrollments: {
    section: 'enrollments',
    rows: ofContact(({ db }, theirs) =>
      rowsOf(db.enrollments.find(byContact(theirs), { hint: 'contact' }), (enrollment) =>
        pick(
          enrollment,
          ...(['automationId', 'status', 'stepId', 'exitReason', 'event', 'history', 'enteredAt', 'endedAt'] as const),
        ),
      ),
    ),
    removal: {
      by: 'job',
      how: 'the event that began it is removed at once, or 12 hours later (core/automations/enrollments)',
    },
  },
} satisfies Record<string, PersonalData>;

function byContact({ projectId, contactId }: { projectId: ObjectId; contactId: ObjectId }) {
  return { projectId, contactId };
}
