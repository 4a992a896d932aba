import type { ObjectId } from 'mongodb';
import { MINUTE_MS } from '../../../base/time/durations.ts';

/** The width of a point of a rate. */
export const SLOT_MS = 5_000;
const SLOTS = MINUTE_MS / SLOT_MS;
/** How long the counts of a minute are kept: a little longer than they are shown. */
export const KEPT_MS = 17 * MINUTE_MS;
export const SHOWN_MS = 15 * MINUTE_MS;

/** Of a project, or of one of its campaigns. */
export interface Counted {
  projectId: ObjectId;
  campaignId?: ObjectId | undefined;
}

export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

/** One key for each minute. */
export function keyOf({ projectId, campaignId }: Counted, minute: number): string {
  return ['recent', projectId.toHexString(), ...(campaignId ? [campaignId.toHexString()] : []), minute].join(':');
}

/** The field of a count in its minute. */
export function slotField(ms: number, name: string): string {
  return `${Math.floor(ms / SLOT_MS) % SLOTS}.${name}`;
}

export function slotStart(ms: number): number {
  return Math.floor(ms / SLOT_MS) * SLOT_MS;
}

export function ratesChannel(projectId: ObjectId): string {
  return `rates:${projectId.toHexString()}`;
}
