import { MongoError } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { IdSet } from '../../base/work/id-set.ts';
import { states } from '../../mail/ledger/states.ts';
import { publishSuppressed } from '../../mail/messages/events.ts';
import { type Attempt, beginAttempt, endAttempt, keepWritten, LostAttempt } from '../audience/attempt.ts';
import { audienceByZone } from '../audience/by-zone.ts';
import { judged } from '../audience/judge.ts';
import { leaveOut } from '../audience/leave-out.ts';
import { readAudience } from '../audience/read.ts';
import { AudienceWriter, type Written } from '../audience/write.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { refreshCounts } from '../numbers/counts.ts';
import { holdOutOf } from '../variants/hold-out.ts';
import { HeldPeople } from '../variants/test-first.ts';
import { correctSettling, joinedExcluded } from './exclusions.ts';

/** Attempts that read a snapshot, of which MongoDB keeps five minutes; the one after them reads what it finds. */
const SNAPSHOTS_MAX = 2;
const SNAPSHOT_GONE = new Set<unknown>(['SnapshotTooOld', 'SnapshotUnavailable']);
const EVENTS_AT_ONCE = 1_000;

interface FreezeControl {
  signal: AbortSignal;
  onProgress(written: number): void;
}

/**
 * Writes the audience down, in blocks: lists and segments less excluded ones, one contact once, as they are at one moment. Suppressed
 * contacts get their row here, with the entry that stops the mail. Each call starts from nothing. Exclusions are checked again at the
 * end, before the first mail.
 */
export async function freezeAudience(deps: CampaignsDeps, campaign: Campaign, control: FreezeControl): Promise<void> {
  try {
    for (let tries = 1; ; tries += 1) {
      const attempt = await beginAttempt(deps, campaign);
      if (!attempt) return;
      if (await freezeOnce(deps, campaign, attempt, control, tries <= SNAPSHOTS_MAX)) return;
    }
  } catch (error) {
    if (!(error instanceof LostAttempt)) throw error;
    deps.log.info({ campaignId: campaign._id }, 'another attempt writes down the audience');
  }
}

/** False when the snapshot is gone: then another attempt follows. */
async function freezeOnce(
  deps: CampaignsDeps,
  campaign: Campaign,
  attempt: Attempt,
  control: FreezeControl,
  isSnapshot: boolean,
): Promise<boolean> {
  const { toLists, excludeLists } = campaign;
  const { signal } = control;
  const session = isSnapshot ? deps.mongo.startSession({ snapshot: true }) : undefined;
  // Without a snapshot a contact whose address changes is found twice.
  const known = !isSnapshot || excludeLists.length > 0 ? new IdSet() : null;
  try {
    await correctSettling(deps, campaign, [...toLists, ...excludeLists], signal);
    const written = await writeAudience(deps, campaign, attempt, control, { session, known });
    if (!written || signal.aborted) return true;
    await finish(deps, campaign, attempt, written, known, control);
    return true;
  } catch (error) {
    if (!isSnapshot || !isSnapshotGone(error)) throw error;
    deps.log.warn({ campaignId: campaign._id }, 'the audience took longer to read than its snapshot is kept');
    return false;
  } finally {
    await session?.endSession();
  }
}

/** null when it was stopped. */
async function writeAudience(
  deps: CampaignsDeps,
  campaign: Campaign,
  attempt: Attempt,
  { signal, onProgress }: FreezeControl,
  { session, known }: { session: Session | undefined; known: IdSet | null },
): Promise<Written | null> {
  const writer = new AudienceWriter(deps, attempt, onProgress);
  const zones = await audienceByZone(deps, campaign, attempt);
  const isHeldOut = holdOutOf(campaign._id, campaign.holdOutShare ?? 0);
  const held = campaign.test ? new HeldPeople(campaign, attempt.at) : null;
  async function* once() {
    for await (const people of readAudience(deps, campaign, session, zones?.property)) {
      const each = known ? people.filter(({ contactId }) => known.add(contactId)) : people;
      yield campaign.holdOutShare ? writer.without(each, ({ contactId }) => isHeldOut(contactId)) : each;
    }
  }
  try {
    for await (const { people, suppressed } of judged(deps, campaign, attempt, once())) {
      if (signal.aborted) return null;
      await writer.suppress(suppressed);
      const { timed, over } = zones ? await zones.sort(people) : { timed: [[null, people] as const], over: [] };
      await writer.suppress(over);
      for (const [zone, some] of timed)
        if (held && zone) held.add(some, zone);
        else await writer.add(some, zone);
    }
    for (const { people, release } of held?.testFirst() ?? []) {
      if (signal.aborted) return null;
      await writer.add(people, release);
    }
    return await writer.end();
  } finally {
    await writer.stop();
  }
}

/** It does not end when an excluded segment changed during the freeze: the run waits for the segment and freezes again. */
async function finish(
  deps: CampaignsDeps,
  campaign: Campaign,
  first: Attempt,
  read: Written,
  known: IdSet | null,
  { signal, onProgress }: FreezeControl,
): Promise<void> {
  const leaving = await joinedExcluded(deps, campaign, known ?? new IdSet(), signal);
  if (!leaving) return;
  const last = { attempt: first, written: read };
  const { attempt, written } =
    leaving.size === 0 ? last : await leaveOut(deps, { attempt: first, read }, leaving, onProgress);
  await requireWritten(deps, attempt, written);
  await tellSuppressed(deps, attempt);
  await endAttempt(deps, attempt, written);
  await refreshCounts(deps, campaign);
}

/** The blocks and rows in the database must be all that was written, and each in its place. */
async function requireWritten(deps: CampaignsDeps, attempt: Attempt, written: Written): Promise<void> {
  const { run, campaign } = attempt;
  const { _id: campaignId, projectId } = campaign;
  const [[blocks], suppressed] = await Promise.all([
    deps.db.campaignBlocks
      .aggregate<{ people: number }>(
        [
          { $match: { projectId, campaignId, run, fromSeq: { $gte: 1 } } },
          { $group: { _id: null, people: { $sum: '$count' } } },
        ],
        { hint: 'order' },
      )
      .toArray(),
    deps.db.messages.countDocuments({ campaignId, projectId, state: states.suppressed }, { hint: 'campaign' }),
  ]);
  const found = { inBlocks: blocks?.people ?? 0, suppressed };
  if (found.inBlocks === written.inBlocks && found.suppressed === written.suppressed) return;
  // Another attempt removes the blocks of this one.
  await keepWritten(deps, attempt, written.inBlocks + written.suppressed);
  deps.log.error({ campaignId, found, written }, 'recipients are missing; all of them are written again');
  throw new Error('The audience in the database is not the one that was written.');
}

/** Before the end, so that none is lost. A repeat is the same event. */
async function tellSuppressed(deps: CampaignsDeps, { campaign }: Attempt): Promise<void> {
  const { _id: campaignId, projectId } = campaign;
  const cursor = deps.db.messages.find(
    { campaignId, projectId, state: states.suppressed },
    { hint: 'campaign', batchSize: EVENTS_AT_ONCE },
  );
  while (await cursor.hasNext()) await publishSuppressed(deps, projectId, cursor.readBufferedDocuments());
}

function isSnapshotGone(error: unknown): boolean {
  return error instanceof MongoError && 'codeName' in error && SNAPSHOT_GONE.has(error.codeName);
}
