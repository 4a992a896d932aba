import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { asProperty, guess, readHeader, withNames } from '../../console/pages/imports/columns.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { SENDER } from '../delivery/support.ts';
import { expectAccessible, shoot, useConsole } from '../support/console.ts';

const csv = `E-Mail;Vorname;Plan of today;Internal
ada@harbour.example;Ada;gold;1
not an address;Bo;free;2
cleo@harbour.example;"Cleo; the first";free;3
`;

describe('The page of imports', () => {
  const suite = useConsole();
  let workers: Workers;
  before(async () => {
    workers = startWorkers(suite.deps, ['workflows', 'background']);
    await workers.ready;
  });
  after(() => workers?.stop());

  it('matches the columns of a file, shows its rows as they arrive, and hands out the refused ones', async () => {
    const list = await suite.own.client.post('/contact-lists', { name: 'Newsletter' });
    const page = await suite.open('/imports');
    await page.getByText('No file was imported yet').waitFor();
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await dialog.getByLabel('File').setInputFiles(file);
    expect(await dialog.getByLabel('Meaning of Vorname').inputValue()).to.equal('firstName');
    await dialog.getByLabel('Meaning of E-Mail').selectOption('nothing, leave it out');
    await dialog.getByText('One column must be the address.').first().waitFor();
    await dialog.getByLabel('Meaning of E-Mail').selectOption('Address');
    await dialog.getByLabel('Meaning of Internal').selectOption('nothing, leave it out');
    await dialog.getByLabel('They join').selectOption('Newsletter');
    await expectAccessible(page);
    await shoot(page, 'imports-dialog');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();

    const row = page.getByRole('row', { name: /people\.csv/ });
    await row.getByText('Completed, some rows refused').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download the 1 refused rows' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('import-errors.csv');
    await expectAccessible(page);
    await shoot(page, 'imports');

    const { body } = await suite.own.client.get('/contacts');
    const find = (email: string) => body.data.contacts.find((one: { email: string }) => one.email === email);
    const [ada, cleo] = [find('ada@harbour.example'), find('cleo@harbour.example')];
    expect(ada).to.deep.include({ firstName: 'Ada', listIds: [list.body.data.id] });
    expect(ada.contactProperties).to.deep.equal({ Plan_of_today: 'gold' });
    expect(cleo.firstName).to.equal('Cleo; the first');

    // The links that lead from one page to a thing of another.
    await page.goto(`/console/contacts?person=${ada.id}`);
    await page.getByRole('link', { name: 'an import' }).click();
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('heading', { name: 'people.csv' }).waitFor();
    await drawer.getByText('Completed, some rows refused').waitFor();
    await expectAccessible(page);
    await shoot(page, 'import');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('ada@harbour');
    await page.getByRole('option', { name: /ada@harbour\.example/ }).click();
    await drawer.getByRole('heading', { name: 'Ada' }).waitFor();
    await seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId());
    const mail = { from: { email: SENDER }, to: { email: 'ada@harbour.example' }, subject: 'Hello', text: 'Hello' };
    const sent = await suite.own.client.post('/mails/send', mail);
    const _id = new ObjectId(sent.body.data.emailId as string);
    const own = { _id, projectId: suite.own.project._id };
    // As a row of a campaign has it.
    await suite.deps.db.messages.updateOne(own, { $set: { contactId: new ObjectId(ada.id as string) } });
    await page.goto(`/console/emails?email=${_id}`);
    await page.getByRole('link', { name: 'Open the person' }).click();
    await drawer.getByRole('heading', { name: 'Ada' }).waitFor();
  });
});

describe('The dialog of an import', () => {
  const suite = useConsole();
  let workers: Workers;
  before(async () => {
    workers = startWorkers(suite.deps, ['workflows', 'background']);
    await workers.ready;
  });
  after(() => workers?.stop());

  it('takes the state of consent by the names of other programs, or by choice, and shows what would change', async () => {
    const { client } = suite.own;
    await client.post('/suppression-groups/emails/suppress', { emails: ['stays@harbour.example'], isGlobal: true });
    const rows = [
      'email,Subscriber status,Status of the order,Note',
      'left@harbour.example,Unsubscribed,sent,a',
      'gone@harbour.example,cleaned,sent,b',
      'stays@harbour.example,subscribed,sent,c',
      'unknown@harbour.example,gold,sent,d',
    ].join('\n');
    const page = await suite.open('/imports');
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const file = { name: 'state.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };
    await dialog.getByLabel('File').setInputFiles(file);
    expect(await dialog.getByLabel('Meaning of Subscriber status').inputValue()).to.equal('status');
    const order = dialog.getByLabel('Meaning of Status of the order');
    expect(await order.inputValue()).to.equal('Status_of_the_order');
    await dialog.getByLabel('Meaning of Note').selectOption('nothing, leave it out');
    await dialog.getByRole('button', { name: 'See what would change' }).click();
    await dialog.getByText('Row 4, unknown@harbour.example').waitFor();
    const changes = dialog.getByRole('region', { name: 'What would change' });
    for (const [name, number] of [
      ['New people', '3'],
      ['Refused', '1'],
      ['Suppressed: unsubscribed', '1'],
      ['Suppressed: bounced', '1'],
      ['Subscribed in the file, and stay suppressed', '1'],
    ] as const)
      expect(await changes.locator(`dt:text-is("${name}") + dd`).textContent(), name).to.equal(number);
    expect((await client.get('/contacts')).body.data.contacts).to.deep.equal([]);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('row', { name: /state\.csv/ })
      .getByText('Completed, some rows refused')
      .waitFor();
    const { entries } = (await client.post('/suppression-groups/entries', {})).body.data;
    const found = entries.map(({ email, reason }: { email: string; reason: string }) => `${email} ${reason}`);
    expect(found.sort()).to.deep.equal([
      'gone@harbour.example BOUNCE',
      'left@harbour.example UNSUBSCRIBE',
      'stays@harbour.example MANUAL',
    ]);
  });
});

describe('The columns of an import', () => {
  it('are read from the first line, with quotes, line ends inside them, and every usual delimiter', async () => {
    const header = await readHeader(new Blob(['\ufeff"E,mail","Two\nlines","say ""hi"""\r\nrest']));
    expect(header).to.deep.equal({ names: ['E,mail', 'Two\nlines', 'say "hi"'], delimiter: ',', bytes: 38 });
    expect((await readHeader(new Blob(['a\tb\n'])))?.names).to.deep.equal(['a', 'b']);
    expect(await readHeader(new Blob(['{"email":"ada@harbour.example"}\n']))).to.equal(null);
    expect(await readHeader(new Blob(['x'.repeat(70_000)]))).to.equal(null);
  });

  it('are replaced without a change of the rows', async () => {
    const file = new File(['a;b\r\n1;"2\n3"\n'], 'x.csv');
    const header = await readHeader(file);
    const changed = withNames(file, header!, ['email', 'say "x"']);
    expect(await changed.text()).to.equal('"email";"say ""x"""\n1;"2\n3"\n');
    expect(changed.name).to.equal('x.csv');
  });

  it('are guessed from names of other programs', () => {
    expect(
      ['E-mail address', 'Given_Name', 'SURNAME', 'user id', 'Phone', 'Plan (2026)', '???'].map(guess),
    ).to.deep.equal(['email', 'firstName', 'lastName', 'userId', 'mobile', 'Plan_2026_', 'id']);
    expect(['Status', 'Subscriber status', 'UNSUB_TIME', 'CONFIRM_IP', 'consent text'].map(guess)).to.deep.equal([
      ...['status', 'status', 'unsubscribedAt', 'consentAddress', 'consentText'],
    ]);
  });

  it('may be custom fields, also where their name says something of consent', () => {
    expect(['Plan', 'Status', 'E-Mail', '???'].map(asProperty)).to.deep.equal([
      ...['Plan', 'contactProperties.Status', null, null],
    ]);
  });
});
