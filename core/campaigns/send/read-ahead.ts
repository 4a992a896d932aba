import type { Filter } from 'mongodb';
import type { Contact } from '../../contacts/model.ts';
import type { Message } from '../../outbox/model.ts';
import { states } from '../../outbox/states.ts';
import { type Candidate, fail, type RangeRun } from './range-state.ts';

/** Recipients in order, read ahead of the claims. */
export interface Reader {
  /** How many are ready; reads when there is none. */
  waiting(): Promise<number>;
  take(count: number): Candidate[];
  /** A recipient that was claimed and not sent to. */
  putBack(candidate: Candidate): void;
  isDone(): boolean;
  restFrom(): number | null;
}

const READ = 1_000;

export function openReader(run: RangeRun): Reader {
  const { page, campaign, compiled, sending } = run;
  const { db } = sending.deps;
  const { _id: campaignId, projectId } = campaign;
  let candidates: Candidate[] = [];
  let nextSeq = page.fromSeq;
  let isRead = false;
  let reading: Promise<void> | null = null;

  function readAhead(): Promise<void> {
    reading ??= readMore()
      .catch((error) => fail(run, error))
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  async function readMore(): Promise<void> {
    const of: Filter<Message> = { campaignId, projectId, seq: { $gte: nextSeq, $lte: page.toSeq } };
    const filter: Filter<Message> = page.isDeferred
      ? { ...of, state: states.deferred, $expr: { $lte: ['$dueAt', '$$NOW'] } }
      : { ...of, state: states.queued };
    const found = await db.messages
      .find(filter, { projection: { email: 1, contactId: 1, firstAt: 1, deferrals: 1, seq: 1 }, hint: 'campaign' })
      .sort({ seq: 1 })
      .limit(READ)
      .toArray();
    const contacts = await contactsOf(found);
    const read = found.map((message): Candidate => {
      const contact = contacts.get(message.contactId?.toHexString() ?? '') ?? null;
      return { ...message, seq: message.seq ?? 0, contact };
    });
    nextSeq = (read.at(-1)?.seq ?? nextSeq) + 1;
    if (read.length < READ) isRead = true;
    candidates = [...candidates, ...read];
  }

  /** Also when no template names their fields: contacts deleted during the freeze get nothing. */
  async function contactsOf(messages: Message[]): Promise<Map<string, Contact>> {
    const ids = messages.flatMap(({ contactId }) => contactId ?? []);
    const names = { firstName: 1, lastName: 1 } as const;
    const projection = compiled.needsContacts ? { listIds: 0, segmentIds: 0 } : names;
    // Without the hint MongoDB tries the index by address too, which looks good at first: recipients are numbered in that order.
    const found = await db.contacts.find({ _id: { $in: ids }, projectId }, { projection, hint: '_id_' }).toArray();
    return new Map(found.map((contact) => [contact._id.toHexString(), contact as Contact]));
  }

  return {
    async waiting() {
      if (candidates.length < READ / 2 && !isRead) {
        const read = readAhead();
        if (candidates.length === 0) await read;
      }
      return candidates.length;
    },
    take: (count) => candidates.splice(0, count),
    putBack(candidate) {
      candidates.unshift(candidate);
    },
    isDone: () => isRead && reading === null && candidates.length === 0,
    restFrom() {
      const places = [...candidates.map(({ seq }) => seq), ...(isRead ? [] : [nextSeq])];
      return places.length === 0 ? null : Math.min(...places);
    },
  };
}
