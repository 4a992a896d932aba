import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type ErrorCode, Everpost, EverpostError } from '../../client/index.ts';
import { operations } from '../../client/operations.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { png } from '../providers/images.ts';
import { failureOf, useProxy } from './client-of.ts';

describe('Calls of the client', () => {
  const at = useProxy();
  beforeEach(() => at.faults());
  const lastRequest = () => {
    const { method, url, headers } = at.proxy.requests.at(-1)!;
    return { method, url, headers };
  };

  it('each operation of the table is a method of its resource, with and without `safe`', () => {
    const client = at.client();
    for (const [resource, verbs] of Object.entries(operations))
      for (const [verb, { kind }] of Object.entries(verbs)) {
        if (resource === 'stream') continue;
        for (const calls of kind === 'stream' ? [client] : [client, client.safe]) {
          const methods = (calls as unknown as Record<string, Record<string, unknown>>)[resource];
          expect(methods?.[verb], `${resource}.${verb}`).to.be.a('function');
        }
      }
    expect(client.stream).to.be.a('function');
    expect(Object.keys(client.safe).sort()).to.deep.equal(
      Object.keys(operations)
        .filter((resource) => resource !== 'stream')
        .sort(),
    );
  });

  it('ids go into the path, escaped; then come the body or the query, and the options', async () => {
    const client = at.client();
    await failureOf(client.contacts.deleteByUserId('a/b?c', {}));
    expect(lastRequest()).to.include({ method: 'DELETE', url: '/v1/contacts/email/userId/a%2Fb%3Fc' });
    await failureOf(client.campaigns.recipients('nonsense', { page: 2, limit: 5 }));
    expect(lastRequest().url).to.equal('/v1/campaigns/nonsense/recipients?page=2&limit=5');
    await client.contacts.upsert({ email: 'ada@example.com', firstName: 'Ada' }, { idempotencyKey: 'mine' });
    expect(lastRequest()).to.include({ method: 'POST', url: '/v1/contacts/email' });
    expect(lastRequest().headers).to.include({ 'idempotency-key': 'mine', 'content-type': 'application/json' });
    const found = await client.contacts.findByEmail(['ada@example.com', 'eve@example.com']);
    expect(found.contacts.map(({ firstName }) => firstName)).to.deep.equal(['Ada']);
  });

  it('an id that is missing, empty or a dot is refused before anything is asked', async () => {
    const { contacts } = at.client();
    for (const id of [undefined, '', '.', '..', 17] as string[])
      for (const call of [contacts.get, contacts.delete]) {
        const error = await failureOf(call(id));
        expect(error).to.include({ status: null, code: 'VALIDATION_ERROR' });
        expect(error.message).to.contain('contactId');
      }
    expect(at.proxy.requests).to.have.length(0);
  });

  it('an Idempotency-Key, event or project that no header can carry is refused before anything is asked', async () => {
    const client = at.client();
    const calls = [
      () => client.contacts.create({ email: 'a@example.com' }, { idempotencyKey: 'Bestellung für 17' }),
      () => client.contacts.create({ email: 'a@example.com' }, { idempotencyKey: 'x'.repeat(257) }),
      () => client.stream({ after: 'a\nb' }).next(),
    ];
    for (const call of calls) expect((await failureOf(call())).code).to.equal('VALIDATION_ERROR');
    expect(() => at.client({ projectId: 'größe' })).to.throw(EverpostError, 'projectId');
    expect(at.proxy.requests).to.have.length(0);
  });

  it('an error has status, code, details and the id of the request', async () => {
    const error = await failureOf(at.client().contacts.create({ email: 'nonsense' }));
    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ name: 'EverpostError', status: 400, code: 'VALIDATION_ERROR', retryAfterMs: null });
    expect(error.details).to.equal('email: must be an email address');
    expect(error.requestId).to.match(/^[\w-]{36}$/);
    expect(JSON.parse(JSON.stringify(error))).to.deep.include({ status: 400, requestId: error.requestId });
    const code: ErrorCode | null = error.code;
    expect(code).to.equal('VALIDATION_ERROR');
    const forbidden = await failureOf(at.client().projects.list());
    expect(forbidden).to.include({ status: 403 });
  });

  it('`safe` resolves with data or with the error, of which the other is null', async () => {
    const { contacts } = at.client().safe;
    const created = await contacts.create({ email: 'safe@example.com' });
    expect(created.error).to.equal(null);
    const { data, error } = await contacts.get(created.data?.id ?? '');
    if (error) throw error;
    expect(data.email).to.equal('safe@example.com');
    const page = await contacts.list({ limit: 1 });
    expect(page.data?.contacts).to.have.length(1);
    const none = await contacts.get(new ObjectId().toHexString());
    expect(none.data).to.equal(null);
    expect(none.error).to.be.instanceOf(EverpostError).and.include({ code: 'CONTACT_NOT_FOUND' });
    expect((await contacts.get('')).error?.code).to.equal('VALIDATION_ERROR');
  });

  it('a client reads what it is not given from the environment, and says what is missing', async () => {
    const before = { ...process.env };
    try {
      expect(() => new Everpost()).to.throw(EverpostError, 'EVERPOST_API_KEY');
      process.env.EVERPOST_API_KEY = at.environment.own.projectKey;
      expect(() => new Everpost()).to.throw(EverpostError, 'EVERPOST_BASE_URL');
      expect(() => new Everpost({ baseUrl: 'nonsense' })).to.throw(EverpostError, 'EVERPOST_BASE_URL');
      for (const suffix of ['', '/', '/v1', '/v1/']) {
        process.env.EVERPOST_BASE_URL = `${at.proxy.url}${suffix}`;
        await new Everpost().contacts.list({ limit: 1 });
        expect(lastRequest().url).to.equal('/v1/contacts?limit=1');
      }
      expect(() => new Everpost({ apiKey: 'AS_line\nbreak' })).to.throw(EverpostError, 'key');
      expect(() => new Everpost({ apiKey: '' })).to.throw(EverpostError, 'EVERPOST_API_KEY');
      // For pages with a cookie: the key of the environment is not sent either.
      const refused = await failureOf(new Everpost({ apiKey: null }).contacts.list());
      expect(refused.status).to.equal(401);
      expect(lastRequest().headers).not.to.have.property('authorization');
    } finally {
      for (const name of ['EVERPOST_API_KEY', 'EVERPOST_BASE_URL'])
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
    }
  });

  it('an admin key names its project', async () => {
    const { own } = at.environment;
    const projectId = own.project._id.toHexString();
    const admin = at.client({ apiKey: own.adminKey, projectId });
    await admin.contacts.create({ email: 'admin@example.com' });
    expect(lastRequest().headers['x-project-id']).to.equal(projectId);
    expect((await admin.projects.get(projectId)).name).to.equal('Own project');
  });

  describe('with files', () => {
    const rows = 'email,firstName\nfile1@example.com,Zoë\nfile2@example.com,Max\n';
    const ndjson = '{"email":"line@example.com"}\n';
    const bytes = new TextEncoder().encode(rows);
    async function* pieces() {
      for (let from = 0; from < bytes.length; from += 7) yield bytes.subarray(from, from + 7);
    }

    async function stored(importId: string) {
      const { deps, own } = at.environment;
      return deps.db.imports.findOne({ _id: new ObjectId(importId), projectId: own.project._id });
    }

    it('an import takes text, bytes, a File, a stream, an iterable, and anything with stream()', async () => {
      const { contacts } = at.client();
      const uploads: [string, Parameters<typeof contacts.import>[0], string, string][] = [
        ['text', rows, 'csv', 'upload'],
        ['NDJSON', ndjson, 'ndjson', 'upload'],
        ['bytes', bytes, 'csv', 'upload'],
        ['a buffer', bytes.slice().buffer, 'csv', 'upload'],
        ['a File', new File([rows], 'people "1".csv'), 'csv', 'people "1".csv'],
        ['a Blob', new Blob([ndjson], { type: 'application/x-ndjson' }), 'ndjson', 'upload'],
        ['a stream', new Blob([rows]).stream(), 'csv', 'upload'],
        ['an iterable', pieces(), 'csv', 'upload'],
        ['stream()', { name: 'b.csv', stream: pieces }, 'csv', 'b.csv'],
      ];
      for (const [what, file, format, fileName] of uploads) {
        const { importId, status } = await contacts.import(file, { runWorkflow: false });
        expect(status, what).to.equal('queued');
        const found = await stored(importId);
        expect(found, what).to.include({ format, sizeBytes: format === 'csv' ? bytes.length : ndjson.length });
        expect(found?.fileName?.replaceAll('%22', '"'), what).to.equal(fileName);
      }
      expect(at.proxy.requests.at(-1)?.url).to.equal('/v1/contacts/import?runWorkflow=false');
    });

    it('a picture is uploaded once: as bytes, as a File, and as a stream', async () => {
      const { media } = at.client();
      const bytes = new Uint8Array(png(4, 3));
      const first = await media.upload(bytes);
      expect(first).to.include({ width: 4, height: 3, size: bytes.length, contentType: 'image/png' });
      const again = [await media.upload(new File([bytes], 'a.png')), await media.upload(new Blob([bytes]).stream())];
      expect(again.map(({ id }) => id)).to.deep.equal([first.id, first.id]);
      expect((await media.list()).media.map(({ id }) => id)).to.deep.equal([first.id]);
      await media.delete(first.id);
      expect((await media.list()).media).to.deep.equal([]);
    });

    it('an import runs to its end, and its errors are a download', async () => {
      const { contacts, imports } = at.client();
      const { importId } = await contacts.import('email\nnonsense\ngood@example.com\n');
      const { deps, own } = at.environment;
      const of = { projectId: own.project._id, importId: new ObjectId(importId) };
      await importSlice(deps, of, { timeMs: 20_000 });
      expect(await imports.get(importId)).to.include({ status: 'completed_with_errors', created: 1, failed: 1 });
      const download = await imports.errors(importId, { format: 'ndjson' });
      expect(download.contentType).to.contain('ndjson');
      expect(JSON.parse(await download.text())).to.include({ row: 1, email: 'nonsense' });
    });

    it('a download is bytes, a stream or text', async () => {
      const { contacts } = at.client();
      await contacts.upsert({ email: 'export@example.com', firstName: 'Zoë' });
      const whole = await (await contacts.export()).text();
      expect(whole).to.contain('Zoë');
      const download = await contacts.export({ format: 'csv' });
      expect(download).to.include({ fileName: 'contacts.csv', contentType: 'text/csv; charset=utf-8' });
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of download) text += decoder.decode(chunk, { stream: true });
      expect(text).to.equal(whole);
      expect(await new Response((await contacts.export()).stream).text()).to.equal(whole);
    });

    it('the time of a try does not run while a download waits to be read, nor while its reader works', async () => {
      await at.client().contacts.upsert({ email: 'waits@example.com' });
      const download = await at.client({ timeoutMs: 1_000 }).contacts.export();
      await sleep(1_200);
      let bytes = 0;
      for await (const chunk of download) {
        bytes += chunk.length;
        await sleep(1_200);
      }
      expect(bytes).to.be.above(0);
    });

    it('a download that is cut off fails with NETWORK', async () => {
      at.faults({ kind: 'cutAnswer' });
      const download = await at.client().contacts.export();
      expect(await failureOf(download.text())).to.include({ code: 'NETWORK' });
      expect(at.proxy.requests).to.have.length(1);
    });
  });
});
