import type { Document, Filter } from 'mongodb';
import { untilDone } from '../../../base/database/retry.ts';
import { countRowsOf } from '../counting/claims.ts';
import type { Cell } from '../counting/tally.ts';
import { distinctProjects, type Ledger, type LedgerDeps, type OpenClaim } from '../ledger.ts';
import type { BlockClaim } from './model.ts';

/** Closing 64 claims costs MongoDB little more than closing one; a pause waits for it. */
const GATHER_MS = 200;
const REPEAT = { firstMs: 1_000, maxMs: 1_000 };

/**
 * Closes claims when all of their recipients have rows, many in one update. A lost close does no harm: the claim becomes an orphan,
 * whose rows are found complete.
 */
export class ClaimCloser {
  #deps: LedgerDeps;
  #ledger: Ledger;
  #waiting: OpenClaim[] = [];
  #closing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: LedgerDeps, ledger: Ledger) {
    this.#deps = deps;
    this.#ledger = ledger;
  }

  add(claim: OpenClaim): void {
    if (claim.isLost) return void this.#ledger.blocks.delete(claim.place._id.toHexString());
    this.#waiting.push(claim);
    this.#timer ??= setTimeout(() => void this.closeAll(), GATHER_MS);
  }

  /** Resolves when everything that waits is closed. */
  async closeAll(): Promise<void> {
    while (this.#closing || this.#waiting.length > 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#closing ??= this.#close(this.#waiting.splice(0)).finally(() => {
        this.#closing = null;
      });
      await this.#closing;
    }
  }

  async #close(claims: OpenClaim[]): Promise<void> {
    const { db, log } = this.#deps;
    await untilDone(
      async () => {
        const counts = await Promise.all(claims.map((claim) => this.#countsOf(claim)));
        await db.campaignClaims.updateMany(this.#stillOpen(claims), closed(claims, counts), { writeConcern: { w: 1 } });
      },
      (err) => log.warn({ err, claims: claims.length }, 'closing claims failed; retrying'),
      REPEAT,
    );
    for (const { place } of claims) this.#ledger.blocks.delete(place._id.toHexString());
  }

  /** A claim that a lost answer had closed may be counted by now. */
  #stillOpen(claims: OpenClaim[]): Filter<BlockClaim> {
    const places = claims.map(({ place }) => place);
    return {
      _id: { $in: places.map(({ _id }) => _id) },
      projectId: { $in: distinctProjects(places) },
      owner: this.#ledger.owner,
      leaseUntil: { $exists: true },
    };
  }

  #countsOf({ place, recipients, tally }: OpenClaim): Cell[] | Promise<Cell[]> {
    const ids = recipients.map(({ _id }) => _id);
    return tally?.cells() ?? countRowsOf(this.#deps, place.projectId, ids);
  }
}

/** One update that gives each claim its own counts: it costs MongoDB a third of an update for each. */
function closed(claims: OpenClaim[], counts: Cell[][]): Document[] {
  const ids = claims.map(({ place }) => place._id);
  const own = { $arrayElemAt: [{ $literal: counts }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] };
  const isCounted = { $ne: ['$counts', []] };
  return [
    { $set: { endedAt: '$$NOW', leaseUntil: '$$REMOVE', counts: own } },
    {
      $set: {
        counts: { $cond: [isCounted, '$counts', '$$REMOVE'] },
        countDueAt: { $cond: [isCounted, '$$NOW', '$$REMOVE'] },
      },
    },
  ];
}
