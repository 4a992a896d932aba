import type { Filter } from 'mongodb';
import { untilDone } from '../../base/database/retry.ts';
import { ClaimCloser } from './blocks/close.ts';
import { writeRows } from './blocks/write-rows.ts';
import { type Check, type Claimed, distinctProjects, type Ledger, type LedgerDeps, type Verdict } from './ledger.ts';
import type { Message } from './model.ts';
import { type Ended, endedBy, outcomePipeline, stored } from './outcomes.ts';
import { LANE_POLICIES } from './rules/lane-policy.ts';
import { states } from './states.ts';

const GROUP_MAX = 64;
const WRITES_MAX = 4;
/** Nothing new is claimed while more outcomes than this are unwritten. */
export const UNWRITTEN_MAX = 1_000;
const REPEAT = { firstMs: 50, maxMs: 2_000 };

/** Safe to repeat, so that nothing that follows from an outcome is lost in a crash. */
export interface Effects {
  /** Suppressions after a hard bounce: before the outcome is stored. */
  suppress(ended: Ended[]): Promise<void>;
  /**
   * Events, for webhooks. Before the outcome of a claimed row is stored, which nothing would bring back after a crash; after the row
   * of a block's recipient, whose claim is open until they are published.
   */
  publish(ended: Ended[]): Promise<void>;
}

type Waiting = { ended: Ended; onWritten: () => void };

/**
 * Writes outcomes in batches of up to 64, gathered for 2 to 25 ms across claims, and releases each message when its outcome is
 * durable. A write is repeated until it succeeds.
 *
 * - gathering: outcomes wait for more, or for the timer
 * - writing: up to WRITES_MAX batches at a time; further ones wait
 * - drained: nothing waits, and claims of blocks whose recipients all have rows are closed
 */
export class OutcomeWriter {
  #deps: LedgerDeps;
  #ledger: Ledger;
  #effects: Effects;
  #onWritten: (ended: Ended[]) => void;
  #closer: ClaimCloser;
  #waiting: Waiting[] = [];
  #writing = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #idle: Array<() => void> = [];

  constructor(deps: LedgerDeps, ledger: Ledger, effects: Effects, onWritten: (ended: Ended[]) => void = () => {}) {
    this.#deps = deps;
    this.#ledger = ledger;
    this.#effects = effects;
    this.#onWritten = onWritten;
    this.#closer = new ClaimCloser(deps, ledger);
  }

  /** Resolves when the outcome is durable. */
  write(ended: Ended): Promise<void> {
    return new Promise((resolve) => this.add(ended, resolve));
  }

  /** The same without a promise. `back` says that this process has refused the dot for good. */
  add(ended: Ended, onWritten: () => void): void {
    const { held, outcome } = ended;
    if (outcome.kind === 'back') held.stopped ??= outcome;
    this.#waiting.push({ ended, onWritten });
    this.#count += 1;
    if (this.#waiting.length >= GROUP_MAX) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), LANE_POLICIES[held.about?.lane ?? 'automation'].gatherMs);
  }

  /** The number of outcomes that are not written yet. */
  unwritten(): number {
    return this.#count;
  }

  /** Resolves when everything is written, and what can be closed is closed. */
  async drained(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.closed();
  }

  /** Resolves when all claims of blocks are closed whose recipients have rows. */
  closed(): Promise<void> {
    return this.#closer.closeAll();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#writing < WRITES_MAX) {
      this.#writing += 1;
      void this.#settle(this.#waiting.splice(0, GROUP_MAX));
    }
  }

  async #settle(group: Waiting[]): Promise<void> {
    const ended = group.map((one) => one.ended);
    await untilDone(
      () => this.#write(ended),
      (err) => this.#deps.log.warn({ err, messages: ended.length }, 'writing outcomes failed; retrying'),
      REPEAT,
    );
    this.#onWritten(ended);
    for (const { ended: one, onWritten } of group) {
      this.#release(one.held);
      onWritten();
    }
    this.#writing -= 1;
    this.#count -= group.length;
    if (this.#waiting.length > 0) this.#flush();
    if (this.#count > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
    void this.#closer.closeAll();
  }

  #release({ _id, part }: Claimed): void {
    if (!part) this.#ledger.held.delete(_id.toHexString());
    else if (--part.claim.unwritten === 0) this.#closer.add(part.claim);
  }

  async #write(ended: Ended[]): Promise<void> {
    const rows = ended.filter(({ held }) => held.part === null);
    const recipients = rows.length === ended.length ? [] : ended.filter(isOurs);
    await Promise.all([rows.length > 0 && this.#update(rows), recipients.length > 0 && this.#insert(recipients)]);
  }

  async #update(rows: Ended[]): Promise<void> {
    await Promise.all([this.#effects.suppress(rows), this.#effects.publish(rows)]);
    await updateRows(this.#deps, this.#ledger, rows);
  }

  async #insert(recipients: Ended[]): Promise<void> {
    await this.#effects.suppress(recipients);
    await writeRows(this.#deps, this.#ledger, recipients);
    await this.#effects.publish(recipients);
  }
}

/** Of a claim that was taken over, only an attempt's own outcome is written: the other process decides about the rest. */
function isOurs({ held: { part }, outcome }: Ended): boolean {
  return part !== null && !(part.claim.isLost && outcome.kind === 'back');
}

/** Records the messages that a check after the claim refused and returns the rest; `check` is repeated with every renewal. */
export function applyCheck(
  held: Claimed[],
  verdicts: Map<Claimed, Verdict>,
  check: Check,
  writer: OutcomeWriter,
): Claimed[] {
  return held.filter((one) => {
    one.lease.check = check;
    const verdict = verdicts.get(one);
    if (verdict) void writer.write(endedBy(one, verdict));
    return !verdict;
  });
}

async function updateRows(deps: LedgerDeps, ledger: Ledger, group: Ended[]): Promise<void> {
  const byWay = Map.groupBy(group, (ended) =>
    staysUnknown(ended) ? 'late' : ended.outcome.kind === 'sent' ? 'sent' : 'known',
  );
  const [late = [], sent = [], known = []] = [byWay.get('late'), byWay.get('sent'), byWay.get('known')];
  await Promise.all([
    updateOwn(deps, ledger, sent, [...inDoubt, ...queuedAgain(sent)]),
    updateOwn(deps, ledger, known, inDoubt),
    // A message that orphan settling has already marked unknown keeps its state.
    updateOwn(deps, ledger, late, [{ state: states.committing }]),
  ]);
}

const inDoubt: Filter<Message>[] = [{ state: { $in: [states.committing, states.unknown] } }];

/** Orphan settling has queued the message again, and the relay's 250 came before the next claim. */
function queuedAgain(sent: Ended[]): Filter<Message>[] {
  return [...Map.groupBy(sent, ({ held }) => held.claim)].map(([claim, some]) => ({
    state: states.queued,
    claim,
    _id: { $in: some.map(({ held }) => held._id) },
  }));
}

/**
 * A campaign counts unknown messages as settled and may be over: a message returned by a process that was stopped past its lease
 * would be queued and never sent. It stays unknown, for a person to send again. In the other lanes the queue picks it up.
 */
function staysUnknown({ outcome, held }: Ended): boolean {
  const isOpenAgain = outcome.kind === 'back' || outcome.kind === 'deferred';
  return outcome.kind === 'unknown' || (isOpenAgain && held.about?.lane === 'campaign');
}

async function updateOwn(
  { db }: LedgerDeps,
  { owner }: Ledger,
  group: Ended[],
  from: Filter<Message>[],
): Promise<void> {
  if (group.length === 0) return;
  const ids = group.map(({ held }) => held._id);
  const projectIds = distinctProjects(group.map(({ held }) => held));
  await db.messages.updateMany(
    { _id: { $in: ids }, projectId: { $in: projectIds }, owner, $or: from },
    outcomePipeline(ids, group.map(stored)),
  );
}
