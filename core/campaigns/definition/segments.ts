import type { ObjectId } from 'mongodb';
import { parseId } from '../../base/ids.ts';
import type { SegmentRecompute, StoredList } from '../../people/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign } from '../model.ts';
import { isUnderWay } from '../status.ts';

export interface AwaitedSegment {
  id: string;
  name: string;
  type: 'segment';
  processed: number;
  total: number;
}

type Naming = Pick<Campaign, 'projectId' | 'toLists' | 'excludeLists'>;

/** Segments that the campaign names and whose contacts are not all computed yet. */
export async function awaitedSegments(
  deps: Pick<CampaignsDeps, 'db'>,
  { projectId, toLists, excludeLists }: Naming,
): Promise<AwaitedSegment[]> {
  const running = await segmentsIn(deps, projectId, [...toLists, ...excludeLists], ['running']);
  return running.map(({ _id, name, recompute }) => {
    const { processed = 0, total = 0 } = recompute ?? {};
    return { id: _id.toHexString(), name, type: 'segment', processed, total: Math.max(total, processed) };
  });
}

/** For `/progress`: the segments for which the start or the freeze is waiting. */
export async function segmentsInTheWay(
  deps: Pick<CampaignsDeps, 'db' | 'clock'>,
  campaign: Campaign,
): Promise<AwaitedSegment[]> {
  const { status, startsAt, freeze } = campaign;
  const isDue = status === 'scheduled' && (startsAt ?? deps.clock.now()) <= deps.clock.now();
  const isFreezing = isUnderWay(campaign) && !freeze?.isDone;
  return isDue || isFreezing ? awaitedSegments(deps, campaign) : [];
}

export function wordsFor(segments: AwaitedSegment[]): string {
  const names = segments.map(({ name }) => `"${name}"`).join(', ');
  return segments.length === 1 ? `the segment ${names} is` : `the segments ${names} are`;
}

/** Of the lists of a campaign, the segments in these states. */
export async function segmentsIn(
  deps: Pick<CampaignsDeps, 'db'>,
  projectId: ObjectId,
  entries: AudienceEntry[],
  states: SegmentRecompute['status'][],
): Promise<StoredList[]> {
  const ids = entries.flatMap(({ type, id }) => (type === 'segment' ? (parseId(id) ?? []) : []));
  if (ids.length === 0) return [];
  return deps.db.contactLists
    .find({ projectId, _id: { $in: ids }, type: 'segment', 'recompute.status': { $in: states } })
    .toArray();
}
