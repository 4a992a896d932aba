import type { ObjectId } from 'mongodb';
import { CONTACT_DELETED } from '../../messages/fail-for-deleted.ts';
import { claimMessages } from '../../outbox/claim.ts';
import { type Check, CLAIM_MAX, type Held, type Verdict } from '../../outbox/ledger.ts';
import { type Ended, endedBy, UNWRITTEN_MAX } from '../../outbox/record-outcomes.ts';
import { goneGroups } from '../../suppressions/groups.ts';
import { stoppedBy } from '../../suppressions/rules.ts';
import { suppressionsAgainst } from '../../suppressions/suppressions.ts';
import { isUnderWay } from '../status.ts';
import { type Candidate, type Claimed, fail, mayClaim, mustStop, type RangeRun, sleep } from './range-state.ts';
import { openReader } from './read-ahead.ts';

/** Supplies the connections: messages are read ahead, claimed a little ahead, and checked after the claim. */
export interface Supply {
  /** null: nothing more to send. Never rejects: a failure ends the run. */
  next(): Promise<Claimed | null>;
  /** The outcome is written, repeatedly until it succeeds. */
  end(item: Claimed, ended: Omit<Ended, 'held'>): void;
  /** Returns unsent claims; they are claimed again when this run continues. */
  giveBack(): void;
  /** Nothing is left to claim, and no claimed message waits for a connection. */
  isDone(): boolean;
  isClaiming(): boolean;
  /** The first `seq` that is left for later; null when the range is done. */
  restFrom(): number | null;
}

const PAUSE_MS = 20;
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

export function openClaimAhead(run: RangeRun, { pages, onQuiet }: Around): Supply {
  const { sending, campaign, pace, thresholds } = run;
  const { deps, ledger, outcomes } = sending;
  const { projectId, unsubscribeGroupId: groupId } = campaign;
  const reader = openReader(run);
  const ready: Claimed[] = [];
  /** The address of each claimed message. */
  const emails = new Map<string, string>();
  let filling: Promise<void> | null = null;
  let written = Promise.withResolvers<void>();

  async function next(): Promise<Claimed | null> {
    while (!mustStop(run)) {
      const item = ready.shift();
      if (item) {
        if (ready.length <= aheadMax() / 2) void fill();
        return item;
      }
      if (isDone() || (!mayClaim(run) && !filling)) return null;
      await fill();
    }
    return null;
  }

  /** Claimed ahead of the connections, so that they never wait for a claim. */
  function aheadMax(): number {
    return Math.min(CLAIM_MAX, Math.max(CLAIM_MIN, run.connections * 2));
  }

  /**
   * The most claims that are lost with a dying process, including outcomes that are not durable yet: two for each connection, and
   * 64.
   */
  function claimable(): number {
    const mine = run.connections * 2 + Math.ceil(CLAIM_MAX / pages());
    return Math.min(aheadMax() - ready.length, mine - run.unwritten);
  }

  /** One claim at a time; other callers wait for the same one. */
  function fill(): Promise<void> {
    filling ??= claimMore()
      .catch((error) => fail(run, error))
      .finally(() => {
        filling = null;
        if (run.connections === 0) onQuiet();
      });
    return filling;
  }

  async function claimMore(): Promise<void> {
    if (!mayClaim(run)) return;
    if (outcomes.unwritten() > UNWRITTEN_MAX) return sleep(PAUSE_MS);
    if (thresholds.isBreached()) {
      run.goOn = false;
      return;
    }
    const waiting = await reader.waiting();
    if (waiting === 0) return;
    // Small claims cost as much as large ones, so a larger one is waited for.
    if (claimable() < Math.min(waiting, aheadMax() / 2) && run.unwritten > 0) return written.promise;
    const count = pace.take(Math.min(waiting, claimable()));
    if (count === 0) return waitForPace();
    await claim(reader.take(count));
  }

  /** A higher rate is noticed while a low one holds everything up. */
  async function waitForPace(): Promise<void> {
    await sleep(Math.min(RATE_LOOK_MS, Math.max(1, pace.waitMs())));
    if (pace.waitMs() > RATE_LOOK_MS) await check([]);
  }

  async function claim(batch: Candidate[]): Promise<void> {
    const byId = new Map(batch.map((candidate) => [candidate._id.toHexString(), candidate]));
    const { held, firstAt } = await claimMessages(deps, ledger, {
      projectId,
      ids: batch.map(({ _id }) => _id),
      due: true,
    });
    const items = held.map((one): Claimed => claimedOf(one, byId.get(one._id.toHexString()) as Candidate, firstAt));
    run.unwritten += items.length;
    let verdicts: Map<string, Verdict>;
    try {
      verdicts = await check(held.map(({ _id }) => _id));
    } catch (error) {
      for (const item of items) end(item, { outcome: BACK });
      throw error;
    }
    for (const item of items) {
      item.held.check = check;
      const verdict = verdicts.get(item.held._id.toHexString()) ?? (item.candidate.contact ? null : NO_CONTACT);
      if (verdict) end(item, { outcome: endedBy(item.held, verdict).outcome });
      else ready.push(item);
    }
  }

  function claimedOf(held: Held, candidate: Candidate, firstAt: Date): Claimed {
    const { email, contactId } = candidate;
    emails.set(held._id.toHexString(), email);
    held.about = { lane: 'campaign', email, campaignId: campaign._id, ...(contactId ? { contactId } : {}) };
    return { candidate, held, at: candidate.firstAt ?? firstAt };
  }

  /**
   * Status, rate and suppressions as they are after the claim, read in parallel on the primary. Also called with every renewal.
   */
  const check: Check = async (ids: ObjectId[]) => {
    const asked = ids.map((id) => ({ key: id.toHexString(), email: emails.get(id.toHexString()) ?? '' }));
    const [now, entries, gone] = await Promise.all([
      deps.db.campaigns.findOne(
        { _id: campaign._id, projectId },
        { projection: { status: 1, sendRatePerSecond: 1 }, readPreference: 'primary' },
      ),
      suppressionsAgainst(
        deps,
        projectId,
        asked.map(({ email }) => email),
      ),
      goneGroups(deps, projectId, [groupId]),
    ]);
    const mayGo = now !== null && isUnderWay(now);
    if (now) pace.set(now.sendRatePerSecond);
    if (!mayGo) run.goOn = false;
    const mail = { marketing: true, groupId, isGroupGone: gone.size > 0, bypass: false };
    const verdicts = new Map<string, Verdict>();
    for (const { key, email } of asked) {
      const hit = mayGo ? stoppedBy(entries.get(email) ?? [], mail) : null;
      if (!mayGo) verdicts.set(key, BACK);
      else if (hit) verdicts.set(key, { kind: 'suppressed', by: { groupId: hit.groupId, reason: hit.reason } });
    }
    return verdicts;
  };

  function end({ held, candidate }: Claimed, ended: Omit<Ended, 'held'>): void {
    run.ended += 1;
    run.onProgress(run.ended);
    void outcomes.write({ held, ...ended }).then(() => {
      emails.delete(held._id.toHexString());
      thresholds.count(ended.outcome.kind);
      if (ended.outcome.kind === 'back') reader.putBack(candidate);
      run.unwritten -= 1;
      written.resolve();
      written = Promise.withResolvers();
      if (run.unwritten === 0) onQuiet();
    });
  }

  function giveBack(): void {
    for (const item of ready.splice(0)) end(item, { outcome: item.held.stopped ?? BACK });
  }

  function isDone(): boolean {
    return ready.length === 0 && filling === null && reader.isDone();
  }

  return {
    next,
    end,
    giveBack,
    isDone,
    isClaiming: () => filling !== null,
    restFrom: () => reader.restFrom(),
  };
}
