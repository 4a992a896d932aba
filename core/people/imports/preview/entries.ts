import { breather, type Pause } from '../../../base/work/breathe.ts';
import type { SuppressionReason } from '../../../consent/suppressions/model.ts';
import { type AddressEntry, afterChange } from '../../../consent/suppressions/rules.ts';
import type { PeopleDeps } from '../../deps.ts';
import { entriesOf, stillSuppressed } from '../consent/suppress.ts';
import type { ImportOrder, RowState } from '../read-batch.ts';

/** Counts the suppression entries that rows would write, each once, whatever the order of the rows. */
export class PreviewEntries {
  readonly #deps: PeopleDeps;
  readonly #order: ImportOrder;
  /** The entries that the rows so far ask for, as they would be. */
  readonly #drafts = new Map<string, AddressEntry>();
  readonly #new = new Set<string>();
  /** Addresses that rows suppress in the global or the marketing group: mail of all groups stops. */
  readonly #everywhere = new Set<string>();
  /** Addresses with the groups in which a row calls them subscribed, and no stored entry stops their mail. */
  readonly #subscribed: Array<{ email: string; groupIds: string[] }> = [];
  #still = 0;
  #size = 0;

  constructor(deps: PeopleDeps, order: ImportOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  /** The groups of all rows together: what is kept grows with it. */
  get size(): number {
    return this.#size;
  }

  async add(states: RowState[]): Promise<void> {
    for (const { groups } of states) this.#size += groups.length;
    const contradicted = await stillSuppressed(this.#deps, this.#order, states);
    this.#still += contradicted.size;
    for (const state of states)
      if (state.saysSubscribed && !contradicted.has(state))
        this.#subscribed.push({ email: state.email, groupIds: state.groups.map(({ groupId }) => groupId) });
    const groups = await entriesOf(this.#deps, this.#order, states);
    const stored = await this.#stored(groups.flatMap(({ entries }) => entries.map(({ email }) => email)));
    for (const { group, entries } of groups)
      for (const { email, reason } of entries) {
        const key = keyOf(email, group);
        const before = this.#drafts.get(key) ?? stored.get(key) ?? null;
        const { outcome, entry } = afterChange(before, { reason, evidence: null });
        if (entry) this.#drafts.set(key, { reason: entry.reason, evidence: null, beside: entry.beside });
        if (outcome !== 'kept') this.#new.add(key);
        if (group.isGlobal || group.isMarketing) this.#everywhere.add(email);
      }
  }

  async counts() {
    const pause = breather();
    const suppressions: Record<Exclude<SuppressionReason, 'MANUAL'>, number> = {
      UNSUBSCRIBE: 0,
      BOUNCE: 0,
      COMPLAINT: 0,
    };
    for (const key of this.#new) {
      await pause();
      const { reason } = this.#drafts.get(key) as AddressEntry;
      if (reason !== 'MANUAL') suppressions[reason] += 1;
    }
    return {
      suppressions,
      alreadySuppressed: this.#drafts.size - this.#new.size,
      stillSuppressed: this.#still + (await this.#contradictedInFile(pause)),
    };
  }

  async #contradictedInFile(pause: Pause): Promise<number> {
    let count = 0;
    for (const { email, groupIds } of this.#subscribed) {
      await pause();
      if (this.#everywhere.has(email) || groupIds.some((id) => this.#drafts.has(`${id} ${email}`))) count += 1;
    }
    return count;
  }

  async #stored(emails: string[]): Promise<Map<string, AddressEntry>> {
    if (emails.length === 0) return new Map();
    const { projectId } = this.#order;
    const found = await this.#deps.db.suppressions
      .find({ projectId, email: { $in: [...new Set(emails)] } }, { hint: 'address' })
      .toArray();
    return new Map(found.map((entry) => [keyOf(entry.email, entry), entry]));
  }
}

function keyOf(email: string, { groupId }: { groupId: string }): string {
  return `${groupId} ${email}`;
}
