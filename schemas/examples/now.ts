import { answerExamples } from './answers.ts';
import { at, ids, later } from './ids.ts';

/** Examples of the figures of a moment, by the name of the component. */

const outcomes = {
  ...{ accepted: 312_940, sent: 211_482, delivered: 209_917, bounced: 644, deferred: 214, complained: 9 },
  ...{ opened: 31_206, humanOpened: 27_411, clicked: 4_377 },
};
const day = {
  ...{ timezone: 'Europe/Berlin', from: '2026-03-01T23:00:00.000Z', to: '2026-03-02T23:00:00.000Z' },
  since: '2026-01-01T00:00:00.000Z',
  ...outcomes,
};
const parts = {
  lanes: [
    {
      ...{ lane: 'transactional', waiting: 3, isExact: true, inFlight: 2, oldestSeconds: 0.2 },
      ...{ ratePerSecond: 15.4, acceptedToRelayP95Ms: 180 },
    },
  ],
  relay: {
    ...{ state: 'answering', notAnsweringSince: null, answerP95Ms: 84, sentLastHour: 150_811, deferredLastHour: 214 },
    ...{ reason: null, host: 'relay.example.com:587', connections: { used: 12, allowed: 16 } },
  },
  attention: [
    {
      ...{ kind: 'campaign', id: ids.campaign, name: 'Reading list', since: at, count: 39_477 },
      sentence: 'Paused: 122 of 2400 sent were bounced (5.08 %), above the 5 % of the balanced preset',
    },
  ],
  campaigns: [
    {
      ...{ id: ids.campaign, name: 'March news', status: 'sending', sendMode: 'immediate', total: 1_204 },
      ...{ percent: 53.41, sent: 640, pending: 561, ratePerSecond: 16.4, etaSeconds: 35, nextAt: null },
      ...{ pausedReason: null, day: null },
    },
  ],
};
const points = [{ at, transactional: 76, automation: 140, campaign: 2_060 }];
const campaignPoints = [{ at, sent: 2_060, opened: 241, clicked: 35 }];
const connections = { used: 12, allowed: 16 };

export const nowExamples: Record<string, unknown> = {
  ProjectNow: {
    at: later,
    rates: { stepSeconds: 5, points },
    today: { ...day, hours: [{ from: day.from, to: '2026-03-02T00:00:00.000Z', ...outcomes }] },
    ...parts,
  },
  ProjectSummary: { at: later, rates: { stepSeconds: 5, points }, today: [day], ...parts },
  CampaignRates: { stepSeconds: 5, points: campaignPoints },
  LiveCampaignProgress: {
    campaignId: ids.campaign,
    name: 'March news',
    ...(answerExamples.CampaignProgress as object),
    ...{ opened: 241, humanOpened: 198, clicked: 35, spamReported: 0, unsubscribed: 1 },
    ...{ sentPerSecond: 16.4, openedPerSecond: 4.2, clickedPerSecond: 0.6, points: campaignPoints },
  },
  HealthDetails: {
    ...{ at: later, version: '0.1.0', mongodb: 'up', redis: 'up', temporal: 'up', temporalUrl: null },
    processes: [
      {
        ...{ id: '7f0c7f0e-6f0a-4f0e-8a52-53b0a3a1c2d4', roles: ['campaign', 'mail'], version: '0.1.0' },
        ...{ startedAt: at, seenAt: later, memoryBytes: 168_000_000, jobs: 1, held: 64, unwritten: 12, connections },
      },
    ],
    relays: [
      {
        ...{ route: 'default', host: 'relay-a.example.com:587', priority: 0, weight: 3, state: 'answering' },
        ...{ notAnsweringSince: null, reason: null, connections: 9, taken: 41_290 },
      },
      {
        ...{ route: 'default', host: 'relay-b.example.com:587', priority: 0, weight: 1, state: 'not_answering' },
        ...{ notAnsweringSince: at, reason: '421 4.3.2 shutting down', connections: 0, taken: 13_755 },
      },
    ],
    budgets: [
      {
        ...{ name: 'connections default', unit: 'connections', budget: 64, shared: 64, inUse: 54, wanted: 68 },
        mode: 'shared',
        processes: [
          { id: '7f0c7f0e-6f0a-4f0e-8a52-53b0a3a1c2d4', roles: ['campaign'], share: 52, inUse: 52, wanted: 64 },
          { id: '0f9b8c54-2f3e-4a56-9a2f-7f3f1f1f9d10', roles: ['mail'], share: 12, inUse: 2, wanted: 4 },
        ],
      },
    ],
    inbound: {
      ...{ from: '2026-07-01T00:00:00.000Z', to: '2026-07-02T00:00:00.000Z' },
      project: { bytes: 731_402_118, bytesMax: 2_048_000_000, putOff: 0 },
      networks: [{ network: '203.0.113.7', bytes: 511_993_204, bytesMax: 512_000_000, putOff: 16 }],
    },
    jobs: [{ name: 'webhook deliveries', waiting: 48, isExact: true, oldestSeconds: 310 }],
  },
};
