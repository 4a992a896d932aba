import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import type { CampaignTestState, CampaignVariants } from '../../../../client/index.ts';
import { chance, leadWords, stateWords } from '../../../../console/pages/campaigns/campaign/variants/words.ts';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { expectAccessible, shoot, useConsole } from '../../../support/browser/console.ts';

const AT = { decideAt: '2026-12-01T13:20:00.000Z', giveUpAt: '2026-12-02T11:20:00.000Z' };
const MEASURING: CampaignTestState = { state: 'measuring', ...AT, winner: null };
const PLAN = { minPerVariant: 1, onTie: 'first' as const };
const FIGURES = [
  { total: 200, sent: 200, humanOpens: 80, humanClicks: 20, unsubscribes: 1, bounces: 2, events: 0 },
  { total: 200, sent: 200, humanOpens: 90, humanClicks: 24, unsubscribes: 0, bounces: 1, events: 0 },
];
const RATES = [
  { rate: 10, interval: { from: 6.6, to: 14.9 }, probabilityBest: 0.26 },
  { rate: 12, interval: { from: 8.2, to: 17.2 }, probabilityBest: 0.74 },
];

describe('The variants on the page of a campaign', () => {
  const suite = useConsole();
  let id: string;
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    const toLists = [(await client.post('/contact-lists', { name: 'Readers' })).body.data.id];
    const emailTemplate = '<h1>Only for you</h1><a href="{{unsubscribe}}">Unsubscribe</a>';
    const made = await client.post('/templates', { templateName: 'Other', templateType: 'marketing', emailTemplate });
    const { body } = await client.post('/campaigns', {
      ...{ name: 'Two mails', subject: 'It begins', htmlTemplate: '<h1>For all</h1>', toLists, publish: false },
      from: { email: 'news@mail.example.com' },
      variants: [{}, { subject: 'Only today', templateId: made.body.data.templateId }],
      test: { share: 20, metric: 'humanClicks', decideAfterMinutes: 120, minPerVariant: 400 },
      holdOutShare: 5,
    });
    id = body.data.id;
  });

  /** The page with another state of the test than that of a draft. */
  const stateOf = async (page: Page, test: CampaignTestState, more: Partial<CampaignVariants> = {}) => {
    const { data } = (await suite.own.client.get(`/campaigns/${id}/variants`)).body;
    const variants = data.variants.map((one: object, index: number) => ({
      ...one,
      ...FIGURES[index],
      ...RATES[index],
    }));
    const lead = { variantId: 'B', over: 'A', from: 1.2, to: 2.9 };
    const answer = { success: true, data: { ...data, variants, lead, test, holdOut: 104, ...more } };
    await page.route(/\/campaigns\/[0-9a-f]{24}\/variants$/, (route) => route.fulfill({ json: answer }));
    await page.reload();
    return answer;
  };
  const decision = (page: Page) => page.getByTestId('variants-decision');

  it('shows the mails of a draft and has no figures and no winner to choose yet', async () => {
    const page = await suite.open(`/campaigns/${id}`);
    await decision(page).getByText('Nobody has got one of them yet. The test has not begun.').waitFor();
    const [a, b] = ['A', 'B'].map((name) => page.getByRole('listitem', { name: `Mail ${name}` }));
    await a!.getByText('It begins').waitFor();
    await a!.frameLocator('iframe').getByText('For all').waitFor();
    await b!.getByText('Only today').waitFor();
    await b!.frameLocator('iframe').getByText('Only for you').waitFor();
    expect(await page.getByRole('button', { name: 'Choose mail A' }).count()).to.equal(0);
    await expectAccessible(page);
  });

  it('compares them, says when it is decided, and takes a choice by keyboard after a question', async () => {
    const page = await suite.open(`/campaigns/${id}`);
    const answer = await stateOf(page, MEASURING);
    await decision(page).getByText('B leads A by 1.2 to 2.9 points, and is the best with 74 % probability.').waitFor();
    expect(await decision(page).textContent()).to.match(
      /Decided from Tue 1 Dec.*, 14:20 on, when 400 people have each\. Until then the others wait\. If nothing is decided Wed 2 Dec.*, 12:20, they get A\./,
    );
    expect(await page.getByTestId('hold-out').textContent()).to.equal('104 people');
    const b = page.getByRole('listitem', { name: 'Mail B' });
    await b.getByRole('img', { name: /^B: the true rate is between 8\.2 % and 17\.2 %/ }).waitFor();
    await b.getByText('12.0 % people who clicked').waitFor();
    await b.getByText('200 of 200').waitFor();
    await b.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'variants-page');
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    const choose = page.getByRole('button', { name: 'Choose mail B' });
    await choose.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Everybody who waits gets mail B.').waitFor();
    // The campaign is a draft in truth: the refusal of the interface stays in the question.
    await dialog.getByRole('button', { name: 'Choose B' }).click();
    await dialog.getByText('A campaign that is draft').waitFor();
    const winner = { variantId: 'B' as const, by: 'person' as const, at: AT.decideAt };
    const decided = { ...answer.data, test: { ...MEASURING, state: 'decided', winner } };
    let asked: unknown = null;
    await page.route(/\/winner$/, (route) => {
      asked = route.request().postDataJSON();
      return route.fulfill({ json: { success: true, data: decided } });
    });
    await dialog.getByRole('button', { name: 'Choose B' }).click();
    await b.getByText('Winner').waitFor();
    expect(asked).to.deep.equal({ variantId: 'B' });
    await decision(page)
      .getByText(/B was chosen by hand, Tue 1 Dec.*, 14:20\. The others get it\./)
      .waitFor();
    expect(await choose.count()).to.equal(0);
  });

  it('sends a test of the mail that is pressed, or of another one that is chosen, and keeps what is typed', async () => {
    const page = await suite.open(`/campaigns/${id}`);
    const dialog = page.getByRole('dialog');
    const which = dialog.getByLabel('Which mail');
    const [addresses, send] = [
      dialog.getByLabel('To', { exact: true }),
      dialog.getByRole('button', { name: 'Send test' }),
    ];
    await page.getByRole('button', { name: 'Send a test of mail B' }).click();
    expect(await which.locator('option').allTextContents()).to.deep.equal(['A: It begins', 'B: Only today']);
    expect(await which.inputValue()).to.equal('B');
    await addresses.fill('nobody@@example');
    await send.click();
    await dialog.getByText('entry 1: must be an email address').waitFor();
    await expectAccessible(page);
    await shoot(page, 'variants-test-mail');
    await addresses.fill('ada@example.org');
    // Mails of one second are in any order.
    const sent = async (...subjects: string[]) => {
      await dialog.waitFor({ state: 'detached' });
      const { emails } = (await suite.own.client.get('/emails?search=ada')).body.data;
      expect(emails.map(({ subject }: { subject: string }) => subject)).to.have.members(subjects);
    };
    await send.click();
    await sent('[Test] Only today');
    await page.getByRole('button', { name: 'More for this campaign' }).click();
    await page.getByRole('menuitem', { name: 'Send a test mail…' }).click();
    expect(await which.inputValue()).to.equal('A');
    await addresses.fill('ada@example.org');
    await send.click();
    await sent('[Test] It begins', '[Test] Only today');
  });

  it('says that a held test waits for a person, and lets a viewer look only', async () => {
    const page = await suite.open(`/campaigns/${id}`, { role: 'viewer' });
    await stateOf(page, { ...MEASURING, state: 'held' });
    await page.getByText('The test waits for you').waitFor();
    const choose = page.getByRole('button', { name: 'Choose mail A' });
    expect(await choose.getAttribute('aria-disabled')).to.equal('true');
    const test = page.getByRole('button', { name: 'Send a test of mail A' });
    expect(await test.getAttribute('aria-disabled')).to.equal('true');
    await page.getByRole('listitem', { name: 'Mail B' }).frameLocator('iframe').getByText('Only for you').waitFor();
  });

  it('has the figure of people without a mail where all others get the same', async () => {
    const given = { name: 'Held out', subject: 'S', htmlTemplate: '<p>Hi</p>', publish: false, holdOutShare: 10 };
    const { body } = await suite.own.client.post('/campaigns', given);
    const page = await suite.open(`/campaigns/${body.data.id}`);
    await page.getByRole('heading', { name: 'People without a mail' }).waitFor();
    await page.getByText('Left without a mail: 0 people, 10 per cent of the audience.').waitFor();
    expect(await decision(page).count()).to.equal(0);
  });
});

describe('The words about variants', () => {
  const two = FIGURES.map((figures, index) => ({ ...figures, ...RATES[index]!, id: (['A', 'B'] as const)[index]! }));

  it('name no leader where there is none', () => {
    expect(leadWords({ lead: null, variants: two })).to.equal('None of them leads.');
    const unsent = two.map((one) => ({ ...one, sent: 0 }));
    expect(leadWords({ lead: null, variants: unsent })).to.equal('Nobody has got one of them yet.');
  });

  it('say by how much the better one leads, and that it may be chance', () => {
    const lead = { variantId: 'B', over: 'A', from: 1.2, to: 2.94 } as const;
    const words = 'B leads A by 1.2 to 2.9 points, and is the best with 74 % probability.';
    expect(leadWords({ lead, variants: two })).to.equal(words);
    const unsure = 'B is ahead of A, but the difference may be chance (-4.1 to 8.0 points).';
    expect(leadWords({ lead: { ...lead, from: -4.1, to: 8 }, variants: two })).to.equal(unsure);
  });

  it('are never certain', () => {
    expect([0, 0.004, 0.5, 0.996, 1].map(chance)).to.deep.equal(['< 1 %', '< 1 %', '50 %', '> 99 %', '> 99 %']);
  });

  it('say how each winner was found, and that a split has none', () => {
    const by = (how: 'figures' | 'tie') =>
      stateWords({ ...MEASURING, state: 'decided', winner: { variantId: 'A', by: how, at: AT.decideAt } }, PLAN);
    expect(by('figures')).to.include('A was chosen by its figures');
    expect(by('tie')).to.include('A was chosen because the figures did not decide');
    expect(stateWords(null, PLAN)).to.equal(null);
  });

  it('say what becomes of the others when nothing is decided, and that an ended campaign has no more to decide', () => {
    expect(stateWords(MEASURING, { ...PLAN, onTie: 'hold' })).to.match(/\d\d:20, they wait for your choice\.$/);
    expect(stateWords(MEASURING, PLAN, true)).to.equal('It ended before one was chosen.');
  });
});
