import { expect } from 'chai';
import { SourceError, type SourceRow } from '../../core/migrations/source.ts';
import type { FetchFile } from '../../platform/providers/export-file.ts';
import { fetchFiles } from '../../platform/providers/foreign-files.ts';
import { type Pace, paceByHeaders } from '../../platform/providers/pace.ts';
import { openProviderA } from '../../platform/providers/provider-a.ts';
import { openProviderB } from '../../platform/providers/provider-b.ts';
import { type AccountA, sampleAccountA } from './account-a.ts';
import { type AccountB, sampleAccountB } from './account-b.ts';
import { expired } from './export-files.ts';
import { type Act, nullBody, serverError, tooManyRequestsA, tooManyRequestsB } from './faults.ts';
import { type ProviderA, startProviderA } from './provider-a.ts';
import { type ProviderB, startProviderB } from './provider-b.ts';

const noPace: Pace = { turn: async () => {}, answered: async () => 0 };

/** A file that is not on any server. */
function served(body: AsyncIterable<Uint8Array>): FetchFile {
  return async () => ({ status: 200, body, close: () => {} });
}

async function failure(reading: Promise<unknown>): Promise<SourceError> {
  try {
    await reading;
  } catch (error) {
    expect(error).instanceOf(SourceError);
    return error as SourceError;
  }
  throw new Error('it did not fail');
}

describe('The client of provider A', () => {
  let account: AccountA;
  let provider: ProviderA;

  beforeEach(async () => {
    account = sampleAccountA();
    provider = await startProviderA([account]);
  });
  afterEach(() => provider.stop());

  function open(patienceMs = 60_000) {
    const allowPrivateUrls = [new URL(provider.files.url).host];
    return openProviderA(provider.url, fetchFiles({ allowPrivateUrls }), { key: account.key, patienceMs });
  }

  async function exported(listId: string | null): Promise<SourceRow[]> {
    const source = open();
    const id = await source.startExport(listId === null ? null : [listId]);
    let state = await source.readExport(id);
    while (state.state === 'pending') state = await source.readExport(id);
    const rows: SourceRow[] = [];
    for (const url of state.urls) for await (const batch of source.readExportFile(url, 7)) rows.push(...batch);
    return rows;
  }

  it('reads every page of templates, of both generations, and only the active version', async () => {
    const source = open();
    const items = await source.listTemplates();
    expect(items.map(({ name }) => name)).deep.equal(account.templates.map(({ name }) => name));
    const welcome = await source.readTemplate(items[0]?.id ?? '');
    expect(welcome?.html).contains('Hello {{first_name}}');
    expect(await source.readTemplate(items[3]?.id ?? '')).equal(null);
    expect(await source.readTemplate(items[4]?.id ?? '')).equal(null);
  });

  it('takes only the token from the link to the next page, whatever host the link names', async () => {
    account.lists = Array.from({ length: 1500 }, (_, index) => ({ id: `list-${index}`, name: `List ${index}` }));
    expect(await open().listLists()).length(1500);
    expect(provider.log.map(({ url }) => url.replace(/page_token=.*/, 'page_token=...'))).deep.equal([
      '/v3/marketing/lists?page_size=1000',
      '/v3/marketing/lists?page_size=1000&page_token=...',
    ]);
    const away = { result: [{ id: 'a', name: 'a' }], _metadata: { next: 'http://127.0.0.1:1/steal?page_token=x' } };
    provider.faults.push({ on: /marketing\/lists/, act: { kind: 'answer', answer: { status: 200, body: away } } });
    account.lists = [{ id: 'b', name: 'b' }];
    expect((await open().listLists()).map(({ id }) => id)).deep.equal(['a', 'b']);
  });

  it('waits as long as a 429 says, in epoch seconds as in seconds from now', async () => {
    for (const mode of ['epoch', 'delta'] as const) {
      const act = tooManyRequestsA(mode);
      const { headers } = (act as Extract<Act, { kind: 'answer' }>).answer;
      expect(await paceByHeaders().answered(429, new Headers(headers)), mode).within(500, 1_000);
      provider.faults.push({ on: /scopes/, act });
      const began = performance.now();
      await open().checkKey();
      expect(performance.now() - began, mode).within(400, 30_000);
    }
  });

  it('asks again after 500, a reset connection and broken JSON, and reads null as nothing', async () => {
    provider.faults.push({ on: /groups/, act: serverError });
    provider.faults.push({ on: /groups/, act: { kind: 'reset' } });
    provider.faults.push({ on: /groups/, act: { kind: 'truncate' } });
    expect(await open().listGroups()).length(3);
    expect(provider.log.map(({ fault }) => fault)).deep.equal(['answer', 'reset', 'truncate', undefined]);
    provider.faults.push({ on: /groups/, act: nullBody });
    expect(await open().listGroups()).deep.equal([]);
  });

  it('gives up when its patience is over, and says what the provider said', async () => {
    provider.faults.push({ on: /scopes/, times: 100, act: serverError });
    const error = await failure(open(500).checkKey());
    expect([error.kind, error.status]).deep.equal(['unavailable', 500]);
  });

  it('distinguishes a refused key from a missing scope, and never shows the key', async () => {
    account.scopes = [];
    expect((await failure(open().listGroups())).kind).equal('forbidden');
    account.revoked = true;
    const echo = { errors: [{ message: `bad key ${account.key}` }] };
    provider.faults.push({ on: /scopes/, act: { kind: 'answer', answer: { status: 401, body: echo } } });
    const error = await failure(open().checkKey());
    expect(error.kind).equal('invalid_key');
    expect(error.message).not.contains(account.key);
    expect((await failure(open().checkKey())).message).contains('revoked');
  });

  it('never follows a redirect with the key, and refuses an answer of unknown shape or size', async () => {
    const moved = { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    provider.faults.push({ on: /scopes/, act: { kind: 'answer', answer: moved } });
    expect((await failure(open().checkKey())).kind).equal('refused');
    provider.faults.push({ on: /scopes/, act: { kind: 'answer', answer: { status: 200, body: { scopes: 'all' } } } });
    expect((await failure(open().checkKey())).kind).equal('malformed');
    const huge = `{"scopes":["${'x'.repeat(11 * 1024 * 1024)}"]}`;
    provider.faults.push({ on: /scopes/, act: { kind: 'answer', answer: { status: 200, body: huge } } });
    expect((await failure(open().checkKey())).kind).equal('too_large');
    expect(provider.log.every(({ userAgent }) => userAgent?.startsWith('Everpost/'))).equal(true);
  });

  it('fills up the addresses of a group when its one array is capped', async () => {
    account.exports.suppressionsMax = 1;
    const source = open();
    const [news, offers] = await source.listGroups();
    expect(await source.listGroupAddresses(news!)).deep.equal([
      'gone1@example.com',
      'gone2@example.com',
      'Gone3@Example.com',
    ]);
    expect(await source.listGroupAddresses(offers!)).deep.equal(['gone2@example.com']);
  });

  it('refuses pages that repeat, and an export that is ready without a file', async () => {
    const ok = (body: unknown): Act => ({ kind: 'answer', answer: { status: 200, body } });
    const list = { result: [{ id: 'a', name: 'a' }], _metadata: { next: 'https://x.example/?page_token=same' } };
    provider.faults.push({ on: /marketing\/lists/, times: 1_000, act: ok(list) });
    expect((await failure(open().listLists())).kind).equal('malformed');
    const rows = Array.from({ length: 500 }, (_, index) => ({ email: `p${index}@example.com`, group_id: 77 }));
    provider.faults.push({ on: /asm\/suppressions/, times: 1_000, act: ok(rows) });
    const group = { id: '1234', name: 'Weekly news', description: '', suppressedCount: 1_000_000 };
    expect((await failure(open().listGroupAddresses(group))).kind).equal('malformed');
    provider.faults.push({ on: /exports\/some/, act: ok({ status: 'ready', urls: [] }) });
    expect((await failure(open().readExport('some'))).kind).equal('file_gone');
    provider.faults.push({ on: /exports\/some/, act: ok({ status: 'ready', urls: [], contact_count: 0 }) });
    expect((await open().readExport('some')).state).equal('ready');
    expect(provider.log.length).below(10);
  });

  it('reads an export packed or plain, in one part or three, and sends no key to its host', async () => {
    for (const [gzip, parts] of [
      [true, 1],
      [false, 1],
      [true, 3],
    ] as const) {
      Object.assign(account.exports, { gzip, parts });
      const rows = await exported(null);
      const emails = rows.map((row) => row.ok && row.contact.email);
      expect(emails).deep.equal(account.contacts.map(({ email }) => email));
    }
    const [news] = account.lists;
    expect(await exported(news?.id ?? '')).length(20);
    expect(provider.files.log.every(({ key }) => key === undefined)).equal(true);
  });

  it('fetches no file from an address that is not public, whatever the source says', async () => {
    const source = openProviderA(provider.url, fetchFiles({ allowPrivateUrls: [] }), {
      key: account.key,
      patienceMs: 0,
    });
    const urls = [`${provider.files.url}/x/part-0.json.gzip`, 'file:///etc/passwd', 'https://localhost/x', 'no url'];
    for (const url of urls) {
      const read = source.readExportFile(url, 10)[Symbol.asyncIterator]();
      expect((await failure(read.next())).kind, url).equal('file_gone');
    }
    expect(provider.files.log).deep.equal([]);
  });

  it('reads a CSV export too, with names of custom fields in any case', async () => {
    const { csvOf } = await import('./export-files.ts');
    const file = served(pieces(Buffer.from(csvOf(account)), 5));
    const source = openProviderA(provider.url, file, { key: account.key, patienceMs: 0 });
    const rows: SourceRow[] = [];
    for await (const batch of source.readExportFile('https://files.example.com/x', 100)) rows.push(...batch);
    const third = rows[3]?.ok ? rows[3].contact : null;
    expect(third?.email).equal('person3@example.com');
    expect(third?.properties).deep.include({ num_orders: '3', 'company name': 'Company "3", Ltd' });
  });

  it('says that the file is gone when it is cut, expired or ends inside a line, and reads an empty one as no contacts', async () => {
    const faults: ['cut' | 'truncate', boolean][] = [
      ['cut', true],
      ['truncate', true],
      ['cut', false],
      ['truncate', false],
    ];
    for (const [kind, gzip] of faults) {
      account.exports.gzip = gzip;
      provider.files.faults.push({ on: /part/, act: { kind } });
      expect((await failure(exported(null))).kind, `${kind} ${gzip}`).equal('file_gone');
    }
    provider.files.faults.push({ on: /part/, act: { kind: 'answer', answer: expired } });
    expect((await failure(exported(null))).kind).equal('file_gone');
    account.contacts = [];
    expect(await exported(null)).deep.equal([]);
  });

  it('stops at a file that grows a hundredfold when unpacked', async () => {
    const { gzipSync } = await import('node:zlib');
    const line = `{"name":"${'x'.repeat(100_000)}"}\n`;
    const bomb = gzipSync(line.repeat(300));
    const file = served(pieces(bomb, 16_384));
    const source = openProviderA(provider.url, file, { key: account.key, patienceMs: 0 });
    const read = source.readExportFile('https://files.example.com/x', 1_000)[Symbol.asyncIterator]();
    expect((await failure(read.next() as Promise<unknown>)).kind).equal('too_large');
  });
});

describe('The client of provider B', () => {
  let account: AccountB;
  let provider: ProviderB;

  beforeEach(async () => {
    account = sampleAccountB({ ratePerSecond: 1000 }, 250);
    provider = await startProviderB([account]);
  });
  afterEach(() => provider.stop());

  const open = (pace = noPace, patienceMs = 60_000) =>
    openProviderB(provider.url, pace, { key: account.key, patienceMs });

  it('reads more topics, templates and contacts than one page holds', async () => {
    const source = open();
    expect(await source.listTopics()).length(22);
    expect(await source.listTemplates()).length(23);
    const first = await source.listContacts(null);
    const second = await source.listContacts(first.contacts.at(-1)?.sourceId ?? null);
    expect([first.contacts.length, first.hasMore, second.contacts.length, second.hasMore]).deep.equal([
      100,
      true,
      100,
      true,
    ]);
    expect(provider.log.every(({ url }) => url.includes('limit=100'))).equal(true);
  });

  it('reads the properties of one contact, typed or flat, and null when it was deleted in between', async () => {
    const rich = account.contacts.find(({ properties }) => Object.keys(properties).length > 0)!;
    const found = await open().readContact(rich.id);
    expect(found?.properties).deep.equal(rich.properties);
    account.contacts = account.contacts.filter((contact) => contact !== rich);
    expect(await open().readContact(rich.id)).equal(null);
  });

  it('falls back to audiences where segments are not there yet', async () => {
    account.hasSegments = false;
    const [customers] = await open().listSegments();
    expect(customers?.name).equal('Customers');
    expect((await open().listContacts(null, customers?.id)).contacts).length(100);
  });

  it('takes a property of a type that it does not know for a text', async () => {
    const data = ['__proto__', 'constructor', 'list'].map((type) => ({ id: type, key: type, type }));
    provider.faults.push({ on: /properties/, act: { kind: 'answer', answer: { status: 200, body: { data } } } });
    const fields = await open().listFields();
    expect(fields.map(({ fieldType }) => fieldType)).deep.equal(['string', 'string', 'string']);
  });

  it('does not break on an id that is no well-formed text', async () => {
    expect((await failure(open().readTemplate('\ud800'))).kind).equal('not_found');
    expect(await open().readContact('\udc00')).equal(null);
  });

  it('says when the contact at the cursor is gone', async () => {
    expect((await failure(open().listContacts('00000000-0000-0000-0000-000000000000'))).kind).equal('stale_cursor');
  });

  it('knows a bad key by its words, whichever status it comes with', async () => {
    account.keyState = 'invalid';
    for (const status of [400, 401, 403] as const) {
      account.invalidStatus = status;
      expect((await failure(open().listTopics())).kind, String(status)).equal('invalid_key');
    }
    account.keyState = 'sending_only';
    expect((await failure(open().listTopics())).kind).equal('forbidden');
  });

  it('does not take a block by the front of the provider for a bad key', async () => {
    const blocked = { status: 403, headers: { 'content-type': 'text/plain' }, body: 'error code: 1010\n' };
    provider.faults.push({ on: /topics/, act: { kind: 'answer', answer: blocked } });
    expect((await failure(open().listTopics())).kind).equal('refused');
  });

  it('asks again after a 429, but not when the quota is used up', async () => {
    provider.faults.push({ on: /topics/, act: tooManyRequestsB() });
    expect(await open().listTopics()).length(22);
    provider.faults.push({
      on: /topics/,
      act: tooManyRequestsB('monthly_quota_exceeded', 'You have reached your quota.'),
    });
    const before = provider.log.length;
    expect((await failure(open().listTopics())).kind).equal('quota');
    expect(provider.log.length - before).equal(1);
  });

  it('refuses a list whose cursor repeats, and one whose empty page promises more', async () => {
    const again = { object: 'list', has_more: true, data: [{ id: 'same', name: 'same' }] };
    provider.faults.push({ on: /topics/, times: 2, act: { kind: 'answer', answer: { status: 200, body: again } } });
    expect((await failure(open().listTopics())).kind).equal('malformed');
    const empty = { object: 'list', has_more: true, data: [] };
    provider.faults.push({ on: /topics/, act: { kind: 'answer', answer: { status: 200, body: empty } } });
    expect((await failure(open().listTopics())).kind).equal('malformed');
    expect(provider.log).length(3);
  });
});

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
