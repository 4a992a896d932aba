import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { draftOf } from '../../../../console/pages/campaigns/editor/draft.ts';
import { planOf, planWords } from '../../../../console/pages/campaigns/editor/variants/words.ts';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../../support/browser/console.ts';
import { until } from '../../../support/wait.ts';

const SENDER = 'news@mail.example.com';
const PEOPLE = 40;

describe('The variants in the campaign editor', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { own, deps } = suite;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    listId = (await own.client.post('/contact-lists', { name: 'Readers' })).body.data.id;
    for (let n = 0; n < PEOPLE; n += 1)
      await own.client.post('/contacts', { email: `p${n}@in.test`, listIds: [listId] });
    const emailTemplate = '<h1>Hello</h1><a href="{{unsubscribe}}">Unsubscribe</a>';
    for (const templateName of ['Winter', 'Summer'])
      await own.client.post('/templates', { templateName, templateType: 'marketing', emailTemplate });
    await own.client.post('/events', { name: 'bought' });
  });

  const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click();
  const stored = async (name: string) => {
    const { campaigns } = (await suite.own.client.get(`/campaigns?search=${name}`)).body.data;
    return campaigns[0];
  };
  /** A saved draft that lacks nothing but variants. */
  const draft = async (name: string, fields: object = {}) => {
    const htmlTemplate = '<p>Hello</p><a href="{{unsubscribe}}">Unsubscribe</a>';
    const given = { name, subject: 'It begins', htmlTemplate, from: { email: SENDER }, toLists: [listId] };
    return (await suite.own.client.post('/campaigns', { ...given, publish: false, ...fields })).body.data.id as string;
  };

  it('that are not whole yet are not said to be saved: they are kept in the browser until they are', async () => {
    const id = await draft('Halves');
    const page = await suite.open(`/campaigns/${id}/edit`);
    await field(page, 'How many mails').selectOption('2');
    await field(page, 'Per cent of the people for the test').fill('44');
    await save(page);
    await page.getByText('Saved Halves, without its variants', { exact: true }).waitFor();
    await page.getByText(/^Saved (?!Halves).*, without its variants$/).waitFor();
    expect((await stored('Halves')).variants).to.deep.equal([]);
    page.on('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.getByText('Say what differs in B', { exact: true }).waitFor();
    expect(await field(page, 'Per cent of the people for the test').inputValue()).to.equal('44');
    await field(page, 'Subject of B').fill('Only today');
    await save(page);
    await page.getByText('Saved Halves', { exact: true }).waitFor();
    expect((await stored('Halves')).variants).to.have.length(2);
  });

  it('are made by keyboard, said in a sentence, kept, and shown again', async () => {
    const id = await draft('Keyboard');
    const page = await suite.open(`/campaigns/${id}/edit`);
    await field(page, 'How many mails').focus();
    await page.keyboard.press('T');
    await page.getByText('Say what differs in B', { exact: true }).waitFor();
    const publish = page.getByRole('button', { name: 'Publish…' });
    expect(await publish.getAttribute('title')).to.equal('Say what differs in B. Then you can publish.');
    expect(await field(page, 'Subject of A').getAttribute('placeholder')).to.equal('It begins');
    await field(page, 'Subject of B').focus();
    await page.keyboard.type('Only today');
    await pickFound(field(page, 'Template of B'), 'Summer');
    await field(page, 'Per cent who get nothing').fill('10');
    await field(page, 'Per cent of the people for the test').fill('50');
    const plan = page.getByTestId('variants-plan');
    await plan.getByText('About 4 people get nothing. 9 people get A, 9 people get B.').waitFor();
    expect(await plan.textContent()).to.include(
      '2 hours after the last of them, and once 100 people have each, the mail that does better by clicks goes to the other 18 people.',
    );
    await page.getByText('One variant reaches only 9 people, and you want 100 people for each.').waitFor();
    await field(page, 'Not before each mail has reached').fill('9');
    await page.getByText('The figures cannot decide').waitFor({ state: 'detached' });
    await field(page, 'If they have not decided by then').selectOption('hold');
    await plan.getByText('they wait until you choose.').waitFor();
    await page.locator('.variants').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'variants-editor');
    await save(page);
    const saved = await until(
      () => stored('Keyboard'),
      ({ test }) => test?.onTie === 'hold',
    );
    expect(saved).to.deep.include({
      holdOutShare: 10,
      test: {
        ...{ share: 50, metric: 'humanClicks', decideAfterMinutes: 120, minPerVariant: 9 },
        ...{ giveUpAfterMinutes: 1_440, onTie: 'hold' },
      },
    });
    const [a, b] = saved.variants;
    expect([a.subject, a.templateId, b.subject]).to.deep.equal([null, null, 'Only today']);
    await page.reload();
    await until(
      () => field(page, 'Template of B').inputValue(),
      (text) => text.startsWith('Summer'),
    );
    expect(await field(page, 'Subject of B').inputValue()).to.equal('Only today');
    expect(await field(page, 'Per cent who get nothing').inputValue()).to.equal('10');
    await publish.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/About 4 people get nothing\. .* It goes out, beginning at once\./).waitFor();
    await dialog.getByRole('button', { name: 'Send to about 36 people' }).waitFor();
  });

  it('have mails of their own, begun with that of the campaign, kept by themselves, and taken out again', async () => {
    const blocks = [
      { id: 'words', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text: 'For all.' }] }] },
      { id: 'end', type: 'footer', unsubscribe: 'Leave' },
    ];
    const id = await draft('Written', { htmlTemplate: undefined, content: { v: 1, blocks } });
    const page = await suite.open(`/campaigns/${id}/edit`);
    await field(page, 'How many mails').selectOption('2');
    const write = page.getByRole('button', { name: 'Write mail B' });
    await write.click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[data-id="words"] p').click({ clickCount: 3 });
    await page.keyboard.type('For some.');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Mail of B, written here').waitFor();
    const textOf = async () => {
      const [, { templateId }] = (await stored('Written')).variants;
      const { body } = await suite.own.client.get(`/templates/${templateId}`);
      return body.data?.editorJson?.blocks[0].nodes[0].spans[0].text;
    };
    await until(
      () => stored('Written'),
      ({ variants }) => variants[1]?.templateId != null,
    );
    await until(textOf, (text) => text === 'For some.');
    await page.getByText('Mail of B, written here').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'variants-own-mail');

    await page.reload();
    await write.click();
    await dialog.getByText('For some.').waitFor();
    await dialog.locator('[data-id="words"] p').click({ clickCount: 3 });
    await page.keyboard.type('For a few.');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await until(textOf, (text) => text === 'For a few.');
    await field(page, 'Subject of B').fill('Only today');

    await page.getByRole('button', { name: 'Take mail B out…' }).click();
    await dialog.getByRole('button', { name: 'Take it out' }).click();
    await field(page, 'Template of B').waitFor();
    await save(page);
    const after = await until(
      () => stored('Written'),
      ({ variants }) => variants[1]?.templateId === null,
    );
    expect(after.variants[1].subject).to.equal('Only today');
    expect(after.template.editorJson.blocks[0].nodes[0].spans[0].text).to.equal('For all.');
  });

  it('have the refusals of the interface at their fields, and nothing typed is lost', async () => {
    const id = await draft('Refused', { trackingClick: false });
    const page = await suite.open(`/campaigns/${id}/edit`);
    await field(page, 'How many mails').selectOption('2');
    await field(page, 'Subject of B').fill('It begins');
    const faulty = async (name: string, text: string | RegExp) => {
      await save(page);
      const box = page.locator('.field', { has: page.locator(`[name="${name}"][aria-invalid]`) });
      await box.locator('.t-bad', { hasText: text }).waitFor();
    };
    await save(page);
    await page.getByRole('listitem', { name: 'Mail B' }).getByText('is the same as variant A').waitFor();
    await field(page, 'Subject of B').fill('{{#if}}');
    await faulty('variants/1/subject', /./);
    await field(page, 'Subject of B').fill('Only today');
    await faulty('test/metric', 'needs trackingClick');
    await field(page, 'The better one has more').selectOption('humanOpens');
    await field(page, 'Per cent who get A').fill('60');
    await faulty('variants/1/share', 'is required');
    await field(page, 'Per cent who get B').fill('39');
    await faulty('variants', 'shares add up to 99');
    await field(page, 'Per cent who get B').fill('40');
    for (const [label, name, bad, good] of [
      ['Per cent who get A', 'variants/0/share', 'many', '60'],
      ['Per cent of the people for the test', 'test/share', '100', '20'],
      ['Not before each mail has reached', 'test/minPerVariant', '', '100'],
      ['Per cent who get nothing', 'holdOutShare', '91', '0'],
      ['B is from', 'variants/1/from/email', 'nobody', ''],
    ] as const) {
      await field(page, label).fill(bad);
      await faulty(name, /./);
      await field(page, label).fill(good);
    }
    await field(page, 'The figures have time until').selectOption('60');
    await faulty('test/giveUpAfterMinutes', 'is less than decideAfterMinutes');
    expect((await stored('Refused')).variants).to.deep.equal([]);
    await field(page, 'The figures have time until').selectOption('1440');
    await save(page);
    const { variants } = await until(
      () => stored('Refused'),
      (saved) => saved.variants.length === 2,
    );
    expect(variants.map(({ share }: { share: number }) => share)).to.deep.equal([60, 40]);
  });

  it('are taken away one by one at 375 px, and become a split', async () => {
    const variants = [{}, { subject: 'Only today' }, { subject: 'Last call' }];
    const test = { share: 20, metric: 'event:bought', decideAfterMinutes: 90, minPerVariant: 5 };
    const id = await draft('Narrow', { variants, test });
    const page = await suite.open(`/campaigns/${id}/edit`, { width: 375 });
    await until(
      () => field(page, 'Event').inputValue(),
      (text) => text === 'bought',
    );
    expect(await field(page, 'Decided, after the last mail of the test').inputValue()).to.equal('90');
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    await page.getByRole('button', { name: 'Remove mail B' }).focus();
    await page.keyboard.press('Enter');
    await until(
      () => field(page, 'Subject of B').inputValue(),
      (text) => text === 'Last call',
    );
    expect(await page.evaluate('document.activeElement.name')).to.equal('variants');
    await page.getByRole('radio', { name: 'Everybody gets one of them, in shares' }).check();
    await page.getByTestId('variants-plan').getByText('20 people get A, 20 people get B.', { exact: true }).waitFor();
    await expectAccessible(page);
    await save(page);
    const saved = await until(
      () => stored('Narrow'),
      ({ test: now }) => now === null,
    );
    expect(saved.variants.map(({ subject }: { subject: string | null }) => subject)).to.deep.equal([null, 'Last call']);
    await page.getByRole('button', { name: 'Remove mail A' }).click();
    await page.getByRole('listitem', { name: 'Mail B' }).waitFor({ state: 'detached' });
    await save(page);
    await until(
      () => stored('Narrow'),
      (now) => now.variants.length === 0,
    );
  });

  it('are shown to a viewer and not changed', async () => {
    const id = await draft('Read', { variants: [{}, { subject: 'Only today' }], holdOutShare: 5 });
    const page = await suite.open(`/campaigns/${id}/edit`, { role: 'viewer' });
    expect(await field(page, 'Subject of B').getAttribute('readonly')).to.not.equal(null);
    expect(await field(page, 'How many mails').isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Remove mail B' }).count()).to.equal(0);
  });
});

describe('The plan of variants', () => {
  const three = { ...draftOf(null), variants: '3' };

  it('gives everybody one place, whatever the shares', () => {
    for (const people of [0, 1, 2, 3, 10, 1_999])
      for (const holdOutShare of ['0', '5', '90']) {
        const plan = planOf({ ...three, holdOutShare, 'test/share': '20' }, people)!;
        expect(plan.holdOut + plan.rest + plan.each.reduce((sum, n) => sum + n, 0)).to.equal(people);
      }
    const shares = { 'variants/0/share': '10', 'variants/1/share': '20', 'variants/2/share': '70' };
    expect(planOf({ ...three, ...shares, comparing: 'split' }, 1_000)?.each).to.deep.equal([100, 200, 700]);
  });

  it('is not said of numbers that cannot be read', () => {
    expect(planOf({ ...three, holdOutShare: 'some' }, 100)).to.equal(null);
    expect(planOf({ ...three, 'test/share': '101' }, 100)).to.equal(null);
    expect(planOf({ ...three, 'variants/0/share': 'x' }, 100)).to.equal(null);
  });

  it('names the clock where the campaign has a time', () => {
    const draft = { ...three, when: 'scheduled' as const, scheduledAt: '2026-12-01T12:20' };
    expect(planWords(draft, planOf(draft, 2_000)!)).to.match(/From about Tue 1 Dec.*, 14:20 on/);
  });
});
