import { setTimeout as sleep } from 'node:timers/promises';
import { marketingFacts } from '../../consent/suppressions/find-groups.ts';
import { stoppedBy } from '../../consent/suppressions/rules.ts';
import type { Contact } from '../../people/model.ts';
import { CONTACT_DELETED } from '../erase/fail-for-deleted.ts';
import { type Check, CLAIM_MAX, type Claimed, type Verdict } from '../ledger/ledger.ts';
import { type Ended, endedBy } from '../ledger/outcomes.ts';
import { UNWRITTEN_MAX } from '../ledger/record-outcomes.ts';
import { entriesAgainst } from './entries-against.ts';
import { holdToCap } from './hold-to-cap.ts';
import type { RangeSending } from './range-sending.ts';
import type { ClaimedRecipient, Source } from './sources/source.ts';

const PAUSE_MS = 20;
const LEASE_LOOK_MS = 100;
const RATE_LOOK_MS = 1_000;
const CLAIM_MIN = 8;
const AHEAD = 1.5;
const NO_CONTACT: Verdict = { kind: 'failed', reason: CONTACT_DELETED };
const BACK = { kind: 'back', delayMs: 0 } as const;

interface Around {
  /** How many ranges this process sends now: they share the limit of claims. */
  ranges(): number;
  /** Called each time when every outcome is durable, or an unawaited claim has ended. */
  onQuiet(): void;
}

/**
 * Claims recipients a little ahead of the connections, so that they never wait for a claim, and checks them after it.
 *
 * - filling: one claim and its check are in progress; further callers wait for the same one
 * - ready: claimed and checked recipients wait for a connection
 * - full: two for each connection and CLAIM_MAX more have no durable outcome yet, so nothing is claimed until one has
 * - done: the source has no more, and nothing is ready
 */
export class ClaimAhead {
  #run: RangeSending;
  #source: Source;
  #around: Around;
  #ready: ClaimedRecipient[] = [];
  #filling: Promise<void> | null = null;
  #written = Promise.withResolvers<void>();

  constructor(run: RangeSending, source: Source, around: Around) {
    this.#run = run;
    this.#source = source;
    this.#around = around;
  }

  /** null: nothing more to send. Never rejects: a failure ends the run. */
  async next(): Promise<ClaimedRecipient | null> {
    while (!this.#run.isStopped()) {
      const item = this.#ready.shift();
      if (item) {
        if (this.#ready.length <= this.#aheadMax() / 2) void this.#fill();
        if (this.#mayGo(item)) return item;
        if (this.#run.isOver()) return null;
        await sleep(LEASE_LOOK_MS);
      } else if (this.isDone() || (!this.#run.mayClaim() && !this.#filling)) return null;
      else await this.#fill();
    }
    return null;
  }

  /** The outcome is written, repeatedly until it succeeds. */
  end(item: ClaimedRecipient, ended: Ended): void {
    const run = this.#run;
    run.countEnded();
    run.sending.outcomes.add(ended, () => {
      const { outcome } = ended;
      run.policy.onOutcome(outcome.kind);
      if (outcome.kind === 'back') this.#source.onReturned(item);
      run.unwritten -= 1;
      this.#written.resolve();
      this.#written = Promise.withResolvers();
      if (run.unwritten === 0) this.#around.onQuiet();
    });
  }

  /** No dot was written, and the recipient may be sent to later: at once by this process where it keeps the claim. */
  again(item: ClaimedRecipient): void {
    if (item.held.stopped || this.#source.whenRelayIsDown === 'return') this.return(item);
    else {
      item.held.dotWritten = false;
      this.#ready.push(item);
    }
  }

  /** Its dot is refused for good: by a check, or because the range is over. */
  return(item: ClaimedRecipient): void {
    this.end(item, endedBy(item.held, item.held.stopped ?? BACK));
  }

  /** Nothing is sent for a while: what other processes could send is returned. */
  giveBack(): void {
    if (this.#source.whenRelayIsDown === 'keep' && !this.#run.isOver()) return;
    for (const item of this.#ready.splice(0)) this.return(item);
  }

  /** Nothing is left to claim, and no claimed recipient waits for a connection. */
  isDone(): boolean {
    return this.#ready.length === 0 && this.#filling === null && this.#source.isDone();
  }

  isClaiming(): boolean {
    return this.#filling !== null;
  }

  /** The first `seq` that is left for later; null when the range is done. */
  restFrom(): number | null {
    return this.#source.restFrom();
  }

  /** A recipient whose lease is not renewed in time waits for it; one whose claim was taken over is left to the other process. */
  #mayGo(item: ClaimedRecipient): boolean {
    const { lease, part } = item.held;
    if (part === null || this.#run.sending.ledger.now() < lease.safeUntilMs) return true;
    if (part.claim.isLost) this.return(item);
    else this.#ready.push(item);
    return false;
  }

  /** Half of them last for the connections while the next claim is made. */
  #aheadMax(): number {
    return Math.min(CLAIM_MAX * AHEAD, Math.max(CLAIM_MIN, this.#run.connections * 4));
  }

  /**
   * The most claims that are lost with a dying process, including outcomes that are not durable yet: two for each connection, and
   * 64.
   */
  #claimable(): number {
    const mine = this.#run.connections * 2 + Math.ceil(CLAIM_MAX / this.#around.ranges());
    return Math.min(CLAIM_MAX, this.#aheadMax() - this.#ready.length, mine - this.#run.unwritten);
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#claimMore()
      .catch((error) => this.#run.fail(error))
      .finally(() => {
        this.#filling = null;
        if (this.#run.connections === 0) this.#around.onQuiet();
      });
    return this.#filling;
  }

  async #claimMore(): Promise<void> {
    const { sending, policy } = this.#run;
    if (!this.#run.mayClaim()) return;
    if (sending.outcomes.unwritten() > UNWRITTEN_MAX) return void (await sleep(PAUSE_MS));
    if (policy.isBreached()) {
      this.#run.goOn = false;
      return;
    }
    const waiting = await this.#source.waiting();
    if (waiting === 0) return;
    // Small claims cost as much as large ones, so a larger one is waited for.
    if (this.#claimable() < Math.min(waiting, this.#aheadMax() / 2) && this.#run.unwritten > 0)
      return this.#written.promise;
    const count = policy.pace.take(Math.min(waiting, this.#claimable()));
    if (count === 0) return this.#waitForPace();
    const items = await this.#source.claim(count);
    this.#run.unwritten += items.length;
    await this.#admit(items);
  }

  /** A higher rate is noticed while a low one holds everything up. */
  async #waitForPace(): Promise<void> {
    const { pace } = this.#run.policy;
    await sleep(Math.min(RATE_LOOK_MS, Math.max(1, pace.waitMs())));
    if (pace.waitMs() > RATE_LOOK_MS) await this.#check([]);
  }

  async #admit(items: ClaimedRecipient[]): Promise<void> {
    if (items.length === 0) return;
    let verdicts: Map<Claimed, Verdict>;
    try {
      verdicts = await this.#judge(items);
    } catch (error) {
      for (const item of items) this.return(item);
      throw error;
    }
    for (const item of items) {
      item.held.lease.check = this.#check;
      const verdict = verdicts.get(item.held);
      if (verdict) this.end(item, endedBy(item.held, verdict));
      else this.#ready.push(item);
    }
  }

  async #judge(items: ClaimedRecipient[]): Promise<Map<Claimed, Verdict>> {
    const { sending, policy } = this.#run;
    const { projectId, groupId } = policy;
    const [verdicts] = await Promise.all([this.#check(items.map(({ held }) => held)), this.#readContacts(items)]);
    for (const { held, contact } of items) if (!contact && !verdicts.has(held)) verdicts.set(held, NO_CONTACT);
    const moved = items.flatMap(({ held }) => (held.presentEmail && !verdicts.has(held) ? held : []));
    if (moved.length > 0) for (const [held, verdict] of await this.#check(moved)) verdicts.set(held, verdict);
    const going = items.filter(({ held }) => !verdicts.has(held));
    const capped = going.map(({ held, email }) => ({ held, email, groupId, waitsUntil: null }));
    return new Map([...verdicts, ...(await holdToCap(sending.deps, projectId, capped))]);
  }

  /** Also when no template names their fields: contacts that were deleted since the freeze get nothing. */
  async #readContacts(items: ClaimedRecipient[]): Promise<void> {
    const { policy, sending } = this.#run;
    const ids = items.flatMap(({ held }) => held.about?.contactId ?? []);
    const names = { email: 1, firstName: 1, lastName: 1 } as const;
    const projection = policy.needsContacts ? { listIds: 0, segmentIds: 0 } : names;
    const found = await sending.deps.db.contacts
      // Without the hint MongoDB tries the index by address too, which looks good at first: recipients are in that order.
      .find({ _id: { $in: ids }, projectId: policy.projectId }, { projection, hint: '_id_', readPreference: 'primary' })
      .toArray();
    const byId = new Map(found.map((contact) => [contact._id.toHexString(), contact as Contact]));
    for (const item of items) {
      item.contact = byId.get(item.held.about?.contactId?.toHexString() ?? '') ?? null;
      if (item.contact && item.contact.email !== item.email) item.held.presentEmail = item.contact.email;
    }
  }

  /**
   * Status, rate and suppressions as they are after the claim, read in parallel on the primary. Also called with every renewal.
   */
  #check: Check = async (held) => {
    const { policy, sending } = this.#run;
    const { projectId, groupId } = policy;
    const addressed = held.map(({ about, presentEmail }) => ({ email: about?.email ?? '', presentEmail }));
    const [maySend, against, mail] = await Promise.all([
      policy.maySend(),
      entriesAgainst(sending.deps, projectId, addressed),
      marketingFacts(sending.deps, projectId, groupId),
    ]);
    if (!maySend) this.#run.goOn = false;
    const verdicts = new Map<Claimed, Verdict>();
    for (const [index, one] of held.entries()) {
      const hit = maySend ? stoppedBy(against(addressed[index]!), mail) : null;
      if (!maySend) verdicts.set(one, BACK);
      else if (hit) verdicts.set(one, { kind: 'suppressed', by: { groupId: hit.groupId, reason: hit.reason } });
    }
    return verdicts;
  };
}
