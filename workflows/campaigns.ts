import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities, CampaignRangeActivities } from '../activities/campaigns.ts';
import type { CampaignStep } from '../core/campaigns/run/next-step.ts';
import type { SendStep } from '../core/campaigns/run/sending-plan.ts';
import type { CampaignRange } from '../core/campaigns/send/range.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { type Control, onSignal, showState } from './control.ts';
import { signals } from './messages.ts';

interface CampaignSendInput {
  projectId: string;
  campaignId: string;
}

/** How often the run looks for deferred messages that are due, and for gradually released recipients. */
const LOOK_EVERY_MS = 5 * 60_000;
const HISTORY_MAX = 4_000;
const HELD_MS = 1_000;

/** Waits until the campaign is due, freezes its audience, sends it range by range, waits for deferred messages, and ends. */
export async function campaignSend(input: CampaignSendInput): Promise<{ status: string }> {
  let last: CampaignStep | null = null;
  const control = onSignal(signals.control, 'The campaign was changed: read it again.');
  showState(() => last, 'What the run is doing.');
  const { advanceCampaign } = activitiesOn<CampaignActivities>('background', {
    startToCloseTimeout: '2 minutes',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  });

  for (;;) {
    control.isSignalled = false;
    const summary = last ? `after: ${last.summary}` : 'looks at the campaign';
    const { details, ...step } = await advanceCampaign.executeWithOptions({ summary }, [input]);
    last = step;
    showAttributes({ State: step.status, Phase: step.kind });
    setCurrentDetails(details);
    if (step.kind === 'end') {
      if (!control.isSignalled) return { status: step.status };
    } else if (step.kind === 'park') await condition(() => control.isSignalled);
    else if (step.kind === 'wait')
      await condition(() => control.isSignalled, Math.max(1, step.waitMs), { summary: step.summary });
    else
      await unlessSignalled(control, () => (step.kind === 'freeze' ? freeze(input, step.summary) : send(input, step)));
    if (isLong()) await continueAsNew<typeof campaignSend>(input);
  }
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > HISTORY_MAX;
}

async function freeze(input: CampaignSendInput, summary: string): Promise<void> {
  const { freezeCampaignAudience } = activitiesOn<CampaignActivities>('background', {
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  });
  await freezeCampaignAudience.executeWithOptions({ summary }, [input]);
}

/** Several ranges are sent at the same time. A range that ran out of time resumes where it stopped. */
async function send(input: CampaignSendInput, step: SendStep): Promise<void> {
  const { sendCampaignPage } = activitiesOn<CampaignRangeActivities>('campaign', {
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '6 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  });
  const { pagesAtOnce } = step;
  const pages = pagesOf(step);
  const until = Date.now() + LOOK_EVERY_MS;
  let mayGoOn = true;
  let waitMs = 0;
  let ended = 0;
  const sendPages = async () => {
    let page = pages.next().value;
    while (page && mayGoOn && Date.now() < until && !isLong()) {
      const { fromSeq, toSeq, isDeferred } = page;
      const summary = isDeferred ? 'sends what was deferred' : `sends ${fromSeq} to ${toSeq}`;
      const result = await sendCampaignPage.executeWithOptions({ summary }, [{ ...input, ...page, pagesAtOnce }]);
      setCurrentDetails(result.details);
      mayGoOn &&= result.goOn;
      waitMs = Math.max(waitMs, result.waitMs);
      ended += result.ended;
      page = result.nextSeq === null ? pages.next().value : { ...page, fromSeq: result.nextSeq };
    }
  };
  await Promise.all(Array.from({ length: pagesAtOnce }, sendPages));
  if (waitMs > 0) await sleep(waitMs, { summary: 'the relay does not answer; tries again' });
  // The remaining recipients are claimed by another process.
  else if (ended === 0 && mayGoOn) await sleep(HELD_MS, { summary: 'looks again' });
}

type Page = Pick<CampaignRange, 'fromSeq' | 'toSeq' | 'isDeferred'>;

function* pagesOf({ fromSeq, toSeq, pageSize, deferredUpTo }: SendStep): Generator<Page, undefined> {
  if (deferredUpTo !== null) yield { fromSeq: 0, toSeq: deferredUpTo, isDeferred: true };
  for (let from = fromSeq; from <= toSeq; from += pageSize)
    yield { fromSeq: from, toSeq: Math.min(toSeq, from + pageSize - 1), isDeferred: false };
  return undefined;
}

/** A decision ends the current work at once; senders see it with their next claim, whether or not the signal arrived. */
async function unlessSignalled(control: Control, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const scope = new CancellationScope();
  const running = scope
    .run(work)
    .catch((error) => {
      if (!scope.consideredCancelled || !isCancellation(error)) throw error;
    })
    .finally(() => {
      isOver = true;
    });
  await Promise.race([running, condition(() => isOver || control.isSignalled)]);
  if (!isOver) scope.cancel();
  await running;
}
