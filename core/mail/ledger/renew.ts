import type { ObjectId } from 'mongodb';
import {
  after,
  type Check,
  type Claimed,
  DOT_MS,
  distinctProjects,
  LEASE_MS,
  type Ledger,
  type LedgerDeps,
  type OpenClaim,
  RENEW_EVERY_MS,
} from './ledger.ts';
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
  const claims = [...ledger.blocks.values()].filter(({ isLost }) => !isLost);
  const recipients = claims.flatMap((claim) => claim.recipients);
  await Promise.all([
    held.length > 0 && renewRows(deps, ledger, held),
    claims.length > 0 && renewClaims(deps, ledger, claims),
    checkAgain([...held, ...recipients]),
  ]);
}

async function renewRows({ db }: LedgerDeps, ledger: Ledger, held: Claimed[]): Promise<void> {
  const askedMs = ledger.now();
  const claimed = { owner: ledger.owner, state: states.committing };
  const ours = {
    _id: { $in: held.map(({ _id }) => _id) },
    projectId: { $in: distinctProjects(held) },
    ...claimed,
  };
  const { modifiedCount } = await db.messages.updateMany(ours, [{ $set: { dueAt: after(LEASE_MS) } }]);
  const kept =
    modifiedCount === held.length ? null : idsOf(await db.messages.find(ours, { projection: { _id: 1 } }).toArray());
  for (const one of held) if (!kept || kept.has(one._id.toHexString())) one.lease.safeUntilMs = askedMs + DOT_MS;
}

/** A claim that another process has taken over is not renewed, since the filter names the owner: no dot of it follows. */
async function renewClaims({ db }: LedgerDeps, ledger: Ledger, claims: OpenClaim[]): Promise<void> {
  const askedMs = ledger.now();
  const open = { owner: ledger.owner, endedAt: { $exists: false } };
  const ours = {
    _id: { $in: claims.map(({ place }) => place._id) },
    projectId: { $in: distinctProjects(claims.map(({ place }) => place)) },
    ...open,
  };
  const { modifiedCount } = await db.campaignClaims.updateMany(ours, [{ $set: { leaseUntil: after(LEASE_MS) } }]);
  const kept =
    modifiedCount === claims.length
      ? null
      : idsOf(
          await db.campaignClaims.find(ours, { projection: { _id: 1 }, readConcern: { level: 'majority' } }).toArray(),
        );
  for (const claim of claims)
    if (!kept || kept.has(claim.place._id.toHexString())) claim.safeUntilMs = askedMs + DOT_MS;
    else claim.isLost = true;
}

function idsOf(found: Array<{ _id: ObjectId }>): Set<string> {
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

async function checkAgain(held: Claimed[]): Promise<void> {
  const waiting = held.filter(({ dotWritten, stopped, lease }) => !dotWritten && !stopped && lease.check !== null);
  const byCheck = Map.groupBy(waiting, ({ lease }) => lease.check as Check);
  await Promise.all(
    [...byCheck].map(async ([check, some]) => {
      const verdicts = await check(some);
      for (const one of some) one.stopped ??= verdicts.get(one) ?? null;
    }),
  );
}
