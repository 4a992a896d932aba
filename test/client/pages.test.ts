import { expect } from 'chai';
import { failureOf, useProxy } from './client-of.ts';

const CONTACTS = 230;

describe('Pages of the client', () => {
  const at = useProxy();
  before(async () => {
    const emails = Array.from({ length: CONTACTS }, (_, index) => `p${String(index).padStart(3, '0')}@example.com`);
    for (let from = 0; from < CONTACTS; from += 100) {
      const contacts = emails.slice(from, from + 100).map((email) => ({ email }));
      await at.client().contacts.bulkUpdate({ contacts });
    }
  });

  async function walk(entries: AsyncIterable<{ email: string }>): Promise<string[]> {
    const emails: string[] = [];
    for await (const { email } of entries) emails.push(email);
    return emails;
  }
  const pagesAsked = () => at.proxy.requests.map(({ url }) => new URL(url ?? '', at.proxy.url).search);

  it('`for await` goes over every entry once, a hundred a request; `await` gives one page as the API has it', async () => {
    at.faults();
    const emails = await walk(at.client().contacts.list());
    expect(new Set(emails).size).to.equal(CONTACTS);
    expect(emails).to.have.length(CONTACTS);
    expect(pagesAsked()).to.deep.equal(['?page=1&limit=100', '?page=2&limit=100', '?page=3&limit=100']);
    at.faults();
    const { contacts, pagination } = await at.client().contacts.list({ limit: 7, page: 2 });
    expect(contacts.map(({ email }) => email)).to.deep.equal(emails.slice(7, 14));
    expect(pagination).to.deep.equal({ page: 2, limit: 7, total: CONTACTS, pages: Math.ceil(CONTACTS / 7) });
    expect((await at.client().contacts.list()).contacts).to.have.length(20);
    expect(pagesAsked()).to.deep.equal(['?limit=7&page=2', '']);
  });

  it('a walk keeps the filter, begins with the page that is asked for, and ends with `break`', async () => {
    at.faults();
    const found = await walk(at.client().contacts.list({ search: 'p00', limit: 3, page: 2 }));
    expect(found).to.have.length(7);
    for await (const { email } of at.client().contacts.list({ limit: 3 })) if (email) break;
    expect(pagesAsked().at(-1)).to.contain('page=1');
    expect(at.proxy.requests).to.have.length(4);
  });

  it('searches that are POSTs are pages as well, each request with a key of its own', async () => {
    at.faults();
    const search = { contactListId: 'GLOBAL_CONTACT_LIST', email: 'p0', limit: 60 };
    const found = await walk(at.client().contactLists.searchContacts(search));
    expect(found).to.have.length(100);
    const keys = at.proxy.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.length(2);
    expect(new Set(keys).size).to.equal(2);
  });

  it('an entry that is created during the walk repeats none', async () => {
    at.faults();
    const seen: string[] = [];
    for await (const { email } of at.client().contacts.list({ limit: 50 })) {
      seen.push(email);
      if (seen.length !== 10) continue;
      // Newer by the second than all others, so that it comes first in the list.
      at.environment.clock.advance(2_000);
      await at.client().contacts.create({ email: 'new@example.com' });
    }
    expect(seen).to.have.length(CONTACTS);
    expect(new Set(seen).size).to.equal(CONTACTS);
    expect(seen).to.not.include('new@example.com');
  });

  it('nothing is asked before it is awaited, and an awaited page is asked once', async () => {
    at.faults();
    const pages = at.client().contacts.list({ limit: 1 });
    expect(at.proxy.requests).to.have.length(0);
    expect(await pages).to.equal(await pages);
    let isOver = false;
    await pages.finally(() => {
      isOver = true;
    });
    expect(isOver).to.equal(true);
    expect(at.proxy.requests).to.have.length(1);
    const caught = await at
      .client({ apiKey: 'AS_none_none' })
      .contacts.list()
      .catch((error: { status: number }) => error.status);
    expect(caught).to.equal(401);
  });

  it('a page that fails ends the walk with its error', async () => {
    at.faults({ kind: 'none' }, { kind: 'refuse', status: 500, body: '{}' });
    const walking = walk(at.client().contacts.list({ limit: 100 }));
    expect((await failureOf(walking)).status).to.equal(500);
  });
});
