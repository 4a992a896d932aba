import { MINUTE_MS } from '../../base/time/durations.ts';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { LOCAL_TIME_OVER } from '../../mail/ledger/rules/reasons.ts';
import type { CampaignsDeps } from '../deps.ts';
import { type Moment, PeopleByZone, type Reached, type Zone } from '../local-time/people-by-zone.ts';
import type { Campaign } from '../model.ts';
import type { Attempt } from './attempt.ts';
import { suppressedRow } from './judge.ts';

interface AudienceByZone {
  /** The contact property that has the zone; null: everybody is in that of the campaign. */
  property: string | null;
  /** The people of each zone, and the rows of those whose time is over, and who get nothing. */
  sort(people: Reached[]): Promise<{ timed: Array<[Moment, BlockRecipient[]]>; over: Message[] }>;
}

/** The zones of the audience of a campaign at local time; one without a name where a test alone divides it; null of others. */
export async function audienceByZone(
  deps: CampaignsDeps,
  campaign: Campaign,
  { at: frozenAt }: Attempt,
): Promise<AudienceByZone | null> {
  const { projectId, localTime, test } = campaign;
  const all = { timezone: '', isFallback: false, at: frozenAt };
  if (!localTime)
    return test ? { property: null, sort: async (people) => ({ timed: [[all, people]], over: [] }) } : null;
  const project = await deps.db.projects.findOne({ _id: projectId }, { projection: { timezoneProperty: 1 } });
  const people = new PeopleByZone(localTime, lateBefore(campaign, frozenAt));
  const isOver = { groupId: null, reason: LOCAL_TIME_OVER };
  const rowOf = (person: BlockRecipient) => suppressedRow({ campaign, at: frozenAt }, person, isOver);
  return {
    property: project?.timezoneProperty ?? null,
    async sort(batch) {
      const zones = await people.sort(batch);
      const over = zones.flatMap(([{ at }, some]) => (at ? [] : some.map(rowOf)));
      return { timed: zones.filter((one): one is [Zone & Moment, BlockRecipient[]] => one[0].at !== null), over };
    },
  };
}

/** As for the campaign itself, a person is not late who waits for a start within `maxLatenessMinutes` of its time. */
function lateBefore({ startsAt, maxLatenessMinutes }: Campaign, frozenAt: Date): Date {
  const latest = frozenAt.getTime() - maxLatenessMinutes * MINUTE_MS;
  return new Date(Math.max(startsAt?.getTime() ?? latest, latest));
}
