// Promise: who left is not mailed.
import { expect } from 'chai';
import { suppress } from '../../core/consent/suppressions/suppressions.ts';
import { addresses } from '../contacts/support.ts';
import { useEnvironment } from '../support/environment.ts';

const REASONS = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];

describe('Suppressions', () => {
  const environment = useEnvironment();

  const client = () => environment.own.client;
  const suppressEmails = (body: object) => client().post('/suppression-groups/emails/suppress', body);
  const release = (body: object) => client().post('/suppression-groups/emails/unsuppress', body);
  const search = async (body: object = {}) => (await client().post('/suppression-groups/entries', body)).body.data;
  const isBuiltIn = (group: { isGlobal: boolean; isDefault: boolean }) => group.isGlobal || group.isDefault;
  const groups = async () => (await client().get('/suppression-groups')).body.data.groups;
  const newGroup = async (name = 'Offers') => (await client().post('/suppression-groups', { name })).body.data.id;

  /** suppressionCount of every group, and the same counted from the entries. */
  async function expectCountsRight(): Promise<void> {
    const entries = await environment.deps.db.suppressions.find({ projectId: environment.own.project._id }).toArray();
    const said = (await groups()).map(({ id, suppressionCount }: { id: string; suppressionCount: number }) => [
      id,
      suppressionCount,
    ]);
    expect(said).to.deep.equal(
      said.map(([id]: [string]) => [id, entries.filter(({ groupId }) => groupId === id).length]),
    );
  }

  describe('Groups', () => {
    it('a project is created with a global, a default and a marketing group, which can be neither changed nor deleted', async () => {
      const builtIn = await groups();
      const kinds = ['isGlobal', 'isDefault', 'isMarketing'] as const;
      const kindsOf = (group: Record<string, boolean>) => kinds.filter((kind) => group[kind]);
      expect(builtIn.map(kindsOf)).to.have.deep.members(kinds.map((kind) => [kind]));
      for (const group of builtIn) {
        expect(group.id)
          .to.match(/^[A-Z0-9]{6}$/)
          .and.equal(group.groupId);
        expect(group).to.have.all.keys(
          ...[
            'id',
            'groupId',
            'name',
            'description',
            'isGlobal',
            'isDefault',
            'isMarketing',
            'isPublic',
            'suppressionCount',
            'createdAt',
            'updatedAt',
          ],
        );
        const path = `/suppression-groups/${group.id}`;
        expect((await client().delete(path)).status).to.equal(409);
        expect((await client().patch(path, { name: 'x' })).body.error.code).to.equal('INVALID_STATE');
        expect((await client().get(path)).body.data).to.deep.equal(group);
      }
      const theirs = (await environment.other.client.get('/suppression-groups')).body.data.groups;
      expect(theirs.map(({ id }: { id: string }) => id)).to.not.have.members(
        builtIn.map(({ id }: { id: string }) => id),
      );
    });

    it('are private unless made public; the default group may be public, the global one never', async () => {
      const shown = (await client().post('/suppression-groups', { name: 'Offers', isPublic: true })).body.data;
      expect(shown).to.include({ isPublic: true });
      const hidden = await client().patch(`/suppression-groups/${shown.id}`, { isPublic: false });
      expect(hidden.body.data).to.include({ name: 'Offers', isPublic: false });
      for (const { id, isGlobal, isPublic } of (await groups()).filter(isBuiltIn)) {
        expect(isPublic).to.equal(false);
        const changed = await client().patch(`/suppression-groups/${id}`, { isPublic: true });
        expect(changed.status).to.equal(isGlobal ? 409 : 200);
        expect((await client().patch(`/suppression-groups/${id}`, { isPublic: true, name: 'x' })).status).to.equal(409);
        await client().patch(`/suppression-groups/${id}`, { isPublic: false });
      }
      await client().delete(`/suppression-groups/${shown.id}`);
    });

    it('others are created with 201, changed, and deleted with their entries', async () => {
      const created = await client().post('/suppression-groups', { name: 'News', description: 'Weekly' });
      expect(created.status).to.equal(201);
      expect(created.body.data).to.include({
        name: 'News',
        description: 'Weekly',
        isGlobal: false,
        isDefault: false,
        suppressionCount: 0,
      });
      const groupId = created.body.data.id;
      const changed = await client().patch(`/suppression-groups/${groupId}`, { name: 'Daily' });
      expect(changed.body.data).to.include({ id: groupId, name: 'Daily', description: 'Weekly' });
      await suppressEmails({ emails: addresses(3, 'deleted'), groupId });
      expect((await client().get(`/suppression-groups/${groupId}`)).body.data.suppressionCount).to.equal(3);
      expect((await client().delete(`/suppression-groups/${groupId}`)).body).to.deep.equal({ success: true });
      expect((await client().get(`/suppression-groups/${groupId}`)).body.error.code).to.equal(
        'SUPPRESSION_GROUP_NOT_FOUND',
      );
      expect((await search({ search: 'deleted' })).entries).to.deep.equal([]);
      const late = await suppressEmails({ emails: ['x@example.com'], groupId });
      expect([late.status, late.body.error.code]).to.deep.equal([404, 'SUPPRESSION_GROUP_NOT_FOUND']);
    });
  });

  describe('Suppress and unsuppress', () => {
    it('adds to the named group, to the default one, or to the global one; answers the distinct addresses of the call', async () => {
      const groupId = await newGroup();
      const [global, standard] = [
        (await groups()).find(({ isGlobal }: { isGlobal: boolean }) => isGlobal),
        (await groups()).find(({ isDefault }: { isDefault: boolean }) => isDefault),
      ];
      const emails = ['One@example.com', 'one@example.com.', 'two@example.com'];
      const answer = await suppressEmails({ emails, groupId, reason: 'UNSUBSCRIBE' });
      expect([answer.status, answer.body.data]).to.deep.equal([200, { suppressed: 2 }]);
      await suppressEmails({ emails: ['one@example.com'], reason: 'MANUAL' });
      await suppressEmails({ emails: ['one@example.com'], isGlobal: true, reason: 'BOUNCE' });
      const { entries } = await search({ email: 'ONE@example.com' });
      const facts = entries.map((entry: { groupId: string; reason: string; isGlobal: boolean }) => [
        entry.groupId,
        entry.reason,
        entry.isGlobal,
      ]);
      expect(facts).to.have.deep.members([
        [groupId, 'UNSUBSCRIBE', false],
        [standard.id, 'MANUAL', false],
        [global.id, 'BOUNCE', true],
      ]);
      for (const entry of entries) {
        expect(entry).to.have.all.keys(
          'id',
          'email',
          'groupId',
          'reason',
          'isGlobal',
          'isMarketing',
          'exceptGroupIds',
          'evidence',
          'createdAt',
          'updatedAt',
        );
        expect(entry.email).to.equal('one@example.com');
      }
      await expectCountsRight();
    });

    it('suppressing again keeps the stronger reason: COMPLAINT, UNSUBSCRIBE, BOUNCE, MANUAL', async () => {
      const groupId = await newGroup();
      const reasonAfter = async (reason: string) => {
        await suppressEmails({ emails: ['strong@example.com'], groupId, reason });
        return (await search({ email: 'strong@example.com', groupId })).entries[0].reason;
      };
      const seen = [];
      for (const reason of ['MANUAL', 'BOUNCE', 'MANUAL', 'UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'UNSUBSCRIBE'])
        seen.push(await reasonAfter(reason));
      expect(seen).to.deep.equal([
        'MANUAL',
        'BOUNCE',
        'BOUNCE',
        'UNSUBSCRIBE',
        'UNSUBSCRIBE',
        'COMPLAINT',
        'COMPLAINT',
      ]);
      expect((await search({ groupId })).pagination.total).to.equal(1);
      await expectCountsRight();
    });

    it('reason omitted is MANUAL; one bad address refuses the call with its index, and nothing is written', async () => {
      const groupId = await newGroup();
      const refused = await suppressEmails({ emails: ['fine@example.com', 'nonsense'], groupId });
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(refused.body.error.details).to.contain('emails/1');
      expect((await search({ groupId })).entries).to.deep.equal([]);
      await suppressEmails({ emails: ['fine@example.com'], groupId });
      expect((await search({ groupId })).entries[0].reason).to.equal('MANUAL');
    });

    it('refuses groupId with isGlobal, unknown groups and reasons, no emails and 10,001 of them', async () => {
      const groupId = await newGroup();
      const emails = ['x@example.com'];
      const theirs = (await environment.other.client.post('/suppression-groups', { name: 'T' })).body.data.id;
      for (const body of [
        { emails, groupId, isGlobal: true },
        { emails, reason: 'BORED' },
        { emails: [] },
        {},
        { emails: { $ne: null } },
        { emails, groupId: { $ne: null } },
      ])
        expect((await suppressEmails(body)).status, JSON.stringify(body)).to.equal(400);
      const many = await suppressEmails({ emails: addresses(10_001), groupId });
      expect([many.status, many.body.error.message.includes('10000')]).to.deep.equal([400, true]);
      const unknown = [];
      for (const id of [theirs, 'ZZZZZZ', '']) unknown.push(await suppressEmails({ emails, groupId: id }));
      for (const { status, body } of unknown)
        expect([status, body.error.code]).to.deep.equal([404, 'SUPPRESSION_GROUP_NOT_FOUND']);
      expect(new Set(unknown.map(({ text }) => text)).size).to.equal(1);
      expect((await search({ email: 'x@example.com' })).entries).to.deep.equal([]);
    });

    it('20 callers suppress the same 300 addresses at once: 300 entries, and the count says so', async () => {
      const groupId = await newGroup();
      const emails = addresses(300, 'crowd');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => suppressEmails({ emails, groupId, reason: REASONS[index % 4] })),
      );
      for (const { body } of answers) expect(body.data).to.deep.equal({ suppressed: 300 });
      expect((await client().get(`/suppression-groups/${groupId}`)).body.data.suppressionCount).to.equal(300);
      expect((await search({ groupId, reason: 'COMPLAINT' })).pagination.total).to.equal(300);
      await expectCountsRight();
    });

    it('unsuppress releases from the same choice of group, whatever the spelling', async () => {
      const groupId = await newGroup();
      await suppressEmails({ emails: addresses(3, 'returning'), groupId });
      await suppressEmails({ emails: addresses(3, 'returning'), isGlobal: true });
      const { body } = await release({
        emails: ['RETURNING0@example.com', 'returning1@example.com.', 'nobody@example.com'],
        groupId,
      });
      expect(body.data).to.deep.equal({ unsuppressed: 2 });
      const { entries } = await search({ search: 'returning' });
      expect(entries).to.have.length(4);
      expect((await release({ emails: ['nonsense'], groupId })).status).to.equal(400);
      await expectCountsRight();
    });

    it('an entry that a bounce made carries its evidence', async () => {
      const evidence = '550 5.1.1 no such user';
      await suppress(environment.deps, environment.own.project._id, {
        emails: ['dead@example.com'],
        isGlobal: true,
        reason: 'BOUNCE',
        evidence,
      });
      expect((await search({ email: 'dead@example.com' })).entries[0]).to.include({ reason: 'BOUNCE', evidence });
    });

    it('a project suppresses for itself alone, globally too', async () => {
      await suppressEmails({ emails: ['shared@example.com'], isGlobal: true });
      const theirs = await environment.other.client.post('/suppression-groups/entries', {
        email: 'shared@example.com',
      });
      expect(theirs.body.data.entries).to.deep.equal([]);
      const added = await environment.other.client.post('/contact-lists/contacts/bulk-add', {
        contactListId: 'GLOBAL_CONTACT_LIST',
        emails: ['shared@example.com'],
      });
      expect(added.body.data.validation.suppressed).to.deep.equal([]);
    });
  });
});
