import { untilDone } from '../../base/retry.ts';
import { distinctProjects, type HeldClaim, type Ledger, type LedgerDeps } from '../ledger.ts';

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
    const places = claims.map(({ place }) => place);
    const ours = {
      _id: { $in: places.map(({ _id }) => _id) },
      projectId: { $in: distinctProjects(places) },
      owner: this.#ledger.owner,
    };
    const closed = { $currentDate: { endedAt: true as const }, $unset: { leaseUntil: '' as const } };
    await untilDone(
      () => db.campaignClaims.updateMany(ours, closed, { writeConcern: { w: 1 } }),
      (err) => log.warn({ err, claims: claims.length }, 'closing claims failed; retrying'),
      REPEAT,
    );
    for (const { _id } of places) this.#ledger.blocks.delete(_id.toHexString());
  }
}
