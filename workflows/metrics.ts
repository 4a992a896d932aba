import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaigns.ts';
import { activitiesOn, hasFormerState, showAttributes } from './activities.ts';

interface MetricsRefreshInput {
  projectId: string;
  campaignId: string;
}

/** Counts the ledger and stores it: every 10 minutes while sending and for a day after, then hourly, then every six hours, to day 20. */
export async function metricsRefresh(input: MetricsRefreshInput): Promise<{ status: string }> {
  const { refreshCampaignMetrics } = activitiesOn<CampaignActivities>('background', {
    startToCloseTimeout: '2 minutes',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });
  for (;;) {
    const { status, nextMs, details } = await refreshCampaignMetrics.executeWithOptions(
      { summary: 'count and store' },
      [input],
    );
    // It follows the campaign, whose status may change before the next look.
    const own = nextMs === null ? 'completed' : 'running';
    showAttributes({ State: hasFormerState() ? status : own });
    setCurrentDetails(details);
    if (nextMs === null) return { status };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof metricsRefresh>(input);
    await sleep(nextMs, { summary: `next refresh in ${Math.round(nextMs / 60_000)} minutes` });
  }
}
