import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import type { DotState } from './dot-journal.ts';
import { after, type Claim, type Claimed, DOT_MS, LEASE_MS, type Ledger, type LedgerDeps } from './ledger.ts';
import type { BeforeDot, Connection, Delivery, Envelope } from './relay.ts';
import { CLAIMABLE_STATES, states } from './states.ts';

interface ClaimRequest {
  projectId: ObjectId;
  ids: ObjectId[];
  /**
   * Only messages that are due by the database's clock: for lanes whose queued messages have a `dueAt`, and for deferred ones.
   */
  due: boolean;
}

/** Moves unsent messages to `committing` for this process. Only the messages that it returns are claimed. */
export async function claimMessages(deps: LedgerDeps, ledger: Ledger, request: ClaimRequest): Promise<Claim> {
  const { projectId, due } = request;
  const ids = request.ids.filter((id) => !ledger.held.has(id.toHexString()));
  const claim = ++ledger.claims;
  const firstAt = deps.clock.now();
  if (ids.length === 0 || ledger.stopping) return { number: claim, held: [], firstAt };
  const askedMs = ledger.now();
  const filter = {
    _id: { $in: ids },
    projectId,
    state: { $in: CLAIMABLE_STATES },
    ...(due ? { $expr: { $lte: ['$dueAt', '$$NOW'] } } : {}),
  };
  const won = await deps.db.messages
    .updateMany(filter, [
      {
        $set: {
          state: states.committing,
          owner: ledger.owner,
          claim,
          claimedAt: '$$NOW',
          firstAt: { $ifNull: ['$firstAt', firstAt] },
          dueAt: after(LEASE_MS),
        },
      },
    ])
    .then(
      ({ modifiedCount }) => modifiedCount,
      () => null,
    );
  const ours =
    won === ids.length ? ids : won === 0 ? [] : await readBack(deps, ledger, { projectId, ids, claim, askedMs });
  const held = ours.map((_id) => hold(ledger, { _id, projectId, claim }, askedMs + DOT_MS));
  return { number: claim, held, firstAt };
}

/**
 * Reads which messages carry this owner and claim. The driver does not repeat an updateMany, so some may after a failed call. The
 * read is repeated until their lease ends: a forgotten claim would leave a marketing mail `unknown` that was never sent.
 */
async function readBack(
  { db, log }: LedgerDeps,
  ledger: Ledger,
  { projectId, ids, claim, askedMs }: { projectId: ObjectId; ids: ObjectId[]; claim: number; askedMs: number },
): Promise<ObjectId[]> {
  for (;;) {
    try {
      const mine = { _id: { $in: ids }, projectId, owner: ledger.owner, claim, state: states.committing };
      // With `local`, a primary that is cut off would show a claim that is rolled back later, while another process sends the
      // mail too.
      const found = await db.messages.find(mine, { projection: { _id: 1 }, readConcern: 'majority' }).toArray();
      return found.map(({ _id }) => _id);
    } catch (error) {
      if (ledger.now() > askedMs + DOT_MS) throw error;
      log.warn({ err: error }, 'reading a claim back failed; retrying');
      await sleep(250);
    }
  }
}

function hold(ledger: Ledger, facts: Pick<Claimed, '_id' | 'projectId' | 'claim'>, safeUntilMs: number): Claimed {
  const lease = { safeUntilMs, check: null };
  const held: Claimed = { ...facts, lease, part: null, stopped: null, dotWritten: false, about: null };
  ledger.held.set(facts._id.toHexString(), held);
  return held;
}

/**
 * Called synchronously just before the final dot: a process that was stopped or stalled past its lease writes none. The dot is
 * noted first. Then the lease is looked at again: the process may have been stopped while it wrote, and the journal been read
 * without this dot.
 */
export function dotGuard(ledger: Ledger, held: Claimed): BeforeDot {
  const mayGo = () => !ledger.stopping && held.stopped === null && ledger.now() < held.lease.safeUntilMs;
  return (isInPart = false) => {
    if (!mayGo()) return false;
    if (ledger.dots && !(note(ledger, held, isInPart ? 'inPart' : 'begun') && mayGo())) return false;
    held.dotWritten = true;
    held.dotAtMs = ledger.now();
    return true;
  };
}

/** Sends a claimed mail, and notes the relay's answer: the outcome is stored later, in a batch. */
export async function sendClaimed(
  connection: Connection,
  ledger: Ledger,
  { held, envelope, bytes }: { held: Claimed; envelope: Envelope; bytes: string | Buffer },
): Promise<Delivery> {
  const delivery = await connection.send(envelope, bytes, dotGuard(ledger, held));
  if (delivery.kind === 'answered' && held.dotAtMs !== undefined) held.answeredMs = ledger.now() - held.dotAtMs;
  const answer = held.noted && answerOf(delivery);
  if (answer) note(ledger, held, answer);
  return delivery;
}

function note(ledger: Ledger, held: Claimed, state: DotState): boolean {
  held.noted = state;
  return ledger.dots?.note(held, state) ?? true;
}

/** null: it is not known, or differs between recipients. */
function answerOf({ kind, recipients }: Delivery): DotState | null {
  if (kind === 'relay') return 'refused';
  if (kind !== 'answered') return null;
  if (recipients.every(({ accepted }) => accepted)) return 'accepted';
  return recipients.some(({ accepted }) => accepted) ? null : 'refused';
}
