import type { Filter } from 'mongodb';
import { taggedWith } from '../../../base/text/tags.ts';
import { claimMessages } from '../../ledger/claim.ts';
import type { Ledger, LedgerDeps } from '../../ledger/ledger.ts';
import type { Message } from '../../ledger/model.ts';
import { states } from '../../ledger/states.ts';
import type { ClaimedRecipient, RecipientRange, Source } from './source.ts';

const READ = 1_000;

type Candidate = Pick<Message, '_id' | 'email' | 'contactId' | 'firstAt' | 'deferrals' | 'seq'>;

/**
 * Messages of a campaign that wait in rows: deferred, retried, or returned by a process that stopped; all of them in a campaign that
 * an older version froze. They are read ahead of the claims.
 */
export class RowSource implements Source {
  readonly whenRelayIsDown = 'return';
  readonly sizeMax: number;
  #deps: LedgerDeps;
  #ledger: Ledger;
  #range: RecipientRange;
  #candidates: Candidate[] = [];
  #nextSeq: number;
  #isRead = false;
  #reading: Promise<void> | null = null;

  constructor(deps: LedgerDeps, ledger: Ledger, range: RecipientRange) {
    this.#deps = deps;
    this.#ledger = ledger;
    this.#range = range;
    this.sizeMax = range.toSeq - range.fromSeq + 1;
    this.#nextSeq = range.fromSeq;
  }

  async waiting(): Promise<number> {
    if (this.#candidates.length < READ / 2 && !this.#isRead) {
      const read = this.#readAhead();
      if (this.#candidates.length === 0) await read;
    }
    return this.#candidates.length;
  }

  async claim(count: number): Promise<ClaimedRecipient[]> {
    const batch = this.#candidates.splice(0, count);
    const byId = new Map(batch.map((candidate) => [candidate._id.toHexString(), candidate]));
    const { projectId, campaignId, frozenAt, tags } = this.#range;
    const ids = batch.map(({ _id }) => _id);
    const { held, firstAt } = await claimMessages(this.#deps, this.#ledger, { projectId, ids, due: true });
    return held.map((one): ClaimedRecipient => {
      const { email, contactId, deferrals = 0, seq = 0, firstAt: at } = byId.get(one._id.toHexString()) as Candidate;
      const of = contactId ? { contactId } : {};
      one.about = { lane: 'campaign', email, campaignId, createdAt: frozenAt, ...of, ...taggedWith(tags) };
      return { held: one, lane: 'campaign', seq, email, at: at ?? firstAt, deferrals, recipients: null, contact: null };
    });
  }

  onReturned({ held, seq, email, at, deferrals }: ClaimedRecipient): void {
    const contactId = held.about?.contactId;
    this.#candidates.unshift({
      _id: held._id,
      email,
      seq,
      firstAt: at,
      deferrals,
      ...(contactId ? { contactId } : {}),
    });
  }

  isDone(): boolean {
    return this.#isRead && this.#reading === null && this.#candidates.length === 0;
  }

  restFrom(): number | null {
    const places = [...this.#candidates.map(({ seq = 0 }) => seq), ...(this.#isRead ? [] : [this.#nextSeq])];
    return places.length === 0 ? null : Math.min(...places);
  }

  #readAhead(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    // A failed read that is not awaited is repeated.
    this.#reading.catch(() => {});
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { projectId, campaignId, run, toSeq, isDeferred } = this.#range;
    const isQueued: Filter<Message> = { state: states.queued };
    const isDue: Filter<Message> = { state: states.deferred, $expr: { $lte: ['$dueAt', '$$NOW'] } };
    const filters = !isDeferred ? [isQueued] : run ? [isQueued, isDue] : [isDue];
    const seq = { $gte: this.#nextSeq, $lte: toSeq };
    const projection = { email: 1, contactId: 1, firstAt: 1, deferrals: 1, seq: 1 } as const;
    const found = await Promise.all(
      filters.map((filter) =>
        this.#deps.db.messages
          .find({ campaignId, projectId, seq, ...filter }, { projection, hint: 'campaign' })
          .sort({ seq: 1 })
          .limit(READ)
          .toArray(),
      ),
    );
    const read = found
      .flat()
      .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
      .slice(0, READ);
    this.#nextSeq = (read.at(-1)?.seq ?? this.#nextSeq) + 1;
    if (read.length < READ) this.#isRead = true;
    this.#candidates.push(...read);
  }
}
