import { request } from 'node:http';
import { expect } from 'chai';
import type { ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { expectCountsRight, segmentOf } from '../contacts/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

describe('Imports', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  before(() => {
    tenant = environment.own;
  });

  const raw = (body: string | Uint8Array, type = 'text/csv', query = '', to: Tenant = tenant) =>
    to.client.send('POST', `/contacts/import${query}`, { body: body as string, headers: { 'Content-Type': type } });
  const statusOf = async (id: string, of: Tenant = tenant) =>
    (await of.client.get(`/contacts/imports/${id}`)).body.data;
  const run = (id: string, of: Tenant = tenant) =>
    importSlice(environment.deps, { projectId: of.project._id, importId: parseId(id) as ObjectId }, { timeMs: 60_000 });
  /** Uploads, does what the workflow would do, and answers what the caller then sees. */
  const imported = async (body: string, type = 'text/csv', query = '', to: Tenant = tenant) => {
    const accepted = await raw(body, type, query, to);
    expect([accepted.status, accepted.body.data?.status], accepted.text).to.deep.equal([202, 'queued']);
    await run(accepted.body.data.importId, to);
    return statusOf(accepted.body.data.importId, to);
  };
  const contactOf = async (email: string) =>
    (await tenant.client.post('/contacts/search/emails', [email])).body.data.contacts[0];
  const errorsOf = async (id: string) => (await tenant.client.get(`/contacts/imports/${id}/errors`)).text;

  it('a CSV file becomes contacts: columns that are no contact field are properties, empty cells change nothing', async () => {
    await tenant.client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
    await tenant.client.post('/contacts/email', { email: 'known@example.com', firstName: 'Kept', lastName: 'Old' });
    const file = [
      '\ufeffEmail,First Name,last_name,mobile,age,contactProperties.plan,Favourite colour,createdAt',
      'Known@example.com,,New,,7,gold,,2001',
      'csv@example.com,"Ann, ""A""",Lee,+12025550123,"41",,"dark\nred",2001',
    ].join('\r\n');
    const done = await imported(file);
    expect(done).to.include({
      status: 'completed',
      format: 'csv',
      fileName: null,
      percent: 100,
      processed: 2,
      created: 1,
      updated: 1,
      unchanged: 0,
      failed: 0,
      failureReason: null,
    });
    expect(done.id).to.equal(done.importId);
    for (const time of ['createdAt', 'startedAt', 'completedAt', 'updatedAt'])
      expect(Date.parse(done[time])).to.be.above(0);
    expect(await contactOf('known@example.com')).to.deep.include({
      firstName: 'Kept',
      lastName: 'New',
      contactProperties: { age: 7, plan: 'gold' },
    });
    expect(await contactOf('csv@example.com')).to.deep.include({
      firstName: 'Ann, "A"',
      lastName: 'Lee',
      mobile: '+12025550123',
      contactProperties: { age: 41, Favourite_colour: 'dark\nred' },
    });
  });

  it('NDJSON has the body of an upsert on each line, by the same rules', async () => {
    await tenant.client.post('/contacts/email', { email: 'clear@example.com', firstName: 'Gone', lastName: 'Stays' });
    const lines = [
      { email: 'clear@example.com', firstName: '', lastName: null },
      { email: 'typed@example.com', contactProperties: { free: true, n: 1.5 }, customFields: { n: 2 } },
    ];
    const done = await imported(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n`, 'application/x-ndjson');
    expect(done).to.include({ format: 'ndjson', processed: 2, created: 1, updated: 1, failed: 0 });
    expect(await contactOf('clear@example.com')).to.include({ firstName: null, lastName: 'Stays' });
    expect((await contactOf('typed@example.com')).contactProperties).to.deep.equal({ n: 1.5, free: true });
  });

  it('a form may carry the options before its file or behind it; the file shows its format', async () => {
    const list = (await tenant.client.post('/contact-lists', { name: 'Imported' })).body.data.id;
    const form = new FormData();
    form.set('file', new Blob(['{"email":"form@example.com"}\n']), 'people.bin');
    form.set('listIds', `${list},GLOBAL_CONTACT_LIST`);
    const accepted = await tenant.client.send('POST', '/contacts/import', { body: form });
    expect(accepted.status).to.equal(202);
    await run(accepted.body.data.importId);
    expect(await statusOf(accepted.body.data.importId)).to.include({
      format: 'ndjson',
      fileName: 'people.bin',
      created: 1,
    });
    expect((await contactOf('form@example.com')).listIds).to.deep.equal([list]);
    const empty = new FormData();
    empty.set('listIds', list);
    expect((await tenant.client.send('POST', '/contacts/import', { body: empty })).status).to.equal(400);
  });

  it('semicolons and tabs separate cells too, and a file without its last line break is read to its end', async () => {
    const semicolons = await imported('email;firstName\nsemi@example.com;S');
    expect(semicolons).to.include({ created: 1, failed: 0 });
    expect((await imported('email\tfirstName\ntab@example.com\tT')).created).to.equal(1);
    expect(await contactOf('tab@example.com')).to.include({ firstName: 'T' });
  });

  it('rows that fail are listed with row, address and reason, as CSV or NDJSON; the others are written', async () => {
    const file = [
      'email,mobile,age,listIds',
      'nonsense,,,',
      'mobile@example.com,123,,',
      'age@example.com,,old,',
      'list@example.com,,,0123456789abcdef01234567',
      'fine@example.com,,1,',
      'cells@example.com,,1,,,too,many',
      '=formula@nowhere,,,',
    ].join('\n');
    const done = await imported(file);
    expect(done).to.include({ status: 'completed_with_errors', processed: 7, created: 1, failed: 6 });
    const lines = (await errorsOf(done.id)).trim().split('\r\n');
    expect(lines[0]).to.equal('row,email,message');
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(['1', '2', '3', '4', '6', '7']);
    expect(lines[1]).to.equal('1,nonsense,email: must be an email address');
    expect(lines[6]).to.contain("'=formula@nowhere");
    const ndjson = await tenant.client.get(`/contacts/imports/${done.id}/errors?format=ndjson`);
    expect(ndjson.headers.get('content-type')).to.contain('ndjson');
    const rows = ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows[1]).to.deep.equal({
      row: 2,
      email: 'mobile@example.com',
      message: 'mobile: must be a number in E.164 form, for example +12025550123',
    });
    expect(await contactOf('fine@example.com')).to.not.equal(undefined);
    expect(await contactOf('age@example.com')).to.equal(undefined);
  });

  it('lines that are no JSON, not UTF-8, or hold hostile names fail alone', async () => {
    const hostile = [
      '{"email":"ok1@example.com"}',
      '{"email":',
      '[1]',
      '{"email":"proto@example.com","contactProperties":{"__proto__":1}}',
      '{"email":"deep@example.com","contactProperties":{"a":{"b":1}}}',
      '{"email":"big@example.com","contactProperties":{"a":1e400}}',
      `{"email":"nest@example.com","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      '{"email":"nul@example.com","firstName":"a\\u0000"}',
      '{"email":"half@example.com","contactProperties":{"a":"\\ud800"}}',
    ];
    const body = Buffer.concat([
      Buffer.from(`${hostile.join('\n')}\n{"email":"`),
      Buffer.from([0xff]),
      Buffer.from('@example.com"}\n'),
    ]);
    const accepted = await raw(body, 'application/x-ndjson');
    await run(accepted.body.data.importId);
    const done = await statusOf(accepted.body.data.importId);
    expect(done).to.include({ status: 'completed_with_errors', processed: 10, created: 2, failed: 8 });
    expect(await contactOf('nest@example.com')).to.not.equal(undefined);
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  });

  it('a file that is none fails with the reason, and keeps what was read before the fault', async () => {
    expect(await imported('firstName,lastName\na,b\n')).to.include({
      status: 'failed',
      failureReason: 'The first line must name the columns, one of them email.',
    });
    expect((await imported('email,age,age\n')).failureReason).to.contain('Two columns mean the same: age');
    const unclosed = `email,firstName\nearly@example.com,E\nlate@example.com,"open\n${'x'.repeat(300_000)}`;
    const done = await imported(unclosed);
    expect(done).to.include({ status: 'failed', processed: 1, created: 1 });
    expect(done.failureReason).to.contain('quote');
    expect(await contactOf('early@example.com')).to.not.equal(undefined);
  });

  it('refuses empty files, other types, unknown lists, segments and wrong options, and keeps nothing of them', async () => {
    const chunks = () => environment.deps.db.importChunks.countDocuments({ projectId: tenant.project._id });
    const before = await chunks();
    const file = 'email\na@example.com\n';
    const segment = (await tenant.client.post('/contact-lists', segmentOf('email', 'contains', 'nobody'))).body.data.id;
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'T' })).body.data.id;
    expect((await raw('')).status).to.equal(400);
    expect((await raw(file, 'text/plain')).body.error.code).to.equal('UNSUPPORTED_MEDIA_TYPE');
    expect((await raw(file, 'application/json')).status).to.equal(415);
    expect((await raw(file, 'multipart/form-data')).status).to.equal(400);
    expect((await raw(file, 'text/csv', '?format=xml')).status).to.equal(400);
    expect((await raw(file, 'text/csv', `?listIds=${segment}`)).status).to.equal(400);
    for (const id of [theirs, '0123456789abcdef01234567', 'zzz']) {
      const { status, body } = await raw(file, 'text/csv', `?listIds=${id}`);
      expect([status, body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
    }
    expect(await chunks()).to.equal(before);
    expect(await contactOf('a@example.com')).to.equal(undefined);
  });

  it('100 MB are too much: refused by Content-Length at once, and while it arrives without one', async () => {
    const announced = await new Promise<number>((resolve, reject) => {
      const headers = { ...auth(), 'Content-Type': 'text/csv', 'Content-Length': '100000001' };
      const call = request(`${environment.url}/v1/contacts/import`, { method: 'POST', headers }, ({ statusCode }) => {
        resolve(statusCode ?? 0);
        call.destroy();
      });
      call.on('error', reject);
      call.flushHeaders();
    });
    expect(announced).to.equal(413);
    const streamed = await new Promise<number>((resolve, reject) => {
      const headers = { ...auth(), 'Content-Type': 'text/csv' };
      const call = request(`${environment.url}/v1/contacts/import`, { method: 'POST', headers }, ({ statusCode }) => {
        resolve(statusCode ?? 0);
        call.destroy();
      });
      call.on('error', reject);
      const piece = Buffer.alloc(1_000_000, 'x');
      let left = 101;
      const write = (): void => {
        while (left > 0 && !call.destroyed) {
          left -= 1;
          if (!call.write(piece)) return void call.once('drain', write);
        }
        call.end();
      };
      write();
    });
    expect(streamed).to.equal(413);
    await until(
      () => environment.deps.db.importChunks.countDocuments({ projectId: tenant.project._id, number: { $gt: 50 } }),
      (left) => left === 0,
    );
  }).timeout(60_000);

  const auth = () => ({ Authorization: `Bearer ${tenant.projectKey}` });

  it('an export can be imported again, and changes nothing', async () => {
    const before = (await tenant.client.get('/contacts/export?format=ndjson')).text;
    for (const format of ['csv', 'ndjson']) {
      const file = (await tenant.client.get(`/contacts/export?format=${format}`)).text;
      const done = await imported(file, format === 'csv' ? 'text/csv' : 'application/x-ndjson');
      expect(done, format).to.include({ status: 'completed', created: 0, updated: 0, failed: 0 });
      expect(done.unchanged).to.equal(before.trim().split('\n').length);
    }
    expect((await tenant.client.get('/contacts/export?format=ndjson')).text).to.equal(before);
  });

  it('is safe to run twice at once: rows are written once, and the counts add up', async () => {
    const twice = await environment.newTenant('Twice');
    const rows = Array.from({ length: 2_000 }, (_, index) => `t${index}@example.com`);
    const accepted = await raw(`email\n${rows.join('\n')}\nbad\n`, 'text/csv', '', twice);
    const id = accepted.body.data.importId;
    await Promise.all([run(id, twice), run(id, twice), run(id, twice)]);
    await run(id, twice);
    expect(await statusOf(id, twice)).to.include({
      status: 'completed_with_errors',
      processed: 2_001,
      created: 2_000,
      updated: 0,
      unchanged: 0,
      failed: 1,
    });
    expect(await environment.deps.db.contacts.countDocuments({ projectId: twice.project._id })).to.equal(2_000);
    expect(await environment.deps.db.importChunks.countDocuments({ projectId: twice.project._id })).to.equal(0);
    await expectCountsRight(environment, twice);
  });

  it('the workflow import-{id} reads the file and ends', async () => {
    const accepted = await raw('email\nworkflow@example.com\n');
    let workers: Workers | undefined;
    try {
      workers = startWorkers(environment.deps, ['workflows', 'background']);
      await workers.ready;
      const id = accepted.body.data.importId;
      const done = await until(
        () => statusOf(id),
        ({ status }) => status === 'completed',
        { ms: 90_000 },
      );
      expect(done).to.include({ created: 1, percent: 100 });
    } finally {
      await workers?.stop();
    }
  });
});
