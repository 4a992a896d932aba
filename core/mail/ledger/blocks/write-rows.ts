import type { Document } from 'mongodb';
import { insertDocuments } from '../../../base/database/idempotent-insert.ts';
import { taggedWith } from '../../../base/text/tags.ts';
import { factsOf } from '../counting/facts.ts';
import { providerOf } from '../counting/mailbox-providers.ts';
import { distinctProjects, type Ledger, type LedgerDeps, type Outcome } from '../ledger.ts';
import type { Message } from '../model.ts';
import { type Ended, outcomePipeline, stored } from '../outcomes.ts';
import { DEFERRAL_STATES, DELIVERED_STATES, FINAL_STATES, states } from '../states.ts';

/** Outcomes that prove more than an `unknown` that another process has written for us. */
const PROVES: ReadonlyArray<Outcome['kind']> = [states.sent, states.bounced, states.failed];

/** Inserts the rows of recipients of blocks, each with its outcome. May be repeated. */
export async function writeRows(deps: LedgerDeps, ledger: Ledger, ended: Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const now = deps.clock.now();
  const rows = ended.map((one) => rowOf(one, ledger.owner, now));
  const taken = await insertDocuments(deps, 'messages', rows);
  count(ended, rows, taken);
  if (taken.length > 0)
    await afterSettlement(
      deps,
      ledger,
      taken.map((index) => ended[index]!),
    );
}

/** Rows that were there already may have other times, or another outcome. */
function count(ended: Ended[], rows: Message[], taken: number[]): void {
  for (const [index, { held }] of ended.entries()) {
    const row = rows[index]!;
    held.part!.claim.tally?.add(factsOf(row), providerOf(row.email), row.email);
  }
  for (const index of taken) ended[index]!.held.part!.claim.tally = null;
}

/** An insert cannot use the database's clock, so the times of the claim are taken from the claim. */
function rowOf({ held, outcome, recipients }: Ended, owner: string, now: Date): Message & Document {
  const { place } = held.part!.claim;
  const { entry, delayMs, ...fields } = stored({ outcome, recipients });
  const { state } = fields;
  const facts = held.about!;
  const row: Message & Document = {
    _id: held._id,
    projectId: held.projectId,
    lane: 'campaign',
    email: facts.email,
    campaignId: place.campaignId,
    contactId: facts.contactId!,
    ...taggedWith(facts.tags),
    seq: held.part!.seq,
    owner,
    claim: held.claim,
    claimedAt: place.claimedAt,
    firstAt: place.claimedAt,
    ...(fields as Pick<Message, 'state'>),
  };
  if (DELIVERED_STATES.includes(state)) row.sentAt = now;
  if (FINAL_STATES.includes(state)) row.endedAt = now;
  if (DEFERRAL_STATES.includes(state)) row.deferrals = 1;
  if (typeof delayMs === 'number' && state !== states.queued) row.dueAt = new Date(now.getTime() + delayMs);
  if (entry) row.timeline = [{ ...entry, at: now, claimedAt: place.claimedAt }];
  return row;
}

/**
 * A row is there already: from an earlier try of this write, or because another process has settled the claim. A row
 * that was settled as `unknown` for this process gets the outcome, and nothing else is changed.
 */
async function afterSettlement({ db, log }: LedgerDeps, { owner }: Ledger, ended: Ended[]): Promise<void> {
  const projectId = { $in: distinctProjects(ended.map(({ held }) => held)) };
  const proved = ended.filter(({ outcome }) => PROVES.includes(outcome.kind));
  const provedIds = proved.map(({ held }) => held._id);
  if (proved.length > 0)
    await db.messages.updateMany(
      { _id: { $in: provedIds }, projectId, owner, state: states.unknown },
      outcomePipeline(provedIds, proved.map(stored)),
    );
  const foreign = await db.messages
    .find(
      { _id: { $in: ended.map(({ held }) => held._id) }, projectId, owner: { $ne: owner } },
      { projection: { state: 1, owner: 1 } },
    )
    .toArray();
  if (foreign.length > 0) log.warn({ rows: foreign }, 'recipients of a claim have rows of another process');
}
