import { taggedWith } from '../../../base/text/tags.ts';
import { claimedUpTo, claimPart } from '../../ledger/blocks/claim.ts';
import type { Block } from '../../ledger/blocks/model.ts';
import type { Ledger, LedgerDeps } from '../../ledger/ledger.ts';
import type { ClaimedRecipient, RecipientRange, Source } from './source.ts';

interface Place {
  block: Block;
  /** Where the next claim begins. */
  from: number;
  /** Where the range ends in this block (exclusive). */
  end: number;
}

/**
 * Claims the blocks of a range in order, and reads the next block while the present one is sent. A range has the blocks that begin in
 * it or reach into it, and claims nothing above `toSeq`, which may be as far as the recipients are released.
 */
export class BlockSource implements Source {
  readonly whenRelayIsDown = 'keep';
  readonly sizeMax: number;
  #deps: LedgerDeps;
  #ledger: Ledger;
  #range: RecipientRange;
  #place: Place | null = null;
  #next: Promise<Place | null>;
  #isRead = false;

  constructor(deps: LedgerDeps, ledger: Ledger, range: RecipientRange) {
    this.#deps = deps;
    this.#ledger = ledger;
    this.#range = range;
    this.sizeMax = range.toSeq - range.fromSeq + 1;
    this.#next = this.#read(Math.max(1, range.fromSeq));
  }

  async waiting(): Promise<number> {
    while (!this.#isRead) {
      if (this.#place && this.#place.from < this.#place.end) return this.#place.end - this.#place.from;
      const place = await this.#next;
      if (place) this.#next = this.#read(place.block.fromSeq + place.block.count);
      else this.#isRead = true;
      this.#place = place ?? this.#place;
    }
    return 0;
  }

  async claim(count: number): Promise<ClaimedRecipient[]> {
    const place = this.#place!;
    const { block, from, end } = place;
    const { frozenAt, tags } = this.#range;
    const to = Math.min(end, from + count);
    const claim = await claimPart(this.#deps, this.#ledger, { block, from, to, frozenAt, ...taggedWith(tags) });
    place.from = claim ? to : await claimedUpTo(this.#deps, block);
    if (!claim) return [];
    const { claimedAt: at, fromSeq } = claim.place;
    return claim.recipients.map((held, index) => {
      const { email } = held.about!;
      return { held, lane: 'campaign', seq: fromSeq + index, email, at, deferrals: 0, recipients: null, contact: null };
    });
  }

  /** It is a row now, which the row source sends. */
  onReturned(): void {}

  isDone(): boolean {
    return this.#isRead;
  }

  restFrom(): number | null {
    if (this.#isRead) return null;
    if (!this.#place) return this.#range.fromSeq;
    const { block, from } = this.#place;
    const seq = block.fromSeq + from;
    return seq > this.#range.toSeq ? null : seq;
  }

  /** The block that has this `seq`; null: the range has no more. */
  #read(seq: number): Promise<Place | null> {
    const place = this.#readPlace(seq);
    // It is awaited later.
    place.catch(() => {});
    return place;
  }

  async #readPlace(seq: number): Promise<Place | null> {
    const { projectId, campaignId, toSeq } = this.#range;
    if (seq > toSeq) return null;
    const run = this.#range.run!;
    const block = await this.#deps.db.campaignBlocks.findOne(
      { projectId, campaignId, run, fromSeq: { $lte: seq } },
      { sort: { fromSeq: -1 }, hint: 'order' },
    );
    if (!block || block.fromSeq + block.count <= seq) return null;
    const end = Math.min(block.count, toSeq - block.fromSeq + 1);
    return { block, from: await claimedUpTo(this.#deps, block), end };
  }
}
