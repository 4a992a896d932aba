import type { Contact } from '../../contacts/model.ts';
import { CONTACT_DELETED } from '../../messages/fail-for-deleted.ts';
import { type Check, CLAIM_MAX, type Held, type Outcome, type Verdict } from '../../outbox/ledger.ts';
import type { Bounce } from '../../outbox/outcomes.ts';
import { UNWRITTEN_MAX } from '../../outbox/record-outcomes.ts';
import { goneGroups } from '../../suppressions/groups.ts';
import { stoppedBy } from '../../suppressions/rules.ts';
import { suppressionsAgainst } from '../../suppressions/suppressions.ts';
import { isUnderWay } from '../status.ts';
import { fail, isOver, mayClaim, mustStop, type RangeRun, sleep } from './range-state.ts';
import type { Claimed, Source } from './source.ts';

const PAUSE_MS = 20;
const LEASE_LOOK_MS = 100;
const RATE_LOOK_MS = 1_000;
const CLAIM_MIN = 8;
const NO_CONTACT: Verdict = { kind: 'failed', reason: CONTACT_DELETED };
const BACK = { kind: 'back', delayMs: 0 } as const;

interface Around {
  /** How many ranges this process sends now: they share the limit of claims. */
  pages(): number;
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
  #run: RangeRun;
  #source: Source;
  #around: Around;
  #ready: Claimed[] = [];
  #filling: Promise<void> | null = null;
  #written = Promise.withResolvers<void>();

  constructor(run: RangeRun, source: Source, around: Around) {
    this.#run = run;
    this.#source = source;
    this.#around = around;
  }

  /** null: nothing more to send. Never rejects: a failure ends the run. */
  async next(): Promise<Claimed | null> {
    while (!mustStop(this.#run)) {
      const item = this.#ready.shift();
      if (item) {
        if (this.#ready.length <= this.#aheadMax() / 2) void this.#fill();
        if (this.#mayGo(item)) return item;
        if (isOver(this.#run)) return null;
        await sleep(LEASE_LOOK_MS);
      } else if (this.isDone() || (!mayClaim(this.#run) && !this.#filling)) return null;
      else await this.#fill();
    }
    return null;
  }

  /** The outcome is written, repeatedly until it succeeds. */
  end(item: Claimed, outcome: Outcome, bounces?: Bounce[]): void {
    const run = this.#run;
    run.ended += 1;
    run.onProgress(run.ended);
    run.sending.outcomes.add({ held: item.held, outcome, bounces }, () => {
      run.thresholds.count(outcome.kind);
      if (outcome.kind === 'back') this.#source.onReturned(item);
      run.unwritten -= 1;
      this.#written.resolve();
      this.#written = Promise.withResolvers();
      if (run.unwritten === 0) this.#around.onQuiet();
    });
  }

  /** No dot was written, and the recipient may be sent to later: at once by this process where it keeps the claim. */
  again(item: Claimed): void {
    const { stopped } = item.held;
    if (stopped || this.#source.whenRelayIsDown === 'return') this.end(item, stopped ?? BACK);
    else {
      item.held.dotWritten = false;
      this.#ready.push(item);
    }
  }

  /** Nothing is sent for a while: what other processes could send is returned. */
  giveBack(): void {
    if (this.#source.whenRelayIsDown === 'keep' && !isOver(this.#run)) return;
    for (const item of this.#ready.splice(0)) this.end(item, item.held.stopped ?? BACK);
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
  #mayGo(item: Claimed): boolean {
    const { lease, part } = item.held;
    if (part === null || this.#run.sending.ledger.now() < lease.safeUntilMs) return true;
    if (part.claim.isLost) this.end(item, BACK);
    else this.#ready.push(item);
    return false;
  }

  #aheadMax(): number {
    return Math.min(CLAIM_MAX, Math.max(CLAIM_MIN, this.#run.connections * 2));
  }

  /**
   * The most claims that are lost with a dying process, including outcomes that are not durable yet: two for each connection, and
   * 64.
   */
  #claimable(): number {
    const mine = this.#run.connections * 2 + Math.ceil(CLAIM_MAX / this.#around.pages());
    return Math.min(this.#aheadMax() - this.#ready.length, mine - this.#run.unwritten);
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#claimMore()
      .catch((error) => fail(this.#run, error))
      .finally(() => {
        this.#filling = null;
        if (this.#run.connections === 0) this.#around.onQuiet();
      });
    return this.#filling;
  }

  async #claimMore(): Promise<void> {
    const { sending, thresholds, pace } = this.#run;
    if (!mayClaim(this.#run)) return;
    if (sending.outcomes.unwritten() > UNWRITTEN_MAX) return sleep(PAUSE_MS);
    if (thresholds.isBreached()) {
      this.#run.goOn = false;
      return;
    }
    const waiting = await this.#source.waiting();
    if (waiting === 0) return;
    // Small claims cost as much as large ones, so a larger one is waited for.
    if (this.#claimable() < Math.min(waiting, this.#aheadMax() / 2) && this.#run.unwritten > 0)
      return this.#written.promise;
    const count = pace.take(Math.min(waiting, this.#claimable()));
    if (count === 0) return this.#waitForPace();
    const items = await this.#source.claim(count);
    this.#run.unwritten += items.length;
    await this.#admit(items);
  }

  /** A higher rate is noticed while a low one holds everything up. */
  async #waitForPace(): Promise<void> {
    const { pace } = this.#run;
    await sleep(Math.min(RATE_LOOK_MS, Math.max(1, pace.waitMs())));
    if (pace.waitMs() > RATE_LOOK_MS) await this.#check([]);
  }

  async #admit(items: Claimed[]): Promise<void> {
    if (items.length === 0) return;
    let verdicts: Map<Held, Verdict>;
    try {
      [verdicts] = await Promise.all([this.#check(items.map(({ held }) => held)), this.#readContacts(items)]);
    } catch (error) {
      for (const item of items) this.end(item, BACK);
      throw error;
    }
    for (const item of items) {
      item.held.lease.check = this.#check;
      const verdict = verdicts.get(item.held) ?? (item.contact ? null : NO_CONTACT);
      if (verdict) this.end(item, verdict);
      else this.#ready.push(item);
    }
  }

  /** Also when no template names their fields: contacts that were deleted since the freeze get nothing. */
  async #readContacts(items: Claimed[]): Promise<void> {
    const { campaign, compiled, sending } = this.#run;
    const ids = items.flatMap(({ held }) => held.about?.contactId ?? []);
    const names = { firstName: 1, lastName: 1 } as const;
    const projection = compiled.needsContacts ? { listIds: 0, segmentIds: 0 } : names;
    const found = await sending.deps.db.contacts
      // Without the hint MongoDB tries the index by address too, which looks good at first: recipients are in that order.
      .find(
        { _id: { $in: ids }, projectId: campaign.projectId },
        { projection, hint: '_id_', readPreference: 'primary' },
      )
      .toArray();
    const byId = new Map(found.map((contact) => [contact._id.toHexString(), contact as Contact]));
    for (const item of items) item.contact = byId.get(item.held.about?.contactId?.toHexString() ?? '') ?? null;
  }

  /**
   * Status, rate and suppressions as they are after the claim, read in parallel on the primary. Also called with every renewal.
   */
  #check: Check = async (held) => {
    const { campaign, sending, pace } = this.#run;
    const { _id, projectId, unsubscribeGroupId: groupId } = campaign;
    const { db } = sending.deps;
    const emails = held.map(({ about }) => about?.email ?? '');
    const projection = { status: 1, sendRatePerSecond: 1 } as const;
    const [now, entries, gone] = await Promise.all([
      db.campaigns.findOne({ _id, projectId }, { projection, readPreference: 'primary' }),
      suppressionsAgainst(sending.deps, projectId, emails),
      goneGroups(sending.deps, projectId, [groupId]),
    ]);
    const mayGo = now !== null && isUnderWay(now);
    if (now) pace.set(now.sendRatePerSecond);
    if (!mayGo) this.#run.goOn = false;
    const mail = { marketing: true, groupId, isGroupGone: gone.size > 0, bypass: false };
    const verdicts = new Map<Held, Verdict>();
    for (const [index, one] of held.entries()) {
      const hit = mayGo ? stoppedBy(entries.get(emails[index]!) ?? [], mail) : null;
      if (!mayGo) verdicts.set(one, BACK);
      else if (hit) verdicts.set(one, { kind: 'suppressed', by: { groupId: hit.groupId, reason: hit.reason } });
    }
    return verdicts;
  };
}
