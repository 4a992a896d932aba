import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { derivedId } from '../../base/ids.ts';
import type { FrequencyCap } from '../../base/model.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { ttlCache } from '../../base/work/cache.ts';
import { builtInCode } from '../../consent/suppressions/built-in-groups.ts';
import type { MailDeps } from '../deps.ts';
import type { Place } from './model.ts';

const caps = oncePerCore((_deps: Pick<MailDeps, 'state'>) =>
  ttlCache<FrequencyCap | null>({ keptMs: 1_000, sizeMax: 1_000 }),
);

/** Read once a second at most, so that a project without a cap pays nothing for it. */
export function frequencyCapOf(deps: MailDeps, projectId: ObjectId): Promise<FrequencyCap | null> {
  return caps(deps).get(projectId.toHexString(), async () => {
    const project = await deps.db.projects.findOne({ _id: projectId }, { projection: { frequencyCap: 1 } });
    return project?.frequencyCap ?? null;
  });
}

/** Mail that names no group counts to the default group. */
export function isExcepted({ exceptGroupIds }: FrequencyCap, projectId: ObjectId, groupId: string | null): boolean {
  return exceptGroupIds.includes(groupId ?? builtInCode(projectId, 'default'));
}

/** The ids of a project are a range, since they begin with the second of the project's own. */
export function placesId(projectId: ObjectId, email: string): ObjectId {
  return derivedId(projectId.getTimestamp(), 'frequency places', projectId.toHexString(), email);
}

/** Places until this moment do not count any more. */
export function windowStart({ withinDays }: FrequencyCap, now: Date): Date {
  return new Date(now.getTime() - withinDays * DAY_MS);
}

export function livePlaces(places: readonly Place[], since: Date): Place[] {
  return places.filter(({ at }) => at > since);
}

/** When so many places have left the window that there is room for one more; `places` are live, and as many as the cap allows, or more. */
export function nextFree(places: readonly Place[], { mails, withinDays }: FrequencyCap): Date {
  const times = places.map(({ at }) => at.getTime()).sort((one, two) => one - two);
  return new Date(times[times.length - mails]! + withinDays * DAY_MS);
}
