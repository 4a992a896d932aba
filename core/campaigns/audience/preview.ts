import type { Filter, ObjectId } from 'mongodb';
import { invalid, notFound } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import { inTime } from '../../base/limits/deadlines.ts';
import type { Project } from '../../base/model.ts';
import { mapAhead } from '../../base/work/ahead.ts';
import { keptTotal } from '../../consent/suppressions/groups.ts';
import type { Suppression, SuppressionGroup } from '../../consent/suppressions/model.ts';
import { takeSlot } from '../../people/lists/slots.ts';
import {
  countWithout,
  isEmpty,
  keptCounts,
  membersFilter,
  type Reading,
  sizeAtMost,
} from '../../people/lists/unions.ts';
import { type CampaignInput, namedFields, plainAudience } from '../definition/input.ts';
import { requireRecipients, whoDidNotOpen } from '../definition/of-campaign.ts';
import { segmentsIn } from '../definition/segments.ts';
import type { CampaignsDeps } from '../deps.ts';
import { refuseNoDate } from '../local-time/given.ts';
import type { Campaign, OtherAudience } from '../model.ts';
import { ofOneMoment, unionsOf } from './count.ts';
import { type AudienceZone, previewZones } from './preview-zones.ts';
import { type Addressed, readAudience } from './read.ts';

/** Less than the two seconds that are promised. */
const TIME_MS = 1_700;
const ADDRESSES_AT_ONCE = 1_000;
/** Look-ups that are under way while addresses before them are read. */
const AHEAD = 3;

interface AudiencePreview {
  total: number;
  suppressed: number;
  willReceive: number;
  /** false: the time was not enough, or a segment is being computed. */
  isExact: boolean;
  /** Where a local time was given. */
  zones?: AudienceZone[];
}

type Input = Pick<
  CampaignInput,
  'toLists' | 'excludeLists' | 'sendToGlobalList' | 'unsubscribeGroupId' | 'localTime'
> & {
  audience?: { campaignId: string } | undefined;
};

/** How many contacts a freeze would write down at this moment, and how many of them are suppressed. */
export async function previewAudience(
  deps: CampaignsDeps,
  project: Project,
  input: Input,
  { signal, timeMs = TIME_MS }: { signal: AbortSignal; timeMs?: number },
): Promise<AudiencePreview> {
  const campaign = {
    ...nobody(project),
    ...plainAudience(input),
    ...(await namedFields(deps, project, {}, input)),
    audience: await otherAudience(deps, project, input),
  };
  refuseNoDate(input.localTime);
  const release = await takeSlot(deps, project._id, 'audience');
  try {
    const named = [...campaign.toLists, ...campaign.excludeLists];
    const moving = await segmentsIn(deps, project._id, named, ['running', 'settling']);
    const { localTime = null } = input;
    const counted = await ofOneMoment(deps, campaign, timeMs, async (reading) => {
      const people = await count(deps, reading, campaign, signal);
      const { session } = reading;
      const asked = localTime && people.total > 0 ? { localTime, total: people.total, session } : null;
      const zones = asked ? await previewZones(deps, project, campaign, asked) : [];
      return { ...people, ...(localTime ? { zones } : {}) };
    });
    return { ...counted, isExact: counted.isExact && moving.length === 0 };
  } finally {
    await release();
  }
}

async function otherAudience(
  deps: CampaignsDeps,
  project: Project,
  { audience, toLists, sendToGlobalList }: Input,
): Promise<OtherAudience | null> {
  if (!audience) return null;
  if (toLists?.length || sendToGlobalList)
    throw invalid('People of another campaign or of lists are counted, not both.', 'audience: is given with lists');
  const _id = parseId(audience.campaignId);
  const first = _id && (await deps.db.campaigns.findOne({ _id, projectId: project._id }));
  if (!first) throw notFound('CAMPAIGN', 'audience/campaignId');
  await requireRecipients(deps, first);
  return whoDidNotOpen(first);
}

type Counted = Addressed & Pick<Campaign, 'unsubscribeGroupId'>;

function nobody({ _id: projectId }: Project): Counted {
  return {
    projectId,
    toLists: [],
    excludeLists: [],
    sendToGlobalList: false,
    audience: null,
    unsubscribeGroupId: null,
  };
}

async function count(
  deps: CampaignsDeps,
  reading: Reading,
  campaign: Counted,
  signal: AbortSignal,
): Promise<Omit<AudiencePreview, 'zones'>> {
  const { of, without } = unionsOf(campaign);
  const groups = await groupsAgainst(reading, campaign.unsubscribeGroupId);
  const stops = stopsOf(reading.projectId, groups);
  if (isEmpty(of)) return { total: 0, suppressed: 0, willReceive: 0, isExact: true };
  const counts = await keptCounts(reading, [of, without]);
  const isStopped = () => signal.aborted || reading.deadline.isOver();
  if (campaign.audience) {
    const { looked, found, isDone } = await countByPeople(deps, reading, campaign, stops, isStopped);
    return { total: looked, suppressed: found, willReceive: looked - found, isExact: isDone };
  }
  const entries = keptTotal(groups);
  const people = sizeAtMost(reading.projectId, of, counts);
  const [all, stopped] = await Promise.all([
    inTime(countWithout(reading, of, without, counts)),
    entries <= people
      ? countByEntries(reading, stops, membersFilter(of, without), isStopped)
      : countByPeople(deps, reading, campaign, stops, isStopped),
  ]);
  const total = all ?? people;
  // The share among the addresses read so far is taken for all.
  const share = stopped.looked === 0 ? 0 : stopped.found / stopped.looked;
  const suppressed = stopped.isDone ? stopped.found : Math.min(total, Math.round(share * Math.min(entries, people)));
  return { total, suppressed, willReceive: total - suppressed, isExact: all !== null && stopped.isDone };
}

/** The groups whose entries stop marketing mail that names this group, as `stoppedBy` decides; the first read of the moment. */
async function groupsAgainst(
  { deps, projectId, session }: Reading,
  groupId: string | null,
): Promise<SuppressionGroup[]> {
  const live = await deps.db.suppressionGroups
    .find({ projectId, deletedAt: null }, { hint: 'code', session })
    .toArray();
  const isNamed = live.some((group) => group.groupId === groupId);
  return live
    .filter((group) => group.isGlobal || group.isMarketing || (isNamed ? group.groupId === groupId : group.isDefault))
    .toSorted((a, b) => keptTotal([b]) - keptTotal([a]));
}

/** The entries of a group that stop the mail; in the marketing group not those of people who turned its group on again. */
function stopsOf(projectId: ObjectId, groups: SuppressionGroup[]): Filter<Suppression>[] {
  const named = groups.find(({ isGlobal, isMarketing }) => !isGlobal && !isMarketing);
  const isExcepted = { exceptGroupIds: named?.groupId ?? '', 'beside.reason': { $exists: false } };
  return groups.map(({ groupId, isMarketing }) => ({
    ...{ projectId, groupId },
    ...(isMarketing ? { $nor: [isExcepted] } : {}),
  }));
}

interface Found {
  looked: number;
  found: number;
  isDone: boolean;
}

/** Reads the suppressed addresses, and counts the contacts among them. Those of the groups before are counted already. */
async function countByEntries(
  reading: Reading,
  stops: Filter<Suppression>[],
  members: ReturnType<typeof membersFilter>,
  isStopped: () => boolean,
): Promise<Found> {
  const { deps, projectId, session, deadline } = reading;
  const sum: Found = { looked: 0, found: 0, isDone: false };
  for (const [index, stop] of stops.entries()) {
    const before = stops.slice(0, index);
    const counts = mapAhead(addressesOf(reading, stop), AHEAD, async (emails) => {
      const known = await suppressedAmong(reading, emails, before);
      const email = { $in: emails.filter((one) => !known.has(one)) };
      const options = { hint: 'email', session, maxTimeMS: deadline.leftMs };
      const found = await deps.db.contacts.countDocuments({ projectId, email, ...members }, options);
      return { looked: emails.length, found };
    });
    if (!(await addUp(sum, counts, isStopped))) return sum;
  }
  return { ...sum, isDone: true };
}

/** Reads the contacts, and counts the suppressed among them. */
async function countByPeople(
  deps: CampaignsDeps,
  reading: Reading,
  campaign: Counted,
  stops: Filter<Suppression>[],
  isStopped: () => boolean,
): Promise<Found> {
  const sum: Found = { looked: 0, found: 0, isDone: false };
  const counts = mapAhead(readAudience(deps, campaign, reading.session), AHEAD, async (people) => {
    const emails = people.map(({ email }) => email);
    return { looked: emails.length, found: (await suppressedAmong(reading, emails, stops)).size };
  });
  return (await addUp(sum, counts, isStopped)) ? { ...sum, isDone: true } : sum;
}

/** false: the time was over first. */
async function addUp(
  sum: Found,
  counts: AsyncIterable<Omit<Found, 'isDone'>>,
  isStopped: () => boolean,
): Promise<boolean> {
  const done = await inTime(
    (async () => {
      for await (const { looked, found } of counts) {
        sum.looked += looked;
        sum.found += found;
        if (isStopped()) return false;
      }
      return true;
    })(),
  );
  return done ?? false;
}

async function* addressesOf({ deps, session, deadline }: Reading, stop: Filter<Suppression>): AsyncGenerator<string[]> {
  const options = { projection: { _id: 0, email: 1 }, hint: 'group', session, maxTimeMS: deadline.leftMs } as const;
  const cursor = deps.db.suppressions.find(stop, { ...options, batchSize: ADDRESSES_AT_ONCE });
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments().map(({ email }) => email);
  } finally {
    await cursor.close();
  }
}

async function suppressedAmong(
  { deps, projectId, session, deadline }: Reading,
  emails: string[],
  stops: Filter<Suppression>[],
): Promise<Set<string>> {
  if (stops.length === 0 || emails.length === 0) return new Set();
  const found = await deps.db.suppressions
    .find(
      { projectId, email: { $in: emails }, $or: stops },
      { projection: { _id: 0, email: 1 }, hint: 'address', session, maxTimeMS: deadline.leftMs },
    )
    .toArray();
  return new Set(found.map(({ email }) => email));
}
