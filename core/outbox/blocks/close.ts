import type { AnyBulkWriteOperation } from 'mongodb';
import { untilDone } from '../../base/retry.ts';
import { countRowsOf } from '../counting/claims.ts';
import type { HeldClaim, Ledger, LedgerDeps } from '../ledger.ts';
import type { BlockClaim } from './model.ts';

/** Claims are closed together; a pause waits for it. */
const GATHER_MS = 200;
const REPEAT = { firstMs: 1_000, maxMs: 1_000 };

/**
 * Closes claims when all of their recipients have rows, many in one update. A lost close does no harm: the claim becomes an orphan,
 * whose rows are found complete.
 */
export class ClaimCloser {
  #deps: LedgerDeps;
  #ledger: Ledger;
  #waiting: HeldClaim[] = [];
  #closing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: LedgerDeps, ledger: Ledger) {
    this.#deps = deps;
    this.#ledger = ledger;
  }

  add(claim: HeldClaim): void {
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

  async #close(claims: HeldClaim[]): Promise<void> {
    const { db, log } = this.#deps;
    await untilDone(
      async () => {
        const writes = await Promise.all(claims.map((claim) => this.#writeOf(claim)));
        await db.campaignClaims.bulkWrite(writes, { ordered: false, writeConcern: { w: 1 } });
      },
      (err) => log.warn({ err, claims: claims.length }, 'closing claims failed; retrying'),
      REPEAT,
    );
    for (const { place } of claims) this.#ledger.blocks.delete(place._id.toHexString());
  }

  /** Only an open claim is closed: one that a lost answer had closed may be counted by now. */
  async #writeOf({ place, recipients, tally }: HeldClaim): Promise<AnyBulkWriteOperation<BlockClaim>> {
    const { _id, projectId } = place;
    const ids = recipients.map((held) => held._id);
    const counts = tally ? tally.cells() : await countRowsOf(this.#deps, projectId, ids);
    const isCounted = counts.length > 0;
    return {
      updateOne: {
        filter: { _id, projectId, owner: this.#ledger.owner, leaseUntil: { $exists: true } },
        update: {
          $currentDate: { endedAt: true, ...(isCounted ? { countDueAt: true } : {}) },
          $unset: { leaseUntil: '' },
          ...(isCounted ? { $set: { counts } } : {}),
        },
      },
    };
  }
}
