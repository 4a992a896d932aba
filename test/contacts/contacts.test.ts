import { expect } from 'chai';
import { useEnvironment } from '../support/environment.ts';

describe('Contacts', () => {
  const environment = useEnvironment();

  const randomId = '0123456789abcdef01234567';
  const client = () => environment.own.client;
  const upsert = (body: object) => client().post('/contacts/email', body);
  const count = (filter = {}) =>
    environment.deps.db.contacts.countDocuments({ projectId: environment.own.project._id, ...filter });

  describe('Upsert', () => {
    it('answers every documented field, and stores the email in lower case', async () => {
      const { status, body } = await upsert({
        email: ' Ann@Example.COM ',
        firstName: 'Ann',
        lastName: 'Lee',
        userId: 'u-1',
        mobile: '+12025550123',
        contactProperties: { plan: 'gold', visits: 3, vip: true, since: '2026-01-01T00:00:00.000Z' },
      });
      expect(status).to.equal(200);
      const { id, createdAt, updatedAt, ...rest } = body.data;
      expect(id).to.match(/^[0-9a-f]{24}$/);
      expect(new Date(createdAt).toISOString()).to.equal(createdAt);
      expect(updatedAt).to.equal(createdAt);
      const contactProperties = { plan: 'gold', visits: 3, vip: true, since: '2026-01-01T00:00:00.000Z' };
      expect(rest).to.deep.equal({
        email: 'ann@example.com',
        firstName: 'Ann',
        lastName: 'Lee',
        userId: 'u-1',
        mobile: '+12025550123',
        contactProperties,
        customFields: contactProperties,
        listIds: [],
        segmentIds: [],
        projectId: environment.own.project._id.toHexString(),
      });
    });

    it('updates the contact with the same email, however it is spelled', async () => {
      const first = await upsert({ email: 'same@example.com', firstName: 'One' });
      const second = await upsert({ email: 'SAME@example.com.', firstName: 'Two' });
      expect(second.body.data).to.include({ id: first.body.data.id, firstName: 'Two' });
      expect(await count({ email: 'same@example.com' })).to.equal(1);
    });

    it('an empty string clears the stored value; null and omission leave it unchanged', async () => {
      const full = { firstName: 'F', lastName: 'L', userId: 'U', mobile: '+12025550123' };
      await upsert({ email: 'rules@example.com', ...full });
      const nulls = { firstName: null, lastName: null, userId: null, mobile: null };
      expect((await upsert({ email: 'rules@example.com', ...nulls })).body.data).to.include(full);
      expect((await upsert({ email: 'rules@example.com' })).body.data).to.include(full);
      const empty = { firstName: '', lastName: '', userId: '', mobile: '' };
      expect((await upsert({ email: 'rules@example.com', ...empty })).body.data).to.include(nulls);
    });

    it('merges contactProperties: null removes one, others stay; customFields is an alias that loses a clash', async () => {
      await upsert({ email: 'props@example.com', contactProperties: { a: 1, b: 'x', c: true } });
      const { body } = await upsert({
        email: 'props@example.com',
        customFields: { a: 2, d: 'alias' },
        contactProperties: { a: 3, b: null },
      });
      expect(body.data.contactProperties).to.deep.equal({ a: 3, c: true, d: 'alias' });
      expect(body.data.customFields).to.deep.equal(body.data.contactProperties);
    });

    it('the same request again changes nothing, updatedAt neither', async () => {
      const body = { email: 'again@example.com', firstName: 'A', contactProperties: { a: 1 } };
      const first = await upsert(body);
      expect((await upsert(body)).body.data).to.deep.equal(first.body.data);
    });

    it('200 properties are kept, one more is refused', async () => {
      const many = (size: number) =>
        Object.fromEntries(Array.from({ length: size }, (_, index) => [`p${index}`, index]));
      expect((await upsert({ email: 'many@example.com', contactProperties: many(200) })).status).to.equal(200);
      expect((await upsert({ email: 'many@example.com', contactProperties: { one: 1 } })).status).to.equal(400);
      expect((await upsert({ email: 'more@example.com', contactProperties: many(201) })).status).to.equal(400);
      expect(await count({ email: 'more@example.com' })).to.equal(0);
    });

    const badAddresses = [
      '',
      'plain',
      'a@localhost',
      'a@b',
      'a@-b.test',
      'a..b@c.test',
      '.a@b.test',
      '"x y"@b.test',
      'A <a@b.test>',
      'a@b.test, c@d.test',
      'a@[127.0.0.1]',
      'a@b.test\r\nBcc: x@y.test',
      `${'x'.repeat(65)}@b.test`,
      'аnn@b.test',
      'a\u00ad@b.test',
      'a@\u200bb.test',
    ];
    it('refuses what is no address with 400 and writes nothing', async () => {
      const before = await count();
      for (const email of badAddresses) {
        const { status, body } = await upsert({ email });
        expect([email, status, body.error.code]).to.deep.equal([email, 400, 'VALIDATION_ERROR']);
      }
      expect(await count()).to.equal(before);
    });

    it('both spellings of an international domain are one contact', async () => {
      const first = await upsert({ email: 'a@例え.jp' });
      const second = await upsert({ email: 'a@xn--r8jz45g.jp' });
      expect(first.body.data.email).to.equal('a@xn--r8jz45g.jp');
      expect(second.body.data.id).to.equal(first.body.data.id);
    });

    it('mobile is E.164, anything else is 400', async () => {
      for (const mobile of ['2025550123', '+0123456', '+1 202', `+${'1'.repeat(16)}`, 'x', 12025550123])
        expect((await upsert({ email: 'mobile@example.com', mobile })).status, String(mobile)).to.equal(400);
      expect(await count({ email: 'mobile@example.com' })).to.equal(0);
      expect((await upsert({ email: 'mobile@example.com', mobile: '+4930123456' })).body.data.mobile).to.equal(
        '+4930123456',
      );
    });

    it('refuses properties with names or values that are none', async () => {
      const bad = [{ 'a.b': 1 }, { $where: 1 }, { '': 1 }, { ['x'.repeat(65)]: 1 }, { a: {} }, { a: [1] }];
      for (const contactProperties of bad)
        expect((await upsert({ email: 'bad@example.com', contactProperties })).status).to.equal(400);
      expect((await upsert({ email: 'bad@example.com', contactProperties: { a: 'x'.repeat(4_097) } })).status).to.equal(
        400,
      );
      expect(await count({ email: 'bad@example.com' })).to.equal(0);
    });

    it('fields that callers cannot assign are ignored and never stored', async () => {
      const { body } = await upsert({
        email: 'extra@example.com',
        segmentIds: [randomId],
        projectId: randomId,
        createdAt: '2000-01-01T00:00:00.000Z',
        id: randomId,
        role: 'admin',
      });
      expect(body.data.segmentIds).to.deep.equal([]);
      expect(body.data.projectId).to.equal(environment.own.project._id.toHexString());
      expect(body.data.createdAt).to.not.contain('2000');
      const stored = await environment.deps.db.contacts.findOne({
        projectId: environment.own.project._id,
        email: 'extra@example.com',
      });
      expect(stored).to.not.have.any.keys('id', 'role');
    });

    it('adds to lists: an unknown id is 404, a segment 400, the global list is ignored; nothing is written on a refusal', async () => {
      const { id } = (await client().post('/contact-lists', { name: 'News' })).body.data;
      const filterCriteria = { groups: [{ field: 'firstName', operator: 'equals', value: 'nobody' }] };
      const segment = (await client().post('/contact-lists', { name: 'Seg', filterCriteria })).body.data.id;
      const theirs = (await environment.other.client.post('/contact-lists', { name: 'Theirs' })).body.data.id;
      const added = await upsert({ email: 'lists@example.com', listIds: [id, 'GLOBAL_CONTACT_LIST', id] });
      expect(added.body.data.listIds).to.deep.equal([id]);
      const answers = [];
      for (const unknown of [theirs, randomId, 'zzz']) {
        const { status, body, text } = await upsert({ email: 'no@example.com', listIds: [id, unknown] });
        expect([status, body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
        expect(body.error.details).to.contain('listIds');
        answers.push(text);
      }
      expect(new Set(answers).size).to.equal(1);
      const refused = await upsert({ email: 'no@example.com', listIds: [segment] });
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(await count({ email: 'no@example.com' })).to.equal(0);
    });

    it('200 addresses, each upserted ten times with 50 calls under way on a cold project: exactly 200 contacts and no 5xx', async () => {
      const tenant = await environment.newTenant('Cold');
      const calls = Array.from({ length: 200 * 10 }, (_, index) => index % 200);
      const statuses = new Set<number>();
      const next = async (): Promise<void> => {
        const index = calls.pop();
        if (index === undefined) return;
        const { status } = await tenant.client.post('/contacts/email', { email: `Cold${index}@example.com` });
        statuses.add(status);
        return next();
      };
      await Promise.all(Array.from({ length: 50 }, next));
      expect([...statuses]).to.deep.equal([200]);
      expect(await environment.deps.db.contacts.countDocuments({ projectId: tenant.project._id })).to.equal(200);
      const global = await tenant.client.get('/contact-lists/GLOBAL_CONTACT_LIST');
      expect(global.body.data.contactCount).to.equal(200);
    }).timeout(60_000);

    it('an Idempotency-Key gives the first answer again and creates one contact', async () => {
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const first = await client().post('/contacts/email', { email: 'once@example.com' }, headers);
      await upsert({ email: 'once@example.com', firstName: 'Later' });
      const second = await client().post('/contacts/email', { email: 'once@example.com' }, headers);
      expect(second.text).to.equal(first.text);
      expect(second.headers.get('idempotency-replayed')).to.equal('true');
    });
  });

  describe('Get and delete', () => {
    it('get answers the contact; delete removes it, and then it is 404', async () => {
      const { data } = (await upsert({ email: 'gone@example.com' })).body;
      expect((await client().get(`/contacts/${data.id}`)).body.data).to.deep.equal(data);
      expect((await client().delete(`/contacts/${data.id}`)).body).to.deep.equal({ success: true });
      const after = [await client().get(`/contacts/${data.id}`), await client().delete(`/contacts/${data.id}`)];
      for (const { status, body } of after) expect([status, body.error.code]).to.deep.equal([404, 'CONTACT_NOT_FOUND']);
    });

    it('malformed ids and those of another project are answered like a random one, byte by byte', async () => {
      const theirs = (await environment.other.client.post('/contacts/email', { email: 'x@example.com' })).body.data.id;
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const init = method === 'PATCH' ? { body: '{}', headers: { 'Content-Type': 'application/json' } } : {};
        const answers = [];
        for (const id of [randomId, theirs, 'zzz', `${randomId}0`, 'aaaaaaaaaaaa', '%00'])
          answers.push(await client().send(method, `/contacts/${id}`, init));
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([404]));
        expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
      }
      expect((await environment.other.client.get(`/contacts/${theirs}`)).status).to.equal(200);
    });

    it('a deleted contact leaves its lists and counts', async () => {
      const { id } = (await client().post('/contact-lists', { name: 'Leaving' })).body.data;
      const contact = (await upsert({ email: 'leaving@example.com', listIds: [id] })).body.data;
      expect((await client().get(`/contact-lists/${id}`)).body.data.contactCount).to.equal(1);
      await client().delete(`/contacts/${contact.id}`);
      expect((await client().get(`/contact-lists/${id}`)).body.data.contactCount).to.equal(0);
    });
  });

  describe('The older endpoints', () => {
    it('create answers 201, and 409 when the email is known', async () => {
      const created = await client().post('/contacts', { email: 'new@example.com', firstName: 'N' });
      expect([created.status, created.body.data.firstName]).to.deep.equal([201, 'N']);
      const again = await client().post('/contacts', { email: 'NEW@example.com', firstName: 'Other' });
      expect([again.status, again.body.error.code]).to.deep.equal([409, 'ALREADY_EXISTS']);
      expect((await client().get(`/contacts/${created.body.data.id}`)).body.data.firstName).to.equal('N');
    });

    it('create with an Idempotency-Key, repeated after its first try died behind the write, answers the contact it made', async () => {
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const first = await client().post('/contacts', { email: 'retried@example.com' }, headers);
      // The row as a process leaves it that dies between its write and its answer.
      const died = { state: 'running' as const, leaseUntil: new Date(0), status: null, body: null };
      await environment.deps.db.idempotency.updateMany({ state: 'done' }, { $set: died });
      const second = await client().post('/contacts', { email: 'retried@example.com' }, headers);
      expect([second.status, second.body.data.id]).to.deep.equal([201, first.body.data.id]);
    });

    it('PATCH changes every field, the email too; a taken one is 409', async () => {
      const one = (await upsert({ email: 'patch1@example.com', contactProperties: { a: 1 } })).body.data;
      await upsert({ email: 'patch2@example.com' });
      const patched = await client().patch(`/contacts/${one.id}`, {
        email: 'Patch3@example.com',
        firstName: 'P',
        contactProperties: { a: null, b: 2 },
      });
      expect(patched.body.data).to.deep.include({
        email: 'patch3@example.com',
        firstName: 'P',
        contactProperties: { b: 2 },
      });
      const taken = await client().patch(`/contacts/${one.id}`, { email: 'patch2@example.com', firstName: 'No' });
      expect([taken.status, taken.body.error.code]).to.deep.equal([409, 'ALREADY_EXISTS']);
      expect((await client().get(`/contacts/${one.id}`)).body.data.firstName).to.equal('P');
      expect((await upsert({ email: 'patch1@example.com' })).body.data.id).to.not.equal(one.id);
    });

    it('two contacts that take the same free address at once: one gets it, the other gets 409', async () => {
      const ids = [];
      for (const index of [1, 2]) ids.push((await upsert({ email: `race${index}@example.com` })).body.data.id);
      const answers = await Promise.all(
        ids.map((id) => client().patch(`/contacts/${id}`, { email: 'won@example.com' })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    });

    it('DELETE by userId deletes all that carry it, and is 404 when none does', async () => {
      for (const index of [1, 2, 3]) await upsert({ email: `user${index}@example.com`, userId: 'shared' });
      await environment.other.client.post('/contacts/email', { email: 'user@example.com', userId: 'shared' });
      expect((await client().delete('/contacts/email/userId/shared')).body.data).to.deep.equal({ deleted: 3 });
      const none = await client().delete('/contacts/email/userId/shared');
      expect([none.status, none.body.error.code]).to.deep.equal([404, 'CONTACT_NOT_FOUND']);
      expect((await environment.other.client.delete('/contacts/email/userId/shared')).body.data.deleted).to.equal(1);
    });

    it('POST /contacts/remove takes emails or a bare array, and passes over what it does not know', async () => {
      for (const index of [1, 2, 3]) await upsert({ email: `remove${index}@example.com` });
      const body = { emails: ['REMOVE1@example.com', 'nobody@example.com', 'nonsense'] };
      expect((await client().post('/contacts/remove', body)).body.data).to.deep.equal({ deleted: 1 });
      const bare = await client().post('/contacts/remove', ['remove2@example.com', 'remove3@example.com']);
      expect(bare.body.data).to.deep.equal({ deleted: 2 });
    });

    it('lists contacts page by page with exact totals, and searches every character literally', async () => {
      const tenant = await environment.newTenant('Pages');
      for (let index = 0; index < 5; index += 1)
        await tenant.client.post('/contacts/email', { email: `a.b+${index}@example.com` });
      const page = await tenant.client.get('/contacts?page=2&limit=2');
      expect(page.body.data.pagination).to.deep.equal({ page: 2, limit: 2, total: 5, pages: 3 });
      expect(page.body.data.contacts).to.have.length(2);
      const search = async (text: string) =>
        (await tenant.client.get(`/contacts?search=${encodeURIComponent(text)}`)).body.data.pagination.total;
      expect(await search('A.B+')).to.equal(5);
      expect(await search('.*')).to.equal(0);
      expect(await search('b+3')).to.equal(1);
    });

    it('unsubscribe-groups answers the groups that hold the address, with why and since when', async () => {
      const { id } = (await upsert({ email: 'left@example.com' })).body.data;
      const group = (await client().post('/suppression-groups', { name: 'Offers' })).body.data;
      await client().post('/suppression-groups', { name: 'Untouched' });
      const suppress = { emails: ['left@example.com'], groupId: group.id, reason: 'UNSUBSCRIBE' };
      await client().post('/suppression-groups/emails/suppress', suppress);
      const { body } = await client().get(`/contacts/${id}/unsubscribe-groups`);
      expect(body.data.pagination.total).to.equal(1);
      const [entry] = body.data.groups;
      expect(entry).to.include({
        id: group.id,
        groupId: group.id,
        name: 'Offers',
        reason: 'UNSUBSCRIBE',
        suppressionCount: 1,
      });
      expect(Date.parse(entry.suppressedAt)).to.be.closeTo(Date.now(), 60_000);
    });
  });

  describe('Search by emails', () => {
    it('lists the matches found in the project, each once, whatever the spelling', async () => {
      for (const index of [1, 2]) await upsert({ email: `find${index}@example.com` });
      await environment.other.client.post('/contacts/email', { email: 'find3@example.com' });
      const emails = ['FIND1@example.com', 'find1@example.com.', 'find2@example.com', 'find3@example.com', 'none', ''];
      const { status, body } = await client().post('/contacts/search/emails', { emails });
      expect(status).to.equal(200);
      expect(body.data.contacts.map(({ email }: { email: string }) => email)).to.deep.equal([
        'find1@example.com',
        'find2@example.com',
      ]);
      const [one] = body.data.contacts;
      expect(one).to.deep.equal((await client().get(`/contacts/${one.id}`)).body.data);
      const bare = await client().post('/contacts/search/emails', emails);
      expect(bare.body).to.deep.equal(body);
    });

    it('refuses no emails, 1,001 of them, and what is no string', async () => {
      const ask = (body: unknown) => client().post('/contacts/search/emails', body);
      const many = await ask({ emails: Array.from({ length: 1_001 }, (_, index) => `m${index}@example.com`) });
      expect(many.status).to.equal(400);
      expect(many.body.error.message).to.contain('1000');
      for (const body of [{ emails: [] }, {}, [], { emails: [{ $ne: null }] }, { emails: { $gt: '' } }, [1]])
        expect((await ask(body)).status, JSON.stringify(body)).to.equal(400);
      expect((await ask({ emails: many.body ? ['x@example.com'] : [] })).body.data.contacts).to.deep.equal([]);
    });
  });
});
