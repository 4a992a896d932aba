import type { Collections } from '../../../base/collections.ts';
import type { Person, PersonalData } from '../model.ts';
import { ofContact, pick, rowsOf } from '../rows.ts';

type Db = { db: Collections };

/** Consents, and subscriptions that wait for one. */
export const consents = {
  consents: {
    section: 'consents',
    rows: ofContact(({ db }, { projectId, contactId }) =>
      rowsOf(
        db.consents.find({ projectId, contactId }, { hint: 'contact' }).sort({ createdAt: -1, _id: -1 }),
        (consent) => {
          const when = ['askedAt', 'confirmedAt', 'networkAddress', 'createdAt'] as const;
          return pick(consent, 'email', 'source', 'formId', 'importId', 'listIds', 'text', 'textVersion', ...when);
        },
      ),
    ),
    removal: {
      by: 'job',
      how: 'address and network address are erased after 12 hours; a keyed hash stays (core/consent/consents)',
    },
  },
  forms: { nameless: 'Texts and fields of forms.' },
  formSubmissions: {
    section: 'formSubmissions',
    rows: ({ db }: Db, { projectId, email }: Person) =>
      rowsOf(db.formSubmissions.find({ projectId, email }, { hint: 'address' }), (submission) =>
        pick(submission, 'agreement', 'createdAt'),
      ),
    removal: { by: 'deletion' },
  },
  pendingSubscriptions: {
    section: 'pendingSubscriptions',
    rows: ({ db }: Db, { projectId, email }: Person) =>
      rowsOf(db.pendingSubscriptions.find({ projectId, email }, { hint: 'address' }), (pending) =>
        pick(pending, 'agreements', 'language', 'createdAt', 'expiresAt'),
      ),
    removal: { by: 'deletion' },
  },
} satisfies Record<string, PersonalData>;
