import type { Document, ObjectId } from 'mongodb';
import type { Collections } from '../../../base/collections.ts';
import { batchesById } from '../../../base/database/batches.ts';
import { idsWithin } from '../../../base/ids.ts';
import { releasesOf } from '../../../campaigns/audience/waiting.ts';
import { placedByAddress } from '../../../mail/ledger/blocks/read.ts';
import type { Message, TimelineEntry } from '../../../mail/ledger/model.ts';
import { shownState } from '../../../mail/ledger/states.ts';
import { timelineOf } from '../../../mail/messages/timeline.ts';
import type { Person, PersonalData, Shown } from '../model.ts';
import { pick } from '../rows.ts';

const AT_ONCE = 200;
/** Stored opens and clicks of a mail may be many. */
const ENGAGEMENTS_AT_ONCE = 50;
/** Steps of a mail that other addresses share, whose reader is not known. */
const BY_A_READER = new Set(['opened', 'clicked', 'unsubscribed', 'complained']);

type Db = { db: Collections };

/** The ledger, the opens and clicks, and the audiences of campaigns. */
export const mail = {
  messages: {
    section: 'messages',
    rows: async function* ({ db }: Db, person: Person) {
      for await (const found of messagesOf({ db }, person, { content: 0, data: 0 }))
        for (const one of found) yield shownMessage(one);
    },
    removal: {
      by: 'job',
      how: 'addresses, names, subjects and replies are erased after 12 hours (core/mail/messages)',
    },
  },
  engagements: {
    section: 'opensAndClicks',
    rows: async function* ({ db }: Db, person: Person) {
      const fields = { email: 1, recipients: 1 };
      for await (const found of messagesOf({ db }, person, fields)) {
        const ids = found.filter(isAlone).map(({ message }) => message._id);
        for (let from = 0; from < ids.length; from += ENGAGEMENTS_AT_ONCE)
          yield* await engagementsOf({ db }, person.projectId, ids.slice(from, from + ENGAGEMENTS_AT_ONCE));
      }
    },
    removal: { by: 'job', how: 'the opens, and the addresses that were clicked, are removed with those of the mail' },
  },
  campaignBlocks: {
    section: 'audiences',
    rows: async function* ({ db }: Db, person: Person) {
      const { projectId } = person;
      const options = { size: AT_ONCE, projection: { name: 1, freeze: 1 } };
      for await (const campaigns of batchesById(db.campaigns, { projectId, 'freeze.run': { $exists: true } }, options))
        for (const { _id: campaignId, name, freeze } of campaigns) {
          const run = freeze?.run;
          const of = run && { projectId, campaignId, run, ...releasesOf(freeze) };
          if (of && (await isPlaced({ db }, of, person)))
            yield { campaignId, campaignName: name, chosenAt: freeze?.at };
        }
    },
    removal: { by: 'job', how: 'the address is emptied after 12 hours (core/mail/erase/erase-blocks.ts)' },
  },
  frequencyPlaces: {
    leftOut: 'A hash of the address, with the ids and times of mails that the file has.',
    removal: { by: 'job', how: 'removed after 12 hours, and when the last mail is 90 days old (core/mail/frequency)' },
  },
  campaignClaims: { nameless: 'Positions in blocks, and numbers.' },
  contactErasures: {
    leftOut: 'The address of a deleted contact, until its mails are erased.',
    removal: { by: 'job', how: 'removed with the last mail that is erased' },
  },
  attachmentFiles: {
    leftOut: 'Names of attached files, which the file has with the mail that came in.',
    removal: { by: 'job', how: 'removed with its mail' },
  },
  attachmentChunks: {
    leftOut: 'The bytes of attached files.',
    removal: { by: 'job', how: 'removed with its mail' },
  },
  contents: {
    leftOut:
      'Bodies and data of mails of the last seven days. They are in the mailbox already, and may have links that sign in, codes, and addresses of other people.',
    removal: { by: 'job', how: 'removed with its mail, and seven days after the last outcome at the latest' },
  },
} satisfies Record<string, PersonalData>;

/** Whether the audience has the contact, at any of its addresses; without a contact, whether it has the address. */
async function isPlaced(deps: Db, of: Parameters<typeof placedByAddress>[1], person: Person): Promise<boolean> {
  const { contact, addresses } = person;
  for (const email of new Set(addresses.map((one) => one.email))) {
    const placed = await placedByAddress(deps, of, email);
    if (placed.some(({ contactId }) => !contact || contactId.equals(contact._id))) return true;
  }
  return false;
}

/** A mail, with the address of the person that it names. */
interface Found {
  message: Message;
  email: string;
  /** Mail to another person, with the address in cc or bcc. */
  isCopy: boolean;
}

interface Read {
  which: Document;
  hint: string;
  copyTo?: string;
}

/** Each mail once, by the first read that finds it. */
async function* messagesOf({ db }: Db, person: Person, projection: Document): AsyncGenerator<Found[]> {
  const reads = readsOf(person);
  for (const [index, { which, hint, copyTo }] of reads.entries()) {
    const found = reads.slice(0, index).map((read) => read.which);
    const further = { projectId: person.projectId, ...which, ...(index > 0 ? { $nor: found } : {}) };
    for await (const messages of batchesById(db.messages, further, { size: AT_ONCE, hint, projection }))
      yield messages.map((message) => ({ message, email: copyTo ?? message.email, isCopy: copyTo !== undefined }));
  }
}

/** The contact's own mail, whichever address it went to, mail to its addresses, and mail to others with one of them in cc or bcc. */
function readsOf({ contact, addresses }: Person): Read[] {
  // Another contact may have had the address before: mail of a contact is found by its id.
  const nameless = contact ? { contactId: { $exists: false } } : {};
  const named = addresses.map((span) => ({ email: span.email, $and: [{ _id: idsWithin(span) }] }));
  return [
    ...(contact ? [{ which: { contactId: contact._id }, hint: 'contact' }] : []),
    ...named.map((which) => ({ which: { ...which, ...nameless }, hint: 'email' })),
    ...named.map(({ email, $and }) => ({
      which: { 'recipients.email': email, recipients: { $exists: true }, email: { $ne: email }, $and },
      hint: 'copies',
      copyTo: email,
    })),
  ];
}

/** To, cc and bcc share opens and clicks: of a mail to several addresses it is not known whose they are. */
function isAlone({ message, isCopy }: Found): boolean {
  return !isCopy && (message.recipients?.length ?? 1) === 1;
}

function shownMessage({ message, email }: Found): Shown {
  const shown = {
    ...pick(message, 'subject', 'tags', 'campaignId', 'automationId', 'batchId', 'createdAt', 'scheduledAt'),
    ...(message.copy ? { kind: message.copy.kind } : {}),
  };
  const timeline = timelineOf(message).flatMap((step) => shownStep(step, message, email));
  const own = message.recipients?.find((one) => one.email === email);
  if (own) {
    const { kind, name, state: status, reply, reason, deliveredAt } = own;
    return { ...shown, email: own.email, kind, name, status, reply, reason, deliveredAt, timeline };
  }
  const facts = pick(message, 'email', 'name', 'reply', 'reason', 'sentAt', 'deliveredAt', 'endedAt', 'suppressedBy');
  return { ...shown, ...facts, status: shownState(message.state), timeline };
}

/** Of a mail to several addresses, without the replies and acts of the others. */
function shownStep(step: TimelineEntry, message: Message, email: string): TimelineEntry[] {
  const { at, type } = step;
  if ((message.recipients?.length ?? 1) === 1) return [step];
  if (step.email !== undefined) return step.email === email ? [step] : [];
  return BY_A_READER.has(type) ? [] : [{ type, at }];
}

async function engagementsOf({ db }: Db, projectId: ObjectId, ids: ObjectId[]): Promise<Shown[]> {
  const found = await db.engagements.find({ _id: { $in: ids }, projectId }).toArray();
  return found.map((engagement) => {
    const times = ['openedAt', 'humanOpenedAt', 'clickedAt', 'unsubscribedAt', 'complainedAt'] as const;
    return pick(engagement, ...times, 'openCount', 'opens', 'clickCount', 'clicks', 'laterClicks');
  });
}
