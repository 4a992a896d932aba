import type { Message, TimelineEntry } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';

/** Steps without a stored line are derived from the message's own dates: queued, last claim, sent. */
export function timelineOf(message: Message): TimelineEntry[] {
  const { _id, createdAt, claimedAt, sentAt, reply, state, timeline = [], suppressedBy } = message;
  const entries: TimelineEntry[] = [{ type: 'queued', at: createdAt ?? _id.getTimestamp() }];
  const claims = new Set<number>();
  const claimed = (at: Date | undefined) => {
    if (!at || claims.has(at.getTime())) return;
    claims.add(at.getTime());
    entries.push({ type: 'claimed', at });
  };
  for (const { claimedAt: began, ...entry } of timeline) {
    claimed(began);
    entries.push(entry);
  }
  claimed(claimedAt);
  if (sentAt && (reply?.code ?? 250) < 400) entries.push({ type: 'sent', at: sentAt, ...(reply ? { reply } : {}) });
  const isListed = timeline.some(({ type }) => type === 'suppressed');
  if (state === states.suppressed && suppressedBy && !isListed)
    entries.push({ type: 'suppressed', at: message.endedAt ?? entries[0]!.at, reason: suppressedBy.reason });
  return inOrder(entries);
}

export function inOrder(entries: TimelineEntry[]): TimelineEntry[] {
  return entries.sort((one, two) => one.at.getTime() - two.at.getTime());
}
