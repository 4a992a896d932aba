import type { Campaign } from '../../../core/campaigns/model.ts';
import { ledgerCounts } from '../../../core/campaigns/numbers/counts.ts';
import type { DrillContext } from '../context.ts';
import { repeatedly } from '../waiting.ts';

export interface Looks {
  samples: number;
  unbalanced: number;
}

const EVERY_MS = 500;

/** total = suppressed + failed + sent + unknown + pending, at every look, and the total never changes once it is frozen. */
export function watchCounts(
  { deps }: Pick<DrillContext, 'deps'>,
  read: () => Promise<Campaign[]>,
  looks: Looks,
): () => Promise<void> {
  const totals = new Map<string, number>();
  const look = async (campaign: Campaign) => {
    const { _id, projectId, freeze } = campaign;
    const counts = await ledgerCounts(deps, { _id, projectId });
    const sum = counts.suppressed + counts.failed + counts.sent + counts.unknown + counts.pending;
    const id = _id.toHexString();
    const isSteady =
      !freeze?.isDone || (counts.total === freeze.written && (totals.get(id) ?? counts.total) === counts.total);
    if (freeze?.isDone) totals.set(id, counts.total);
    looks.samples += 1;
    if (sum !== counts.total || !isSteady) looks.unbalanced += 1;
  };
  return repeatedly(EVERY_MS, async () => {
    try {
      for (const campaign of await read()) await look(campaign);
    } catch {
      // The database may be what is being killed.
    }
  });
}
