import type { PersonalData } from '../model.ts';
import { named, ofContact, pick, rowsOf } from '../rows.ts';

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
    rows: named('email', 'createdAt', ({ db }, which) =>
      rowsOf(db.formSubmissions.find(which, { hint: 'address' }), (submission) =>
        pick(submission, 'email', 'agreement', 'createdAt'),
      ),
    ),
    removal: { by: 'deletion' },
  },
  pendingSubscriptions: {
    section: 'pendingSubscriptions',
    rows: named('email', 'createdAt', ({ db }, which) =>
      rowsOf(db.pendingSubscriptions.find(which, { hint: 'address' }), (pending) =>
        pick(pending, 'email', 'agreements', 'language', 'createdAt', 'expiresAt'),
      ),
    ),
    removal: { by: 'deletion' },
  },
} satisfies Record<string, PersonalData>;
