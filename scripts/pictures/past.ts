import type { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { Documents } from '../../core/figures/reports/documents.ts';
import { KEPT_MS, keyOf, minuteOf, SHOWN_MS, SLOT_MS, slotField } from '../../core/mail/ledger/rates/keys.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/** The day until now and the last minutes, as counted: written before anything else counts. */
export async function addPast(deps: Deps, projectId: ObjectId): Promise<void> {
  await addQuarters(deps, projectId);
  addMinutes(deps, projectId);
}

async function addQuarters(deps: Deps, projectId: ObjectId): Promise<void> {
  const documents = new Documents({ projectId, count: 0 });
  const now = deps.clock.now().getTime();
  for (let ms = now - DAY_MS; ms < now - QUARTER_MS; ms += QUARTER_MS) {
    const at = new Date(Math.floor(ms / QUARTER_MS) * QUARTER_MS);
    const accepted = Math.round(26 + 22 * Math.sin(((at.getUTCHours() - 6) / 24) * 2 * Math.PI) + noise(ms, 8));
    const bounced = noise(ms, 60) > 56 ? 1 : 0;
    const delivered = accepted - bounced;
    const opened = Math.round(delivered * 0.44);
    const counts = { accepted, sent: accepted, delivered, bounced, opened, clicked: Math.round(opened * 0.2) };
    documents.add(
      { source: 'lane:transactional', domain: 'news.harbour.example', tags: [] },
      { at, provider: 'other', counts },
    );
  }
  await documents.write(deps);
}

function addMinutes({ recentCounts, clock }: Deps, projectId: ObjectId): void {
  const now = clock.now().getTime();
  const counts = new Map<string, Map<string, number>>();
  for (let ms = now - SHOWN_MS; ms < now; ms += SLOT_MS) {
    const key = keyOf({ projectId }, minuteOf(ms));
    const fields = counts.get(key) ?? new Map<string, number>();
    fields.set(slotField(ms, 'transactional'), 6 + noise(ms, 7));
    fields.set(slotField(ms, 'automation'), 2 + noise(ms + 1, 5));
    counts.set(key, fields);
  }
  recentCounts.add(counts, KEPT_MS);
}

/** A whole number below `max`, the same for the same time of day. */
function noise(ms: number, max: number): number {
  const mixed = Math.imul(Math.floor(ms / SLOT_MS) ^ 0x5bd1, 0x9e3779b1) >>> 0;
  return Math.floor((mixed / 2 ** 32) * max);
}
