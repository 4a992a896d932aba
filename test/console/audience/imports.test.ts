import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { RESERVED } from '../../../console/pages/contacts/field-names.ts';
import {
  asProperty,
  fieldOf,
  guess,
  readHeader,
  readSamples,
  typeOf,
  withNames,
} from '../../../console/pages/imports/columns.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { RESERVED_FIELD_NAMES } from '../../../schemas/people/custom-fields.ts';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import { SENDER } from '../../delivery/support.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';

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
    await dialog.getByLabel('Meaning of E-Mail').selectOption('Email address');
    await dialog.getByLabel('Meaning of Internal').selectOption('nothing, leave it out');
    await pickFound(dialog.getByLabel('They join'), 'Newsletter');
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
    const next = drawer.getByRole('group', { name: 'What comes next' });
    await next.getByRole('link', { name: 'New campaign for this list' }).click();
    await page.getByRole('heading', { name: 'New campaign', level: 1 }).waitFor();
    await page
      .getByRole('button', { name: /Newsletter/ })
      .first()
      .waitFor();
    await page.goBack();
    await next.getByRole('link', { name: 'See the people' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/contacts') && url.search === `?list=${list.body.data.id}`);
    await page.getByRole('link', { name: 'ada@harbour.example' }).waitFor();
    await page.goBack();
    await next.waitFor();
    const viewer = await suite.open(
      new URL(page.url()).pathname.replace(/.*\/imports/, '/imports') + new URL(page.url()).search,
      {
        role: 'viewer',
      },
    );
    await viewer.getByRole('link', { name: 'See the people' }).waitFor();
    expect(await viewer.getByRole('link', { name: /^New campaign/ }).count()).to.equal(0);
    await viewer.close();
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

describe('The fields of an import', () => {
  const suite = useConsole();
  let workers: Workers;
  before(async () => {
    workers = startWorkers(suite.deps, ['workflows', 'background']);
    await workers.ready;
  });
  after(() => workers?.stop());

  const rows = ['email,City,Orders,Since,Postcode,Plan,Paid', 'ada@harbour.example,Oslo,3,2026-01-31,01067,gold,true'];
  const file = (name: string, more: string[]) => ({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from([...rows, ...more].join('\n')),
  });

  it('are made with a type that one can change, and are in segments and in the dialog of a person', async () => {
    await suite.own.client.post('/custom-fields', { fieldName: 'Plan', fieldType: 'string' });
    const page = await suite.open('/imports');
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('File').setInputFiles(file('first.csv', ['bo@harbour.example,Rome,12,2026-02-01,80331,,']));
    const typeOfColumn = async (name: string) => dialog.getByLabel(`Type of ${name}`).inputValue();
    await dialog.getByText('Oslo, Rome').waitFor();
    expect(await Promise.all(['City', 'Orders', 'Since', 'Postcode', 'Paid'].map(typeOfColumn))).to.deep.equal([
      ...['string', 'number', 'date', 'string', 'boolean'],
    ]);
    await dialog.getByText('Text, a field that is here already').waitFor();
    await dialog.getByLabel('Type of City').selectOption('Number');
    await dialog.getByText('2 of the first 2 values may be refused, such as “Oslo”.').waitFor();
    await dialog.getByLabel('Type of City').selectOption('Text');
    await dialog.getByLabel('Type of Paid').selectOption('Text');
    await expectAccessible(page);
    await shoot(page, 'imports-fields');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('row', { name: /first\.csv/ })
      .getByText('Completed', { exact: true })
      .waitFor();

    const { customFields } = (await suite.own.client.get('/custom-fields')).body.data;
    expect(customFields.map((one: Record<string, string>) => `${one.fieldName} ${one.fieldType}`)).to.deep.equal([
      ...['City string', 'Orders number', 'Paid string', 'Plan string', 'Postcode string', 'Since date'],
    ]);
    const { contacts } = (await suite.own.client.get('/contacts')).body.data;
    const ada = contacts.find(({ email }: { email: string }) => email === 'ada@harbour.example');
    expect(ada.contactProperties).to.deep.equal({
      ...{ City: 'Oslo', Orders: 3, Since: '2026-01-31T00:00:00.000Z', Postcode: '01067', Plan: 'gold', Paid: 'true' },
    });
    await page.goto('/console/lists/new');
    await page.getByRole('button', { name: 'Field', exact: true }).click();
    const fields = page.getByRole('combobox', { name: 'Field' }).first();
    expect(await fields.locator('option').allTextContents()).to.include.members(['City', 'Orders', 'Since']);
    await page.goto(`/console/contacts?person=${ada.id}`);
    await page.getByRole('complementary').getByRole('button', { name: 'Change' }).click();
    expect(await page.getByRole('dialog').getByLabel('City').inputValue()).to.equal('Oslo');
  });

  it('are made of 300 columns at once, before the rows are sent', async () => {
    const columns = Array.from({ length: 299 }, (_, index) => `Wide${index}`);
    const line = ['cy@harbour.example', ...columns.map((_, index) => index)].join(',');
    const page = await suite.open('/imports');
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(new URL(request.url()).pathname);
    });
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.from(`email,${columns.join(',')}\n${line}`);
    await dialog.getByLabel('File').setInputFiles({ name: 'wide.csv', mimeType: 'text/csv', buffer });
    await dialog.getByLabel('Type of Wide298').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('row', { name: /wide\.csv/ }).waitFor();
    expect(calls.filter((path) => path.includes('custom-fields'))).to.deep.equal(['/v1/custom-fields/bulk']);
    const { db } = suite.deps;
    const fieldName = { $in: columns };
    const fields = await db.customFields.find({ projectId: suite.own.project._id, fieldName }).toArray();
    expect(new Set(fields.map(({ fieldType }) => fieldType))).to.deep.equal(new Set(['number']));
    expect(fields).to.have.length(299);
  });

  it('are not made by an author, whose file is imported all the same', async () => {
    const page = await suite.open('/imports', { role: 'author' });
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const columns = file('second.csv', []);
    columns.buffer = Buffer.from(columns.buffer.toString().replace('City', 'Town'));
    await dialog.getByLabel('File').setInputFiles(columns);
    await dialog.getByText('Kept with each person; an editor can make a field of it.').first().waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('row', { name: /second\.csv/ })
      .getByText('Completed', { exact: true })
      .waitFor();
    const { customFields } = (await suite.own.client.get('/custom-fields')).body.data;
    expect(customFields.map(({ fieldName }: { fieldName: string }) => fieldName)).not.to.include('Town');
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

  it('mean an address for mail when they say so in German, and are a field of their own when they do not', () => {
    expect(['E-Mail-Adresse', 'Mailadresse', 'Adresse', 'Address', 'Familienname', 'Handy'].map(guess)).to.deep.equal([
      ...['email', 'email', 'Adresse', 'Address', 'lastName', 'mobile'],
    ]);
  });

  it('may be custom fields, also where their name says something of consent', () => {
    expect(['Plan', 'Status', 'E-Mail', '???'].map(asProperty)).to.deep.equal([
      ...['Plan', 'contactProperties.Status', null, null],
    ]);
  });

  it('have the reserved names of the interface', () => {
    expect([...RESERVED].sort()).to.deep.equal([...RESERVED_FIELD_NAMES].sort());
  });

  it('are custom fields unless a person has them already, they say something of consent, or they are left out', () => {
    expect(
      ['Plan', 'contactProperties.Status', 'status', 'created_at', 'customFields', 'unsubscribed', 'id'].map(fieldOf),
    ).to.deep.equal(['Plan', 'Status', null, null, null, null, null]);
  });

  it('are sampled without the row that the sample cuts', async () => {
    const lines = ['a,b', '1,"x, ""y"""', ',z', '2,w'];
    const header = await readHeader(new Blob([lines.join('\n')]));
    expect(await readSamples(new Blob([lines.join('\n')]), header!)).to.deep.equal([
      ['1', '2'],
      ['x, "y"', 'z', 'w'],
    ]);
    const long = new Blob([lines.join('\n'), '\n', '3,u\n'.repeat(300_000)]);
    const [first] = await readSamples(long, header!);
    expect(new Set(first)).to.deep.equal(new Set(['1', '2', '3']));
  });

  it('hold what all their values are', () => {
    for (const [values, type] of [
      [[], 'string'],
      [['true', 'false'], 'boolean'],
      [['1', '-2.5'], 'number'],
      [['1', '01'], 'string'],
      [['1', '1234567890123456'], 'string'],
      [['2026-01-31', '2026-01-31T10:00:00Z'], 'date'],
      [['31.01.2026'], 'string'],
      [['1', 'true'], 'string'],
    ] as const)
      expect(typeOf(values), values.join()).to.equal(type);
  });
});
