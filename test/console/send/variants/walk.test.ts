import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { startWorkers, type Workers } from '../../../../workers/start.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../../support/browser/console.ts';
import { type Sink, startSink } from '../../../support/mail/smtp-sink.ts';

const SENDER = 'news@mail.example.com';
const PEOPLE = 20;
const SENDS_MS_MAX = 120_000;

describe('A campaign with two mails', function () {
  this.timeout(300_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  const suite = useConsole(async () => {
    sink = await startSink({ keepRaw: PEOPLE });
    return { SMTP_URL: sink.url, WORKER_PROCESSES: '1' };
  });
  before(async () => {
    const { own, deps } = suite;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    const list = (await own.client.post('/contact-lists', { name: 'Readers' })).body.data.id;
    for (let n = 0; n < PEOPLE; n += 1) await own.client.post('/contacts', { email: `p${n}@in.test`, listIds: [list] });
    const emailTemplate = '<h1>Hello</h1><a href="{{unsubscribe}}">Unsubscribe</a>';
    const template = { templateName: 'Winter', templateType: 'marketing', emailTemplate };
    expect((await own.client.post('/templates', template)).status).to.equal(201);
    workers = startWorkers(deps, ['workflows', 'background', 'campaign']);
    await workers.ready;
  });
  after(async () => {
    await workers?.stop();
    await sink?.close();
  });

  it('goes to some people with each of them, and to all others with the one that a person chooses', async () => {
    const page = await suite.open('/campaigns/new');
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field('Name of the campaign').fill('Which subject');
    await field('From').fill(SENDER);
    await field('Subject').fill('It begins');
    await pickFound(page.getByLabel('Template', { exact: true }), 'Winter');
    await pickFound(page.getByLabel('Add a list or a segment'), 'Readers');
    await field('How many mails').selectOption('2');
    await field('Subject of B').fill('Only today');
    await field('Per cent of the people for the test').fill('40');
    await page.getByTestId('variants-plan').getByText('4 people get A, 4 people get B.').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: `Send to ${PEOPLE} people` }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    const decision = page.getByTestId('variants-decision');
    await decision.getByText('None of them leads.').waitFor({ timeout: SENDS_MS_MAX });
    const mail = (name: string) => page.getByRole('listitem', { name: `Mail ${name}` });
    for (const name of ['A', 'B']) await mail(name).getByText('4 of 4').waitFor();
    expect(arrived()).to.deep.equal({ 'It begins': 4, 'Only today': 4 });
    await mail('B').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'variants-measured');
    await page.getByRole('button', { name: 'Choose mail B' }).click();
    await dialog.getByRole('button', { name: 'Choose B' }).click();
    await mail('B').getByText('Winner').waitFor();
    await page
      .getByTestId('sent')
      .filter({ hasText: `${PEOPLE}` })
      .waitFor({ timeout: SENDS_MS_MAX });
    expect(arrived()).to.deep.equal({ 'It begins': 4, 'Only today': 16 });
    expect(sink?.ledger.duplicates).to.equal(0);
    await shoot(page, 'variants-decided');
  });

  /** By subject, as the relay got them. */
  function arrived(): Record<string, number> {
    const found: Record<string, number> = {};
    for (const { raw } of sink?.ledger.messages ?? []) {
      const subject = /^Subject: (.*)\r?$/m.exec(raw ?? '')?.[1] ?? '';
      found[subject] = (found[subject] ?? 0) + 1;
    }
    return found;
  }
});
