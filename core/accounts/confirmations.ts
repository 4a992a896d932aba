import { randomBytes } from 'node:crypto';
import { KEPT_MS } from '../base/database/idempotency.ts';
import { wakeUps } from '../base/work/wake-ups.ts';
import type { AccountsDeps } from './deps.ts';
import type { Confirmation, ConfirmationState } from './model.ts';

const EXPIRES_MS = 300_000;
/** Without Redis the answer is read this often; with it, a cancellation is. */
const READ_EVERY_MS = 1_000;

type Owner = Pick<Confirmation, 'projectId' | 'apiKeyId'>;
type Question = Owner & Pick<Confirmation, 'call' | 'people' | 'waiting'>;
type Named = Owner & Pick<Confirmation, '_id'>;

/** Written before the person is asked. Any process may take the answer. */
export async function askConfirmation({ db, clock }: AccountsDeps, question: Question): Promise<Named> {
  const { projectId, apiKeyId } = question;
  const _id = randomBytes(16).toString('base64url');
  const expiresAt = new Date(clock.now().getTime() + EXPIRES_MS);
  await db.confirmations.insertOne({ ...question, _id, state: 'pending', expiresAt });
  return { _id, projectId, apiKeyId };
}

/** False for a question of another key, an expired one, and one that was answered before. */
export async function answerConfirmation(
  deps: AccountsDeps,
  named: Named,
  state: 'accepted' | 'declined',
): Promise<boolean> {
  const answered = await move(deps, named, ['pending'], state);
  if (answered) deps.signals.publish(channel(named._id), state);
  return answered;
}

/**
 * Once, and for the very call that was asked about: the number of people that was confirmed. `pending`: the call itself has the answer.
 * Withdrawn when it is less than `people`; else known for as long as the answer of the call, so that a repeat gets that.
 */
export async function useConfirmation(
  { db, clock }: AccountsDeps,
  named: Named,
  { call, from, people = 0 }: Pick<Confirmation, 'call'> & { from: 'accepted' | 'pending'; people?: number },
): Promise<number | null> {
  const now = clock.now();
  const filter = { ...named, call, state: from, expiresAt: { $gt: now } };
  const state = { $cond: [{ $gte: ['$people', people] }, 'used', 'withdrawn'] };
  const expiresAt = new Date(now.getTime() + KEPT_MS);
  const used = await db.confirmations.findOneAndUpdate(filter, [{ $set: { state, expiresAt } }]);
  return used?.people ?? null;
}

/** Whether that call has used it. A call whose client waits in a stream has no repeat. */
export async function isUsed({ db, clock }: AccountsDeps, named: Named, call: string): Promise<boolean> {
  const filter = {
    ...named,
    call,
    state: 'used' as const,
    waiting: { $exists: false },
    expiresAt: { $gt: clock.now() },
  };
  return (await db.confirmations.findOne(filter, { projection: { _id: 1 } })) !== null;
}

export async function withdrawConfirmation(deps: AccountsDeps, named: Named): Promise<void> {
  await move(deps, named, ['pending', 'accepted'], 'withdrawn');
}

/** All questions of a request that its client cancelled. */
export async function withdrawWaiting(
  { db }: AccountsDeps,
  { projectId, apiKeyId, waiting }: Owner & { waiting: string },
) {
  await db.confirmations.updateMany(
    { projectId, apiKeyId, waiting, state: { $in: ['pending', 'accepted'] } },
    { $set: { state: 'withdrawn' } },
  );
}

/** The state now, after each reading, until there is an answer, it expired or the caller disconnects. */
export async function* watchConfirmation(
  deps: AccountsDeps,
  { _id, projectId, apiKeyId }: Named,
  signal: AbortSignal,
): AsyncGenerator<ConfirmationState | 'expired'> {
  for await (const _wakeUp of wakeUps(deps, channel(_id), { everyMs: READ_EVERY_MS, signal })) {
    const found = await deps.db.confirmations.findOne({ _id, projectId, apiKeyId });
    const state = found && found.expiresAt > deps.clock.now() ? found.state : 'expired';
    yield state;
    if (state !== 'pending') return;
  }
}

/** By compare-and-set, so that of two processes one wins. */
async function move(
  { db, clock }: AccountsDeps,
  { _id, projectId, apiKeyId }: Named,
  from: ConfirmationState[],
  to: ConfirmationState,
): Promise<boolean> {
  const { modifiedCount } = await db.confirmations.updateOne(
    { _id, projectId, apiKeyId, state: { $in: from }, expiresAt: { $gt: clock.now() } },
    { $set: { state: to } },
  );
  return modifiedCount === 1;
}

function channel(id: string): string {
  return `confirmation:${id}`;
}
