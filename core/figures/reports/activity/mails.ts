import type { Filter } from 'mongodb';
import { READ_TIME_MAX_MS } from '../../../base/paging.ts';
import type { Message, TimelineEntry } from '../../../mail/ledger/model.ts';
import { timelineOf } from '../../../mail/messages/timeline.ts';
import type { Contact } from '../../../people/model.ts';
import type { FiguresDeps } from '../../deps.ts';
import { type Activity, type Asked, sources } from './model.ts';

/** The newest mails of a contact, of which every step is shown; an open of today may be that of an old mail. */
const MAILS_MAX = 1_000;

/** Steps of a mail, but those of our own processes. */
const typeOf: Partial<Record<string, string>> = {
  ...{ queued: 'email.queued', sent: 'email.sent', delivered: 'email.delivered', deferred: 'email.deferred' },
  ...{ delayed: 'email.delayed', bounced: 'email.bounced', failed: 'email.failed', suppressed: 'email.suppressed' },
  ...{ unknown: 'email.unknown', retried: 'email.retried', opened: 'email.opened', clicked: 'email.clicked' },
  ...{ scheduled: 'email.scheduled', cancelled: 'email.cancelled' },
  ...{ unsubscribed: 'email.unsubscribed', complained: 'email.spam_reported' },
};

export async function mailActivity(deps: FiguresDeps, { contact }: Asked): Promise<Activity[]> {
  const mails = await mailsOf(deps, contact);
  return mails.flatMap((message) => stepsOf(message, contact));
}

/** Opens, clicks and bounces are lines of the mail itself, so no other collection is read. */
function stepsOf(message: Message, contact: Contact): Activity[] {
  return timelineOf(message).flatMap((step, number): Activity[] => {
    const type = typeOf[step.type];
    if (!type || !isAbout(contact, message, step)) return [];
    const key = `${message._id.toHexString()}-${String(number).padStart(4, '0')}`;
    return [{ at: step.at, source: sources.mail, key, type, mail: { message, step } }];
  });
}

/** Of a mail with cc or bcc, only what concerns this address. */
function isAbout({ email }: Contact, { recipients }: Message, step: TimelineEntry): boolean {
  return !recipients || step.email === undefined || step.email === email;
}

async function mailsOf({ db }: FiguresDeps, { _id: contactId, projectId, email }: Contact): Promise<Message[]> {
  const newest = (filter: Filter<Message>, hint: string) =>
    db.messages
      .find({ projectId, ...filter }, { hint, projection: { content: 0, data: 0 }, maxTimeMS: READ_TIME_MAX_MS })
      .sort({ _id: -1 })
      .limit(MAILS_MAX)
      .toArray();
  const found = await Promise.all([
    newest({ contactId }, 'contact'),
    // Another contact may have had the address before: mail of a contact is found by its id.
    newest({ email, contactId: { $exists: false } }, 'email'),
    newest({ 'recipients.email': email, recipients: { $exists: true } }, 'copies'),
  ]);
  const distinct = new Map(found.flat().map((message) => [message._id.toHexString(), message]));
  return [...distinct.values()]
    .sort((a, b) => (a._id.toHexString() < b._id.toHexString() ? 1 : -1))
    .slice(0, MAILS_MAX);
}
