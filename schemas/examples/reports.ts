import { at, later } from './ids.ts';

/** Examples of reports, by the name of the component. */

const counts = {
  ...{
    accepted: 1_207,
    sent: 1_204,
    delivered: 1_200,
    opened: 480,
    humanOpened: 391,
    clicked: 122,
    bounced: 4,
    deferred: 9,
  },
  ...{ complained: 0, unsubscribed: 2 },
};
const judged = {
  ...{ sent: 1_204, delivered: 1_174, bounced: 30, complained: 0 },
  ...{ bounceRate: 2.49, complaintRate: 0, status: 'over' },
};
const since = '2026-01-01T00:00:00.000Z';

export const reputation = { status: 'over', last24Hours: judged, last7Days: judged };
export const reputationLimits = { complaintWarning: 0.1, complaintLimit: 0.3, bounceLimit: 2 };

const clicked = {
  ...{ position: 2, url: 'https://shop.example.com/sale?customer={{userId}}' },
  ...{ clicks: 140, people: 122, humanPeople: 97 },
};
const links = { since, other: { clicks: 0, people: 0, humanPeople: 0 } };

export const reportExamples: Record<string, unknown> = {
  CampaignLinks: { ...links, links: [clicked] },
  TemplateLinks: { ...links, links: [{ ...clicked, isCurrent: true }] },
  AutomationLinks: { ...links, links: [{ stepId: 'welcome', ...clicked, isCurrent: true }] },
  Series: {
    interval: 'day',
    timezone: 'Europe/Berlin',
    from: '2026-03-01T23:00:00.000Z',
    to: '2026-03-02T23:00:00.000Z',
    since,
    by: null,
    value: null,
    points: [{ from: '2026-03-01T23:00:00.000Z', to: '2026-03-02T23:00:00.000Z', ...counts }],
  },
  ProvidersReport: {
    from: at,
    to: later,
    since,
    providers: [
      {
        ...{ id: 'google', name: 'Google', ...counts },
        ...{ openRate: 40, humanOpenRate: 32.58, bounceRate: 0.33, complaintRate: 0 },
        deferralReplies: [{ reply: '421 4.7.28', text: 'Our system has detected an unusual rate of mail', count: 9 }],
      },
    ],
  },
  ReputationReport: {
    at: later,
    since,
    limits: reputationLimits,
    note: 'Complaints are those that reach this server as feedback reports.',
    project: reputation,
    domains: [{ domain: 'example.com', ...reputation }],
  },
};
