import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Locator, Page } from 'playwright-core';
import { ensureState } from '../../core/figures/reports/state.ts';
import { countHappened } from '../reports/support.ts';
import { useConsole } from '../support/browser/console.ts';
import { made } from '../support/client.ts';
import { until } from '../support/wait.ts';

const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const written = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

describe('The figures of a page', () => {
  const suite = useConsole();
  let campaignId: string;
  before(async () => {
    const { own, deps } = suite;
    await ensureState(deps, own.project._id);
    const emails = Array.from({ length: 12 }, (_, index) => `reader${index}@in.test`);
    for (const [name, some] of [
      ['Readers', emails],
      ['Few', emails.slice(0, 5)],
    ] as const) {
      const { id } = await made(own.client, '/contact-lists', { name });
      await made(own.client, '/contact-lists/contacts/bulk-add', { contactListId: id, emails: some });
    }
    const mail = { name: 'Winter', subject: 'Snow', htmlTemplate: '<p>Snow</p>' };
    campaignId = (await made(own.client, '/campaigns', mail)).id;
    await countHappened(suite, own, { sent: 1_900, bounced: 9, complained: 4, opened: 450, campaignId, hoursAgo: 0 });
    const people = { totalContacts: 2_000, suppressed: 50, sent: 1_900, bounced: 9, failed: 50 };
    const acts = { opened: 450, humanOpened: 300, clicked: 120 };
    const zero = { unknown: 0, pending: 0, unsubscribed: 0, spamReported: 4 };
    await deps.db.campaigns.updateOne(
      { _id: new ObjectId(campaignId), projectId: own.project._id },
      { $set: { status: 'sent', sentAt: new Date(), startedAt: new Date(), counts: { ...people, ...acts, ...zero } } },
    );
  });

  const get = async (path: string) => (await suite.own.client.get(path)).body.data;
  const tile = (page: Page) => (label: string) =>
    page.locator('.tile', { hasText: new RegExp(`^${label}`) }).locator('.value');

  /** Each figure of the page and of the interface at the same moment, until they are equal. */
  async function expectSame(
    place: (label: string) => Locator,
    asked: () => Promise<Record<string, number>>,
  ): Promise<Record<string, number>> {
    const both = await until(
      async () => {
        const figures = await asked();
        const shown: Record<string, string | null> = {};
        for (const label of Object.keys(figures)) shown[label] = await place(label).first().textContent();
        const wanted = Object.fromEntries(Object.entries(figures).map(([name, n]) => [name, written.format(n)]));
        return { figures, wanted, shown };
      },
      ({ wanted, shown }) => JSON.stringify(wanted) === JSON.stringify(shown),
      { ms: 30_000 },
    );
    return both.figures;
  }

  it('are those of the interface on Now', async () => {
    const page = await suite.open('/');
    const { Sent, Bounced } = await expectSame(tile(page), async () => {
      const { accepted, sent, delivered, bounced, complained, opened, clicked } = (
        await get(`/reports/now?timezone=${ZONE}`)
      ).today;
      return {
        Accepted: accepted,
        Sent: sent,
        Delivered: delivered,
        Bounced: bounced,
        Complaints: complained,
        Opened: opened,
        Clicked: clicked,
      };
    });
    expect([Sent, Bounced]).to.deep.equal([1_900, 9]);
  });

  it('are those of the interface on the reports', async () => {
    const page = await suite.open('/reports');
    const { Sent } = await expectSame(tile(page), async () => {
      const to = new Date();
      const from = new Date(to.getTime() - 29 * DAY_MS);
      const query = `interval=day&timezone=${ZONE}&from=${from.toISOString()}&to=${to.toISOString()}`;
      const { points } = await get(`/reports/series?${query}`);
      const sum = (name: string) =>
        points.reduce((all: number, point: Record<string, number>) => all + (point[name] ?? 0), 0);
      return {
        Sent: sum('sent'),
        Delivered: sum('delivered'),
        'Opened by people': sum('humanOpened'),
        Bounced: sum('bounced'),
      };
    });
    expect(Sent).to.equal(1_900);
  });

  it('are those of the interface in the list of campaigns', async () => {
    const page = await suite.open('/campaigns');
    const row = page.getByRole('row', { name: /^Winter/ });
    const { Sent } = await expectSame(
      () => row.getByRole('cell').nth(4),
      async () => ({ Sent: (await get('/campaigns')).campaigns[0].metrics.sent }),
    );
    expect(Sent).to.equal(1_900);
  });

  it('are those of the interface on contacts and lists', async () => {
    const page = await suite.open('/contacts');
    const { People } = await expectSame(
      () => page.locator('.head .dim'),
      async () => ({ People: (await get('/contacts')).pagination.total }),
    );
    expect(People).to.equal(12);
    await page.getByRole('link', { name: 'Lists and segments' }).click();
    const { Few } = await expectSame(
      (name) =>
        page
          .getByRole('row', { name: new RegExp(`^${name}`) })
          .getByRole('cell')
          .nth(1),
      async () => {
        const { lists } = await get('/contact-lists');
        return Object.fromEntries(
          lists.map(({ name, contactCount }: { name: string; contactCount: number }) => [name, contactCount]),
        );
      },
    );
    expect(Few).to.equal(5);
  });
});
