import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { MetricsStep } from '../../core/campaigns/run/metrics.ts';
import type { CampaignStep } from '../../core/campaigns/run/next-step.ts';
import type { RangeResult } from '../../core/campaigns/send/range.ts';
import { signals } from '../../workflows/messages.ts';
import { until } from '../support/wait.ts';
import type { Scenario } from '../workflows/scenarios.ts';

const run = { projectId: '0123456789abcdef01234567', campaignId: '89abcdef0123456789abcdef' };
const attributes = { ProjectId: run.projectId, CampaignId: run.campaignId, State: 'scheduled', Phase: 'start' };

type Sending = Extract<CampaignStep, { kind: 'send' }>;
const freeze: CampaignStep = { kind: 'freeze', status: 'sending', summary: 'writes down the audience' };
const send = (fields: Partial<Sending> = {}): CampaignStep => ({
  kind: 'send',
  status: 'sending',
  fromSeq: 1,
  toSeq: 2_500,
  pageSize: 1_000,
  pagesAtOnce: 2,
  deferredUpTo: null,
  summary: 'sends',
  ...fields,
});
const wait = (
  status: 'scheduled' | 'sending' | 'sending_gradual' | 'paused',
  waitMs: number,
  summary: string,
): CampaignStep => ({
  kind: 'wait',
  status,
  waitMs,
  summary,
});
const parked: CampaignStep = { kind: 'park', status: 'paused', summary: 'Paused: Paused by a call.' };
const end = (status: 'sent' | 'aborted' | 'failed'): CampaignStep => ({
  kind: 'end',
  status,
  summary: `The campaign is ${status}.`,
});
const page = (fields: Partial<RangeResult> = {}): RangeResult => ({
  goOn: true,
  nextSeq: null,
  waitMs: 0,
  ended: 1_000,
  details: '**sending**',
  ...fields,
});

/** `steps` and `pages`: each answer in turn; a page that is no answer takes until it is cancelled. */
function campaignScenario(
  name: string,
  { steps, pages = [] }: { steps: CampaignStep[]; pages?: Array<RangeResult | 'long'> },
  meanwhile: (handle: WorkflowHandle) => Promise<void> = async () => undefined,
): Scenario {
  const answers = { steps: [...steps], pages: [...pages] };
  return {
    type: 'campaignSend',
    name,
    activities: {
      advanceCampaign: async () => ({ ...answers.steps.shift(), details: `**${name}**` }),
      freezeCampaignAudience: async () => undefined,
      sendCampaignPage: async () => {
        const answer = answers.pages.shift() ?? page();
        if (answer !== 'long') return answer;
        await pause(2_000);
        return page({ goOn: false });
      },
    },
    async run(stage) {
      const handle = await stage.start('campaignSend', stage.newId(`campaign-${name}`), [run], attributes);
      await meanwhile(handle);
      await handle.result();
      return handle;
    },
  };
}

function metricsScenario(name: string, steps: MetricsStep[]): Scenario {
  const answers = [...steps];
  return {
    type: 'metricsRefresh',
    name,
    activities: { refreshCampaignMetrics: async () => answers.shift() },
    async run(stage) {
      const handle = await stage.start('metricsRefresh', stage.newId(`metrics-${name}`), [run], {
        ...attributes,
        State: 'running',
        Phase: 'metrics',
      });
      await handle.result();
      return handle;
    },
  };
}

/** When the run does this, it gets the signal `decided`. */
function tellWhen(...kinds: string[]) {
  return async (handle: WorkflowHandle) => {
    for (const kind of kinds) {
      await until(
        () => handle.query<CampaignStep | null>('state'),
        (step) => step?.kind === kind,
      );
      await pause(300);
      await handle.signal(signals.control);
    }
  };
}

export const campaignScenarios: Scenario[] = [
  campaignScenario('immediate', { steps: [freeze, send(), end('sent')] }),
  campaignScenario('scheduled', { steps: [wait('scheduled', 300, 'starts at noon'), freeze, send(), end('sent')] }),
  campaignScenario(
    'rescheduled',
    {
      steps: [
        wait('scheduled', 600_000, 'starts at noon'),
        wait('scheduled', 200, 'starts now'),
        freeze,
        send(),
        end('sent'),
      ],
    },
    tellWhen('wait'),
  ),
  campaignScenario('gradual', {
    steps: [
      { ...freeze, status: 'sending_gradual' },
      ...[1, 2, 3].flatMap((slice) => [
        send({ status: 'sending_gradual', fromSeq: slice * 10, toSeq: slice * 10 + 9 }),
        wait('sending_gradual', 200, 'next slice at noon'),
      ]),
      end('sent'),
    ],
  }),
  campaignScenario(
    'paused-and-resumed',
    { steps: [freeze, send(), parked, send({ fromSeq: 1_200 }), end('sent')], pages: ['long', 'long'] },
    tellWhen('send', 'park'),
  ),
  campaignScenario(
    'paused-while-held',
    { steps: [send(), wait('paused', 200, '3 are with the relay'), parked, end('aborted')] },
    tellWhen('park'),
  ),
  campaignScenario('aborted', { steps: [freeze, send(), end('aborted')], pages: ['long', 'long'] }, tellWhen('send')),
  campaignScenario('failed', { steps: [freeze, end('failed')] }),
  campaignScenario('deferred', {
    steps: [
      freeze,
      send(),
      wait('sending', 200, 'some are deferred'),
      send({ fromSeq: 1, toSeq: 0, deferredUpTo: 2_500 }),
      end('sent'),
    ],
  }),
  campaignScenario('relay-away', {
    steps: [send(), send(), end('sent')],
    pages: [page({ goOn: false, waitMs: 200, nextSeq: 1, ended: 64 }), page({ goOn: false, waitMs: 200, ended: 0 })],
  }),
  campaignScenario('cut-short', {
    steps: [send({ pagesAtOnce: 1 }), end('sent')],
    pages: [page({ nextSeq: 400 }), page({ nextSeq: 800 }), page()],
  }),
  campaignScenario('held-by-others', { steps: [send({ toSeq: 10 }), end('sent')], pages: [page({ ended: 0 })] }),
  metricsScenario('refreshed-until-final', [
    { status: 'sending', nextMs: 200, details: '**sending**' },
    { status: 'sent', nextMs: 200, details: '**sent**' },
    { status: 'sent', nextMs: null, details: '**sent**' },
  ]),
  metricsScenario('deleted', [{ status: 'deleted', nextMs: null, details: 'The campaign was deleted.' }]),
];
