import type { DrillContext } from '../context.ts';
import { pause } from '../waiting.ts';
import { type Calls, type Line, post } from './calls.ts';
import { campaignTo, makeList } from './people.ts';

/** The n-th campaign: its project, the number of its recipients, and what its body says beyond the usual. */
export type CampaignPlan = (n: number) => { context: DrillContext; calls: Calls; size: number; more?: object };

const ANSWERED_WITHIN_MS = 60_000;

/** Publishes a campaign every so often, and returns how many were answered with 2xx. */
export async function publishUntil(
  endsAt: number,
  everyMs: number,
  { urls, plan }: { urls: Line['urls']; plan: CampaignPlan },
): Promise<number> {
  let published = 0;
  for (let number = 0; performance.now() + everyMs <= endsAt; number += 1) {
    const { context, calls, size, more = {} } = plan(number);
    const list = await makeList(context, `s${number}x`, size).catch(() => null);
    if (list) {
      const body = { ...campaignTo(list.listId, context.sender), ...more };
      const withinMs = endsAt + ANSWERED_WITHIN_MS - performance.now();
      if (await post({ key: context.key, urls }, calls, '/campaigns', body, withinMs)) published += 1;
    }
    await pause(everyMs);
  }
  return published;
}
