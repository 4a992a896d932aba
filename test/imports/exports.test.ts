import { expect } from 'chai';
import { addresses } from '../contacts/support.ts';
import { useEnvironment } from '../support/environment.ts';

describe('Exports', () => {
  const environment = useEnvironment();
  before(async () => {
    const { client } = environment.own;
    await client.post('/custom-fields', { fieldName: 'plan', fieldType: 'string' });
    const list = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    await client.post('/contacts/email', {
      email: 'one@example.com',
      firstName: "=cmd|'/c calc'!A0",
      lastName: 'a,"b"',
      mobile: '+12025550123',
      contactProperties: { plan: '@gold', other: -5, flag: true },
      listIds: [list],
    });
    await client.post('/suppression-groups/emails/suppress', { emails: ['one@example.com'], isGlobal: true });
    await environment.other.client.post('/contacts/email', { email: 'theirs@example.com' });
    await environment.other.client.post('/suppression-groups/emails/suppress', { emails: ['theirs@example.com'] });
  });

  it('contacts come as CSV: declared fields in columns, formulas defused, everything quoted that must be', async () => {
    const { status, headers, text } = await environment.own.client.get('/contacts/export');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="contacts.csv"');
    const { contacts } = (await environment.own.client.get('/contacts')).body.data;
    const [{ id, listIds, createdAt, updatedAt }] = contacts;
    expect(text).to.equal(
      [
        'id,email,firstName,lastName,userId,mobile,contactProperties.plan,contactProperties,listIds,segmentIds,createdAt,updatedAt',
        `${id},one@example.com,'=cmd|'/c calc'!A0,"a,""b""",,+12025550123,'@gold,"{""other"":-5,""flag"":true}",${listIds[0]},,${createdAt},${updatedAt}`,
        '',
      ].join('\r\n'),
    );
  });

  it('contacts come as NDJSON: each line as GET answers it', async () => {
    const { headers, text } = await environment.own.client.get('/contacts/export?format=ndjson');
    expect(headers.get('content-type')).to.contain('ndjson');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).to.deep.equal((await environment.own.client.get('/contacts')).body.data.contacts);
  });

  it('suppression entries come in both forms', async () => {
    const csv = (await environment.own.client.get('/suppression-groups/entries/export')).text.trim().split('\r\n');
    const { entries } = (await environment.own.client.post('/suppression-groups/entries', {})).body.data;
    expect(csv[0]).to.equal('id,email,groupId,isGlobal,reason,evidence,createdAt,updatedAt,isMarketing,exceptGroupIds');
    expect(csv[1]).to.equal(
      `${entries[0].id},one@example.com,${entries[0].groupId},true,MANUAL,,${entries[0].createdAt},${entries[0].updatedAt},false,`,
    );
    expect(csv).to.have.length(2);
    const ndjson = (await environment.own.client.get('/suppression-groups/entries/export?format=ndjson')).text;
    expect(JSON.parse(ndjson)).to.deep.equal(entries[0]);
  });

  it('page after page: every contact once, and none of another project', async () => {
    const many = await environment.newTenant('Many');
    const emails = addresses(2_500, 'export');
    for (let from = 0; from < emails.length; from += 500)
      await many.client.post('/contact-lists/contacts/bulk-add', {
        contactListId: 'GLOBAL_CONTACT_LIST',
        emails: emails.slice(from, from + 500),
      });
    await many.client.post('/suppression-groups/emails/suppress', { emails });
    await many.client.post('/suppression-groups/emails/suppress', { emails: emails.slice(0, 1_500), isGlobal: true });
    const found = async (path: string) => {
      const { text } = await many.client.get(`${path}?format=ndjson`);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).email);
    };
    expect((await found('/contacts/export')).sort()).to.deep.equal([...emails].sort());
    expect(await found('/suppression-groups/entries/export')).to.deep.equal(
      [...emails, ...emails.slice(0, 1_500)].sort(),
    );
  });

  it('an empty project has a header and no rows; an unknown format is 400', async () => {
    const empty = await environment.newTenant('Empty');
    expect((await empty.client.get('/contacts/export')).text.trim().split('\r\n')).to.have.length(1);
    expect((await empty.client.get('/contacts/export?format=ndjson')).text).to.equal('');
    for (const path of ['/contacts/export', '/suppression-groups/entries/export'])
      expect((await empty.client.get(`${path}?format=xml`)).status).to.equal(400);
  });
});
