import type { AutomationsDeps } from './automations/deps.ts';
import { removeOldEvents } from './automations/events/old.ts';
import { firstIdAt } from './base/ids.ts';
import { DAY_MS } from './base/time/durations.ts';
import { openAmong, removeOldBlocks } from './campaigns/audience/retention.ts';
import type { CampaignsDeps } from './campaigns/deps.ts';
import { removeOldConsents } from './consent/consents/erase.ts';
import { endTurn, noteFirst, takeTurn } from './jobs/upkeep.ts';
import { removeOldMessages } from './mail/erase/old.ts';
import { removeOldPlaces } from './mail/frequency/remove.ts';
import { removeOldFacts, removeOldHistory } from './people/behaviour/old.ts';

const TURN = 'retention';
/** In UTC; every hour is daytime somewhere, so it only has to be the same one every day. */
const HOUR = 3;
/** A process that died during its turn delays the others for this long. */
const LEASE_MS = 15 * 60_000;

type RetentionDeps = AutomationsDeps & CampaignsDeps;

interface Removed {
  messages: number;
  events: number;
}

/**
 * Removes old data in the one process that gets the turn; the others return without work. null: not now, or another process has the turn.
 */
export async function takeRetentionTurn(deps: RetentionDeps, mayContinue: () => boolean): Promise<Removed | null> {
  const now = deps.clock.now();
  await noteFirst(deps, TURN, { dueAt: nextNight(now) });
  const until = new Date(now.getTime() + LEASE_MS);
  if (!(await takeTurn(deps, TURN, now, until))) return null;
  const removed = await removeOld(deps, mayContinue);
  // Stopped early: the next process continues at once.
  await endTurn(deps, TURN, until, mayContinue() ? nextNight(deps.clock.now()) : deps.clock.now());
  return removed;
}

/**
 * Removes data older than RETENTION_DAYS, each room its own: messages with their engagements, blocks of campaigns, and events that
 * automations have processed. Ids begin with the second of queueing, so this is a range of ids over all projects. May be stopped and
 * restarted at any point.
 */
export async function removeOld(deps: RetentionDeps, mayContinue: () => boolean = () => true): Promise<Removed> {
  const before = firstIdAt(deps.clock.now().getTime() - deps.config.retentionDays * DAY_MS);
  const messages = await removeOldMessages(deps, before, mayContinue, (projectId, ids) =>
    openAmong(deps, projectId, ids),
  );
  const events = await removeOldEvents(deps, before, mayContinue);
  await removeOldFacts(deps, before, mayContinue);
  await removeOldHistory(deps, before, mayContinue);
  await removeOldBlocks(deps, before.getTimestamp(), mayContinue);
  await removeOldConsents(deps, mayContinue);
  await removeOldPlaces(deps, mayContinue);
  return { messages, events };
}

function nextNight(now: Date): Date {
  const night = new Date(now);
  night.setUTCHours(HOUR, 0, 0, 0);
  return night > now ? night : new Date(night.getTime() + DAY_MS);
}
