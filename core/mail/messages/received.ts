import type { Filter, ObjectId } from 'mongodb';
import type { ReceivedAsked, ReceivedMail } from '../../people/past.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';

const AT_ONCE = 1_000;

/** The mail that contacts received, for filters that ask about it. Bounced mail was not received. */
export const receivedMail: ReceivedMail = {
  async *to({ db }: MailDeps, { projectId, who, options }: ReceivedAsked) {
    const theirs = { projectId, contactId: who, state: states.sent } as Filter<Message>;
    const projection = { _id: 0, contactId: 1, sentAt: 1, campaignId: 1, automationId: 1 } as const;
    const found = db.messages.find(theirs, { hint: 'contact', projection, batchSize: AT_ONCE, ...options });
    for await (const { contactId, sentAt, campaignId, automationId } of found)
      if (contactId && sentAt) yield { contactId, at: sentAt, campaignId, automationId };
  },

  async receivers({ db }: MailDeps, projectId: ObjectId, messageIds: ObjectId[]) {
    if (messageIds.length === 0) return { contactIds: [], isOpen: false };
    const projection = { contactId: 1, state: 1 } as const;
    const rows = await db.messages.find({ _id: { $in: messageIds }, projectId }, { projection }).toArray();
    return {
      contactIds: rows.flatMap(({ contactId }) => contactId ?? []),
      isOpen: rows.some(({ state }) => state === states.committing),
    };
  },
};
