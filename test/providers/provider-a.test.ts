import { gunzipSync } from 'node:zlib';
import sendgrid from '@sendgrid/client';
import { expect } from 'chai';
import { type AccountA, sampleAccountA } from './account-a.ts';
import { matchesSpec } from './openapi.ts';
import { type ProviderA, startProviderA } from './provider-a.ts';

type Fields = Record<string, unknown>;

describe('The stand-in of provider A', () => {
  let account: AccountA;
  let provider: ProviderA;

  before(async () => {
    account = sampleAccountA();
    account.exports.polls = 1;
    provider = await startProviderA([account]);
    sendgrid.setApiKey(account.key);
    sendgrid.setDefaultRequest('baseUrl', `${provider.url}/`);
  });
  after(() => provider.stop());

  /** Through the provider's own client, which throws on anything but 2xx. */
  async function official(url: string, method: 'GET' | 'POST' = 'GET', body?: object): Promise<unknown> {
    const [, answer] = await sendgrid.request({ url, method, ...(body ? { body } : {}) });
    return answer;
  }

  async function raw(path: string, headers: Record<string, string> = { authorization: `Bearer ${account.key}` }) {
    const response = await fetch(provider.url + path, { headers });
    return { status: response.status, body: (await response.json()) as Fields };
  }

  it('answers every read of a migration to the official client, in the shapes of the official description', async () => {
    const reads = [
      ['tsg_scopes_v3', '/v3/scopes', '/v3/scopes'],
      ['tsg_mc_custom_fields_v3', '/v3/marketing/field_definitions', '/v3/marketing/field_definitions'],
      ['tsg_mc_lists_v3', '/v3/marketing/lists', '/v3/marketing/lists?page_size=2'],
      ['tsg_mc_lists_v3', '/v3/marketing/lists/{id}', `/v3/marketing/lists/${account.lists[0]?.id}`],
      ['tsg_mc_contacts_v3', '/v3/marketing/contacts/count', '/v3/marketing/contacts/count'],
      ['tsg_suppressions_v3', '/v3/asm/groups', '/v3/asm/groups'],
      ['tsg_suppressions_v3', '/v3/asm/groups/{group_id}', '/v3/asm/groups/1234'],
      ['tsg_suppressions_v3', '/v3/asm/groups/{group_id}/suppressions', '/v3/asm/groups/1234/suppressions'],
      ['tsg_suppressions_v3', '/v3/asm/suppressions', '/v3/asm/suppressions?limit=2&offset=1'],
      ['tsg_suppressions_v3', '/v3/suppression/unsubscribes', '/v3/suppression/unsubscribes'],
      ['tsg_suppressions_v3', '/v3/suppression/bounces', '/v3/suppression/bounces?limit=1&offset=1'],
      ['tsg_suppressions_v3', '/v3/suppression/blocks', '/v3/suppression/blocks'],
      ['tsg_suppressions_v3', '/v3/suppression/invalid_emails', '/v3/suppression/invalid_emails?start_time=1443651141'],
      ['tsg_suppressions_v3', '/v3/suppression/spam_reports', '/v3/suppression/spam_reports'],
      ['tsg_templates_v3', '/v3/templates', '/v3/templates?generations=legacy,dynamic&page_size=200'],
      ['tsg_templates_v3', '/v3/templates/{template_id}', `/v3/templates/${account.templates[0]?.id}`],
    ] as const;
    for (const [file, path, url] of reads) {
      const faults = matchesSpec(file, 'get', path, 200, await official(url));
      expect(faults, `${url}: ${faults.join('; ')}`).deep.equal([]);
    }
  });

  it('hides dynamic templates unless they are asked for, and has the old shape without page_size', async () => {
    const legacyOnly = (await official('/v3/templates?page_size=10')) as { result: Fields[] };
    expect(legacyOnly.result.map(({ generation }) => generation)).deep.equal(['legacy']);
    const unpaged = (await official('/v3/templates?generations=dynamic')) as { templates: Fields[] };
    expect(unpaged.templates).length(4);
  });

  it('pages templates with an absolute link that leaves page_size out, and shows no HTML in lists', async () => {
    const first = (await raw('/v3/templates?generations=legacy,dynamic&page_size=2')).body as {
      result: { versions: Fields[] }[];
      _metadata: { next: string };
    };
    const next = new URL(first._metadata.next);
    expect(next.origin).equal(provider.url);
    expect(next.searchParams.has('page_size')).equal(false);
    expect(next.searchParams.get('generations')).equal('legacy,dynamic');
    expect(first.result[0]?.versions[0]).not.property('html_content');
    const rest = `${next.pathname}${next.search}&page_size=10`;
    const last = (await raw(rest)).body as { result: Fields[]; _metadata: Fields };
    expect(last.result).length(3);
    expect(last._metadata).not.property('next');
  });

  it('refuses a missing key, a revoked key and a missing scope each in its own words', async () => {
    expect(await raw('/v3/scopes', {})).deep.equal({
      status: 401,
      body: { errors: [{ field: null, message: 'authorization required' }] },
    });
    account.revoked = true;
    const revoked = await raw('/v3/scopes');
    account.revoked = false;
    expect(revoked.status).equal(401);
    expect(JSON.stringify(revoked.body)).contains('invalid, expired, or revoked');
    account.scopes = account.scopes.filter((scope) => scope !== 'asm.groups.read');
    const forbidden = await raw('/v3/asm/groups');
    account.scopes.push('asm.groups.read');
    expect(forbidden).deep.equal({ status: 403, body: { errors: [{ field: null, message: 'access forbidden' }] } });
  });

  it('exports contacts as gzipped NDJSON on another origin, after a pending answer', async () => {
    const started = (await official('/v3/marketing/contacts/exports', 'POST', { file_type: 'json' })) as { id: string };
    const state = async () => (await official(`/v3/marketing/contacts/exports/${started.id}`)) as Fields;
    expect((await state()).status).equal('pending');
    const ready = (await state()) as { status: string; urls: string[] };
    expect(ready.status).equal('ready');
    const [url = ''] = ready.urls;
    expect(new URL(url).origin).not.equal(provider.url);
    const withKey = await fetch(url, { headers: { authorization: `Bearer ${account.key}` } });
    expect(withKey.status).equal(400);
    const file = gunzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).toString();
    const rows = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Fields);
    expect(rows).length(40);
    expect(rows[3]).deep.include({
      email: 'person3@example.com',
      custom_fields: { num_orders: 3, 'Company Name': 'Company "3", Ltd' },
    });
  });

  it('exports one list as CSV with quoted values and bare empty ones', async () => {
    const [list] = account.lists;
    const started = (await official('/v3/marketing/contacts/exports', 'POST', { list_ids: [list?.id] })) as {
      id: string;
    };
    await official(`/v3/marketing/contacts/exports/${started.id}`);
    const ready = (await official(`/v3/marketing/contacts/exports/${started.id}`)) as {
      urls: string[];
      contact_count: number;
    };
    expect(ready.contact_count).equal(20);
    const file = gunzipSync(Buffer.from(await (await fetch(ready.urls[0] ?? '')).arrayBuffer())).toString();
    const [header, first] = file.split('\n');
    expect(header).match(/^"EMAIL","FIRST_NAME",.*"CONTACT_ID","NUM_ORDERS","DOB","COMPANY NAME","PHONE_NUMBER_ID"/);
    expect(first).match(/^"person0@example.com",,"Last0",,,/);
  });
});
