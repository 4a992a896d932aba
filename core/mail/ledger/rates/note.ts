import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../../base/deps.ts';
import type { MailDeps } from '../../deps.ts';
import type { Ended } from '../outcomes.ts';
import { DELIVERED_STATES } from '../states.ts';
import { bucketOf } from './histogram.ts';
import { type Counted, KEPT_MS, keyOf, minuteOf, ratesChannel, slotField } from './keys.ts';

type NoteDeps = Pick<MailDeps, 'state' | 'clock' | 'signals' | 'recentCounts'>;

/** Gathered for so long, so that a mail costs no command. */
const GATHER_MS = 500;

/** Adds outcomes that are stored to the rates of their projects and campaigns. */
export function noteOutcomes(deps: NoteDeps, ended: readonly Ended[]): void {
  const nowMs = deps.clock.now().getTime();
  const notes = notesOf(deps);
  for (const { held, outcome } of ended) {
    if (!DELIVERED_STATES.some((state) => state === outcome.kind)) continue;
    const { projectId, about, answeredMs } = held;
    const lane = about?.lane ?? 'automation';
    notes.add({ projectId }, nowMs, slotField(nowMs, lane));
    const waitsSince = about?.scheduledAt ?? about?.createdAt;
    if (waitsSince) notes.add({ projectId }, nowMs, bucketOf(lane, Math.max(0, nowMs - waitsSince.getTime())));
    if (answeredMs !== undefined) notes.add({ projectId }, nowMs, bucketOf('answer', answeredMs));
    const campaignId = about?.campaignId;
    if (campaignId) notes.add({ projectId, campaignId }, nowMs, slotField(nowMs, 'sent'));
  }
}

/** Adds first opens and first clicks of the mails of a campaign. */
export function noteEngaged(
  deps: NoteDeps,
  of: { projectId: ObjectId; campaignId: ObjectId },
  name: 'opened' | 'clicked',
): void {
  const nowMs = deps.clock.now().getTime();
  notesOf(deps).add(of, nowMs, slotField(nowMs, name));
}

const notesOf = oncePerCore((deps: NoteDeps, onClose) => {
  const notes = new Notes(deps);
  onClose(() => notes.flush());
  return notes;
});

class Notes {
  readonly #deps: Pick<MailDeps, 'signals' | 'recentCounts'>;
  #counts = new Map<string, Map<string, number>>();
  #projects = new Map<string, ObjectId>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Pick<MailDeps, 'signals' | 'recentCounts'>) {
    this.#deps = deps;
  }

  add(of: Counted, ms: number, field: string): void {
    const key = keyOf(of, minuteOf(ms));
    const fields = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, fields.set(field, (fields.get(field) ?? 0) + 1));
    this.#projects.set(of.projectId.toHexString(), of.projectId);
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#counts.size === 0) return;
    this.#deps.recentCounts.add(this.#counts, KEPT_MS);
    for (const projectId of this.#projects.values()) this.#deps.signals.publish(ratesChannel(projectId), '');
    this.#counts = new Map();
    this.#projects = new Map();
  }
}
