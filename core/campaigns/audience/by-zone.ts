import { MINUTE_MS } from '../../base/time/durations.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { LOCAL_TIME_OVER } from '../../mail/ledger/rules/reasons.ts';
import type { CampaignsDeps } from '../deps.ts';
import { PeopleByZone, type Reached } from '../local-time/people-by-zone.ts';
import type { Campaign } from '../model.ts';
import type { Attempt } from './attempt.ts';
import { suppressedRow } from './judge.ts';

interface AudienceByZone extends Pick<PeopleByZone, 'inOrder'> {
  /** The contact property that has the zone; null: everybody is in that of the campaign. */
  property: string | null;
  /** Takes people in; answers the rows of those whose time is over, and who get nothing. */
  add(people: Reached[]): Promise<Message[]>;
}

/** The audience of a campaign at local time, to be written down in the order of its releases; null of others. */
export async function audienceByZone(
  deps: CampaignsDeps,
  campaign: Campaign,
  { at }: Attempt,
): Promise<AudienceByZone | null> {
  const { projectId, localTime } = campaign;
  if (!localTime) return null;
  const project = await deps.db.projects.findOne({ _id: projectId }, { projection: { timezoneProperty: 1 } });
  const people = new PeopleByZone(localTime, lateBefore(campaign, at));
  const over = { groupId: null, reason: LOCAL_TIME_OVER };
  return {
    property: project?.timezoneProperty ?? null,
    inOrder: () => people.inOrder(),
    add: async (batch) => (await people.add(batch)).map((person) => suppressedRow({ campaign, at }, person, over)),
  };
}

/** As for the campaign itself, a person is not late who waits for a start within `maxLatenessMinutes` of its time. */
function lateBefore({ startsAt, maxLatenessMinutes }: Campaign, frozenAt: Date): Date {
  const latest = frozenAt.getTime() - maxLatenessMinutes * MINUTE_MS;
  return new Date(Math.max(startsAt?.getTime() ?? latest, latest));
}
