import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities, CampaignPageActivities } from '../activities/campaigns.ts';
import type { CampaignStep } from '../core/campaign-runs.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { queries, signals } from './messages.ts';

export interface CampaignSendInput {
  projectId: string;
  campaignId: string;
}

/** A page is some five seconds' work, so that pauses, deploys and crashes cost little. */
const PAGE = 10_000;

/** Waits until the campaign is due, writes down its audience, sends it page by page, waits for what was deferred, and ends. */
export async function campaignSend(input: CampaignSendInput): Promise<{ status: string }> {
  let isTold = false;
  let last: CampaignStep | null = null;
  const tell = () => {
    isTold = true;
  };
  setHandler(defineSignal(signals.control), tell, { description: 'The campaign was changed: read it again.' });
  setHandler(defineQuery(queries.state), () => last, { description: 'What the run is doing.' });
  const { advanceCampaign } = activitiesOn<CampaignActivities>('background', {
    startToCloseTimeout: '2 minutes',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  });
  const { freezeCampaignAudience } = activitiesOn<CampaignActivities>('background', {
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  });

  for (;;) {
    isTold = false;
    const step = await advanceCampaign.executeWithOptions(
      { summary: last ? `after: ${last.summary}` : 'look at the campaign' },
      [input],
    );
    last = step;
    showAttributes({ Status: step.status, Phase: step.kind });
    setCurrentDetails(step.details);
    if (step.kind === 'end') {
      if (!isTold) return { status: step.status };
      continue;
    }
    if (step.kind === 'park') await condition(() => isTold);
    else if (step.kind === 'wait')
      await condition(() => isTold, Math.max(1, step.untilMs - Date.now()), { summary: step.summary });
    else if (step.kind === 'freeze')
      await unlessTold(
        () => isTold,
        () => freezeCampaignAudience.executeWithOptions({ summary: step.summary }, [input]),
      );
    else await sendPages(input, step, () => isTold);
    if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > 4_000)
      await continueAsNew<typeof campaignSend>(input);
  }
}

/** Several pages are under way at a time; none is begun after somebody decided something. */
async function sendPages(
  input: CampaignSendInput,
  { fromSeq, toSeq, pagesAtOnce }: Extract<CampaignStep, { kind: 'send' }>,
  isTold: () => boolean,
): Promise<void> {
  const { sendCampaignPage } = activitiesOn<CampaignPageActivities>('campaign', {
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  });
  let next = fromSeq;
  let mayGoOn = true;
  let pauseMs = 0;
  const lane = async () => {
    while (next <= toSeq && mayGoOn && !isTold()) {
      const page = {
        fromSeq: next,
        toSeq: pagesAtOnce === 1 && toSeq === Number.MAX_SAFE_INTEGER ? toSeq : Math.min(toSeq, next + PAGE - 1),
      };
      next = page.toSeq + 1;
      const { goOn, details, waitMs } = await sendCampaignPage.executeWithOptions(
        { summary: `send ${page.fromSeq} to ${page.toSeq}` },
        [{ ...input, ...page }],
      );
      setCurrentDetails(details);
      mayGoOn &&= goOn && !workflowInfo().continueAsNewSuggested;
      pauseMs = Math.max(pauseMs, waitMs);
    }
  };
  await Promise.all(Array.from({ length: pagesAtOnce }, lane));
  if (pauseMs > 0 && !isTold()) await condition(isTold, pauseMs, { summary: 'the relay does not answer; tries again' });
}

/** Writing down an audience of a million takes a while; a pause or an abort ends it at once. */
async function unlessTold(isTold: () => boolean, work: () => Promise<unknown>): Promise<void> {
  const scope = new CancellationScope();
  const running = scope.run(work).catch((error) => {
    if (!scope.consideredCancelled) throw error;
  });
  await Promise.race([running, condition(isTold)]);
  if (isTold()) scope.cancel();
  await running;
}
