import { ObjectId } from 'mongodb';
import { batchesById } from '../../../base/database/batches.ts';
import type { Project } from '../../../base/model.ts';
import { DAY_MS } from '../../../base/time/durations.ts';
import { markEarlierCounted } from '../../../mail/feedback/counted.ts';
import { countedFacts } from '../../../mail/ledger/counting/facts.ts';
import { after } from '../../../mail/ledger/ledger.ts';
import type { Message } from '../../../mail/ledger/model.ts';
import type { FiguresDeps } from '../../deps.ts';
import { Documents } from '../documents.ts';
import { countEarlierClicks } from '../links/count.ts';
import { LinkDocuments } from '../links/documents.ts';
import { linkSourcesOf } from '../links/sources.ts';
import { completeSince, deleteCounts, ensureState, readState } from '../state.ts';
import { campaignOrigins } from './campaign-origins.ts';
import { timesAs } from './count-engagements.ts';
import { addFreeze } from './count-freezes.ts';
import { originsOf, ROW_FIELDS, type Row, rowsOfClaims, tallied } from './count-rows.ts';
import type { CountDeps } from './counting.ts';

const PAUSE_MS = 60_000;
const AT_ONCE = 1_000;
const DOCUMENTS_MAX = 2_000;

type Recounted = { kind: 'recounted'; mails: number; since: Date } | { kind: 'removed' | 'busy' };

/**
 * Counts the mails of a project again, from the ledger alone. Nothing else is counted in between, so that the counted part of each row
 * stays as it is however often the row changes. The new documents are read from the moment when all of them are written. `removed`: mail
 * that the series have is not in the ledger any more, and they are left as they are.
 */
export async function recountProject(deps: CountDeps, project: Project): Promise<Recounted> {
  const { _id: projectId } = project;
  await ensureState(deps, projectId);
  const now = deps.clock.now();
  const kept = new Date(now.getTime() - deps.config.retentionDays * DAY_MS);
  const since = await completeSince(deps, project, await readState(deps, projectId));
  if (since.getTime() + DAY_MS < kept.getTime()) return { kind: 'removed' };
  const by = new ObjectId();
  const state = await pause(deps, projectId, by);
  if (!state) return { kind: 'busy' };
  const count = state.lastCount!;
  await deleteCounts(deps, { projectId, count: { $ne: state.count } });
  const counts = { projectId, count, like: state.count };
  const mails = await countAll(deps, counts, () => keepPaused(deps, projectId, by));
  const from = new Date(Math.max(kept.getTime(), project.createdAt.getTime()));
  if (mails === null || !(await end(deps, projectId, by, { count, since: from }))) {
    await deleteCounts(deps, { projectId, count });
    return { kind: 'busy' };
  }
  await deleteCounts(deps, { projectId, count: state.count });
  return { kind: 'recounted', mails, since: from };
}

/** null: another recount has taken over. */
async function countAll(
  deps: CountDeps,
  { projectId, count, like }: { projectId: ObjectId; count: number; like: number },
  keep: () => Promise<boolean>,
): Promise<number | null> {
  const documents = new Documents({ projectId, count, like });
  const links = new LinkDocuments({ projectId, count });
  let mails = 0;
  const each = { size: AT_ONCE, projection: ROW_FIELDS, hint: 'newest' };
  for await (const rows of batchesById<Message, Row>(deps.db.messages, { projectId }, each)) {
    if (!(await keep())) return null;
    await countBatch(deps, projectId, rows, documents, links);
    mails += rows.length;
    if (documents.size > DOCUMENTS_MAX) await documents.write(deps);
    await links.write(deps);
  }
  if (!(await keep())) return null;
  await countAccepted(deps, projectId, documents);
  await documents.write(deps);
  return mails;
}

/** Audiences that wait to be counted are counted afterwards. */
async function countAccepted(deps: CountDeps, projectId: ObjectId, documents: Documents): Promise<void> {
  const each = { size: AT_ONCE, projection: { freeze: 1, countDueAt: 1 }, hint: 'newest' };
  for await (const campaigns of batchesById(deps.db.campaigns, { projectId }, each)) {
    const counted = campaigns.filter(({ countDueAt, freeze }) => countDueAt === undefined && freeze?.providers);
    const ids = counted.map(({ _id }) => _id);
    const originOf = await campaignOrigins(deps, projectId, ids);
    for (const campaign of counted) addFreeze(documents, campaign, originOf(campaign._id));
  }
}

async function countBatch(
  deps: CountDeps,
  projectId: ObjectId,
  rows: Row[],
  documents: Documents,
  links: LinkDocuments,
): Promise<void> {
  const originOf = await originsOf(deps, projectId, rows);
  // Read after the rows, so that the claim of each row that was inserted by then is among them, if it is not counted. A claim that is
  // closed in between is among the second ones.
  const isOfUncounted = await rowsOfClaims(deps, { projectId }, rows, ['open', 'counted']);
  for (const row of rows) {
    if (isOfUncounted(row)) continue;
    for (const cell of tallied(row, countedFacts(row))) documents.add(originOf(row), cell);
  }
  const byId = new Map(rows.map((row) => [row._id.toHexString(), row]));
  const sourcesOf = await linkSourcesOf(deps, projectId, rows);
  await countEarlierClicks(deps, projectId, byId);
  for (const { _id, counted = {}, countedLinks = [] } of await countedEngagements(deps, projectId, rows)) {
    const row = byId.get(_id.toHexString())!;
    for (const cell of tallied(row, timesAs(counted, 1))) documents.add(originOf(row), cell);
    links.add({ sources: sourcesOf(row), before: [], after: countedLinks });
  }
}

async function countedEngagements({ db }: CountDeps, projectId: ObjectId, rows: Row[]) {
  const ids = rows.map(({ _id }) => _id);
  await markEarlierCounted({ db }, projectId, ids);
  return db.engagements
    .find({ _id: { $in: ids }, projectId }, { projection: { counted: 1, countedLinks: 1 } })
    .toArray();
}

const paused = { $gt: ['$pausedUntil', '$$NOW'] };

/** Each has a number of its own: a process that was held up for long may write its last documents while another one recounts. */
const lastCount = { $add: [{ $ifNull: ['$lastCount', '$count'] }, 1] };

function pause({ db }: CountDeps, projectId: ObjectId, by: ObjectId) {
  return db.reportStates.findOneAndUpdate(
    { _id: projectId, projectId, deletedAt: { $exists: false }, $expr: { $not: [paused] } },
    [{ $set: { pausedUntil: after(PAUSE_MS), pausedBy: by, lastCount } }],
    { returnDocument: 'after' },
  );
}

/** A pause that has ended is not prolonged: others may have counted since. */
async function keepPaused({ db }: CountDeps, projectId: ObjectId, by: ObjectId): Promise<boolean> {
  const { matchedCount } = await db.reportStates.updateOne(
    { _id: projectId, projectId, pausedBy: by, deletedAt: { $exists: false }, $expr: paused },
    [{ $set: { pausedUntil: after(PAUSE_MS) } }],
  );
  return matchedCount === 1;
}

async function end(
  { db }: Pick<FiguresDeps, 'db'>,
  projectId: ObjectId,
  by: ObjectId,
  fields: { count: number; since: Date },
): Promise<boolean> {
  const { matchedCount } = await db.reportStates.updateOne(
    { _id: projectId, projectId, pausedBy: by, deletedAt: { $exists: false }, $expr: paused },
    { $set: fields, $unset: { pausedBy: '', pausedUntil: '' } },
  );
  return matchedCount === 1;
}
