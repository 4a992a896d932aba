import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Resend } from 'resend';
import { type AccountB, sampleAccountB } from './account-b.ts';
import { matchesSpec } from './openapi.ts';
import { type ProviderB, startProviderB } from './provider-b.ts';

type Fields = Record<string, unknown>;
interface Recorded {
  method: string;
  url: string;
  status: number;
  headers: Record<string, string>;
  body: Fields;
}

const recordings = JSON.parse(
  readFileSync(new URL('../fixtures/providers/resend-recorded-live.json', import.meta.url), 'utf8'),
) as { entries: Recorded[] };

describe('The stand-in of provider B', () => {
  let account: AccountB;
  let provider: ProviderB;
  let resend: Resend;

  before(async () => {
    account = sampleAccountB({ ratePerSecond: 1000 });
    provider = await startProviderB([account]);
    resend = new Resend(account.key, { baseUrl: provider.url });
  });
  after(() => provider.stop());

  async function raw(path: string, headers: Record<string, string> = {}) {
    const all = { authorization: `Bearer ${account.key}`, 'user-agent': 'everpost-test', ...headers };
    const response = await fetch(provider.url + path, { headers: all });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Fields };
  }

  it('answers every read of a migration to the official client', async () => {
    const [template, contact, segment] = [account.templates[1], account.contacts[0], account.segments[0]];
    const reads = [
      await resend.templates.list({ limit: 100 }),
      await resend.templates.get(template?.id ?? ''),
      await resend.contactProperties.list({ limit: 100 }),
      await resend.segments.list({ limit: 100 }),
      await resend.audiences.list(),
      await resend.contacts.list({ limit: 100 }),
      await resend.contacts.list({ segmentId: segment?.id ?? '', limit: 100 }),
      await resend.contacts.get({ id: contact?.id ?? '' }),
      await resend.topics.list(),
    ];
    for (const { data, error } of reads) expect({ error, data: data !== null }).deep.equal({ error: null, data: true });
  });

  it('answers in the shapes of the official description', async () => {
    const [template, contact, topic, property] = [
      account.templates[3],
      account.contacts[0],
      account.topics[0],
      account.properties[1],
    ];
    const reads = [
      ['/templates', '/templates?limit=5'],
      ['/templates/{id}', `/templates/${template?.id}`],
      ['/contact-properties', '/contact-properties'],
      ['/contact-properties/{id}', `/contact-properties/${property?.id}`],
      ['/segments', '/segments'],
      ['/contacts', '/contacts?limit=5'],
      ['/contacts/{id}', `/contacts/${contact?.id}`],
      ['/topics', '/topics'],
      ['/topics/{id}', `/topics/${topic?.id}`],
    ] as const;
    for (const [path, url] of reads) {
      const faults = matchesSpec('resend', 'get', path, 200, (await raw(url)).body);
      expect(faults, `${url}: ${faults.join('; ')}`).deep.equal([]);
    }
    expect(matchesSpec('resend', 'get', '/contacts', 200, { object: 'list', data: [{ id: 5 }] })).not.empty;
  });

  it('answers recorded requests with the status, the keys and the types of the live interface', async () => {
    const contact = account.contacts.find(({ segmentIds }) => segmentIds.length > 0);
    const ids: Record<string, string | undefined> = { contacts: contact?.id, segments: account.segments[0]?.id };
    const reads = recordings.entries.filter(
      ({ method, url }) => method === 'GET' && !/audiences\/.*contacts\/.*@/.test(url),
    );
    expect(reads.length).greaterThan(6);
    for (const recorded of reads) {
      const known = recorded.status === 200;
      const path = recorded.url.replace(/\/(contacts|segments|audiences)\/([^/?]+)/g, (whole, kind: string) =>
        known ? `/${kind}/${ids[kind] ?? ids.segments}` : whole,
      );
      const answer = await raw(path);
      expect(answer.status, path).equal(recorded.status);
      // A contact read through the deprecated audiences path has no properties in the older recordings.
      const live = path.startsWith('/audiences') ? { properties: {}, ...recorded.body } : recorded.body;
      expect(shapeOf(answer.body), path).deep.equal(shapeOf(live));
      for (const header of [
        'content-type',
        'ratelimit-limit',
        'ratelimit-policy',
        'ratelimit-remaining',
        'ratelimit-reset',
      ])
        expect(answer.headers.has(header), `${path} ${header}`).equal(true);
      if (!known) expect(answer.body).deep.equal(recorded.body);
    }
  });

  it('refuses an empty User-Agent as its front does, in plain text, before it looks at the key', async () => {
    const blocked = await raw('/templates', { 'user-agent': '' });
    expect([blocked.status, blocked.body]).deep.equal([403, 'error code: 1010\n']);
  });

  it('distinguishes a missing, an invalid and a sending-only key', async () => {
    const missing = await raw('/templates', { authorization: '' });
    const invalid = await raw('/templates', { authorization: 'Bearer re_wrong' });
    account.keyState = 'sending_only';
    const restricted = await raw('/templates');
    account.keyState = 'valid';
    expect([missing.status, missing.body.name]).deep.equal([401, 'missing_api_key']);
    expect([invalid.status, invalid.body.message]).deep.equal([400, 'API key is invalid']);
    expect([restricted.status, restricted.body.name]).deep.equal([401, 'restricted_api_key']);
  });

  it('pages newest first by cursor, 100 at most, and gives everything or 20 without a limit', async () => {
    const first = (await raw('/contacts?limit=30')).body as { has_more: boolean; data: Fields[] };
    expect([first.has_more, first.data.length]).deep.equal([true, 30]);
    const last = (await raw(`/contacts?limit=30&after=${first.data[29]?.id}`)).body as {
      has_more: boolean;
      data: Fields[];
    };
    expect([last.has_more, last.data.length]).deep.equal([false, 10]);
    expect(String(first.data[0]?.created_at) > String(last.data[9]?.created_at)).equal(true);
    expect(((await raw('/contacts')).body.data as Fields[]).length).equal(40);
    expect(((await raw('/topics')).body.data as Fields[]).length).equal(20);
    expect((await raw('/topics?limit=101')).status).equal(422);
    expect((await raw('/topics?after=nobody')).status).equal(422);
  });

  it('shows properties of one contact as type and value, and of none in a list', async () => {
    const rich = account.contacts.find(({ properties }) => Object.keys(properties).length > 0);
    const one = (await raw(`/contacts/${encodeURIComponent(rich?.email ?? '')}`)).body;
    expect((one.properties as Fields).plan).deep.equal({ type: 'string', value: rich?.properties.plan });
    expect(((await raw('/contacts?limit=1')).body.data as Fields[])[0]).not.property('properties');
  });

  it('lets no more than its limit through in a second of the clock', async () => {
    account.ratePerSecond = 2;
    const answers = await Promise.all(Array.from({ length: 40 }, () => raw('/topics')));
    account.ratePerSecond = 1000;
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).greaterThan(3);
    expect(limited[0]?.headers.get('retry-after')).equal('1');
    expect(limited[0]?.body.name).equal('rate_limit_exceeded');
  });
});

/** Keys and types, with `null` and a value of the same place as equals, and one row for all rows of an array. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null || typeof value !== 'object') return value === null ? 'string' : typeof value;
  const entries = Object.entries(value).filter(([key]) => key !== 'properties');
  return Object.fromEntries(entries.map(([key, inner]): [string, unknown] => [key, shapeOf(inner)]).sort());
}
