import type { ObjectId } from 'mongodb';
import type { Check, Held } from './ledger.ts';
import { after, DOT_MS, LEASE_MS, type Ledger, type LedgerDeps, RENEW_EVERY_MS } from './ledger.ts';
import { states } from './states.ts';

/**
 * Renews this process's leases, and checks again the messages whose final dot is not written. Returns the function that ends it.
 */
export function startRenewing(deps: LedgerDeps, ledger: Ledger): () => void {
  let under = Promise.resolve();
  const timer = setInterval(() => {
    under = under
      .then(() => renewLeases(deps, ledger))
      .catch((error) => {
        deps.log.warn({ err: error }, 'lease renewal failed; messages with expired leases will not be sent');
      });
  }, RENEW_EVERY_MS);
  return () => clearInterval(timer);
}

export async function renewLeases(deps: LedgerDeps, ledger: Ledger): Promise<void> {
  const held = [...ledger.held.values()];
  if (held.length === 0) return;
  await Promise.all([renew(deps, ledger, held), checkAgain(held)]);
}

async function renew({ db }: LedgerDeps, ledger: Ledger, held: Held[]): Promise<void> {
  const askedMs = ledger.now();
  const ours = {
    _id: { $in: held.map(({ _id }) => _id) },
    projectId: { $in: distinctProjects(held) },
    owner: ledger.owner,
    state: states.committing,
  };
  const { modifiedCount } = await db.messages.updateMany(ours, [{ $set: { dueAt: after(LEASE_MS) } }]);
  const kept =
    modifiedCount === held.length
      ? null
      : new Set(
          (await db.messages.find(ours, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id.toHexString()),
        );
  for (const one of held) if (!kept || kept.has(one._id.toHexString())) one.safeUntilMs = askedMs + DOT_MS;
}

async function checkAgain(held: Held[]): Promise<void> {
  const waiting = held.filter(({ dotWritten, check }) => !dotWritten && check !== null);
  const byCheck = Map.groupBy(waiting, ({ check }) => check as Check);
  await Promise.all(
    [...byCheck].map(async ([check, some]) => {
      const verdicts = await check(some.map(({ _id }) => _id));
      for (const one of some) one.stopped ??= verdicts.get(one._id.toHexString()) ?? null;
    }),
  );
}

function distinctProjects(held: Held[]): ObjectId[] {
  return [...new Map(held.map(({ projectId }) => [projectId.toHexString(), projectId])).values()];
}
