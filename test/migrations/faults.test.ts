import { expect } from 'chai';
import { type AccountA, smallAccountA } from '../providers/account-a.ts';
import { type AccountB, sampleAccountB, smallAccountB } from '../providers/account-b.ts';
import { expired } from '../providers/export-files.ts';
import { type Act, serverError, tooManyRequestsA, tooManyRequestsB } from '../providers/faults.ts';
import type { Tenant } from '../support/environment.ts';
import { dataOf, type Job, setPatience, settled, start, tenantWithA, tenantWithB, useScene } from './support.ts';
import { expectedOfA, expectedOfB, pictureOf } from './targets.ts';

describe('A migration whose source misbehaves', function () {
  this.timeout(120_000);
  const scene = useScene();
  beforeEach(() => setPatience(scene, 2));

  async function retry(tenant: Tenant, { id }: Job, body: object = {}): Promise<Job> {
    const { status, body: answer } = await tenant.client.post(`/migrations/${id}/retry`, body);
    expect([status, answer.data?.id]).deep.equal([200, id]);
    return settled(tenant, id);
  }

  describe('from provider A', () => {
    let account: AccountA;
    let tenant: Tenant;

    beforeEach(async () => {
      scene.a.faults.length = 0;
      scene.a.files.faults.length = 0;
      account = smallAccountA();
      tenant = await tenantWithA(scene, account);
    });

    const begin = () => start(tenant, 'providerA', { apiKey: account.key, migrateAll: true });
    const whole = async () =>
      expect(await pictureOf(scene.env, tenant)).deep.include(expectedOfA(account, (html) => html));

    it('rides out 429, 500, a reset connection, broken JSON and a slow source without a person', async () => {
      setPatience(scene, 60);
      const acts: [RegExp, Act][] = [
        [/scopes/, tooManyRequestsA('delta')],
        [/templates\?/, { kind: 'truncate' }],
        [/templates\/d-/, serverError],
        [/suppressions/, { kind: 'reset' }],
        [/marketing\/lists/, { kind: 'cut' }],
        [/contacts\/count/, serverError],
        [/asm\/groups$/, { kind: 'trickle', ms: 400 }],
        [/exports$/, { kind: 'delay', ms: 400 }],
      ];
      scene.a.faults.push(...acts.map(([on, act]) => ({ on, act })));
      expect((await settled(tenant, await begin())).status).equal('completed');
      expect(scene.a.faults.every(({ times }) => times === 0)).equal(true);
      await whole();
    });

    it('makes the export again when its file is cut, its address has expired, or the export itself failed', async () => {
      account.exports.failure = 'internal error';
      scene.a.files.faults.push({ on: /part-0/, act: { kind: 'cut' } });
      scene.a.files.faults.push({ on: /part-0/, act: { kind: 'answer', answer: expired } });
      const found = await settled(tenant, await begin());
      expect(found.status).equal('completed');
      expect(found.phases[4]).deep.include({ total: 12, succeeded: 12, created: 12 });
      await whole();
    });

    it('holds when the file stays broken, and a retry continues with the failing phase only', async () => {
      scene.a.files.faults.push({ on: /part-0/, times: 4, act: { kind: 'cut' } });
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'contacts']);
      expect(held.attention).contains('broke off');
      expect(held.phases[4]?.errors).deep.equal([{ item: 'contacts', message: held.attention }]);
      const reads = () => scene.a.log.filter(({ url, key }) => key === account.key && url.startsWith('/v3/templates/'));
      const before = reads().length;
      const found = await retry(tenant, held);
      expect(found.status).equal('completed');
      expect(found.phases[4]?.errors).deep.equal([]);
      expect(reads().length).equal(before);
      await whole();
    });

    it('holds when the key is revoked mid-run, and resumes there with a new one', async () => {
      const revoke = () => {
        account.revoked = true;
      };
      scene.a.faults.push({ on: /asm\/groups\/1235/, act: { kind: 'meanwhile', run: revoke } });
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'unsubscribeGroups']);
      expect(held.attention).contains('refuses the key');
      expect(held.phases[2]).deep.include({ status: 'failed', succeeded: 1 });
      account.revoked = false;
      account.key = account.key.replace('SG.a', 'SG.b');
      const again = await retry(tenant, held);
      expect(again.status).equal('needs_attention');
      const found = await retry(tenant, again, { apiKey: account.key });
      expect([found.status, found.run]).deep.equal(['completed', 1]);
      expect(found.phases[2]).deep.include({ succeeded: 2, created: 2 });
      await whole();
    });

    it('holds at its first phase when the key is refused from the beginning', async () => {
      account.revoked = true;
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'customFields']);
    });
  });

  describe('from provider B', () => {
    let account: AccountB;
    let tenant: Tenant;

    beforeEach(async () => {
      scene.b.faults.length = 0;
      account = smallAccountB();
      tenant = await tenantWithB(scene, account);
    });

    const begin = () => start(tenant, 'providerB', { apiKey: account.key, migrateAll: true });
    const whole = async () => expect(await pictureOf(scene.env, tenant)).deep.include(expectedOfB(account));

    it('rides out 429, 500, a reset connection, broken JSON and a slow source without a person', async () => {
      setPatience(scene, 60);
      const acts: [RegExp, Act][] = [
        [/templates\?/, tooManyRequestsB()],
        [/templates\//, serverError],
        [/segments\?/, { kind: 'reset' }],
        [/contacts\?limit=100$/, { kind: 'truncate' }],
        [/topics/, { kind: 'cut' }],
        [/segments\/.*\/contacts/, { kind: 'trickle', ms: 400 }],
      ];
      scene.b.faults.push(...acts.map(([on, act]) => ({ on, act })));
      expect((await settled(tenant, await begin())).status).equal('completed');
      expect(scene.b.faults.every(({ times }) => times === 0)).equal(true);
      await whole();
    });

    it('holds at once when the quota is used up, and a retry resumes at the page where it stopped', async () => {
      account.contacts = sampleAccountB({}, 101).contacts.map((contact) => ({ ...contact, segmentIds: [] }));
      const quota = tooManyRequestsB('daily_quota_exceeded', 'You have reached your daily quota.');
      scene.b.faults.push({ on: /\/contacts\?limit=100&after/, act: quota });
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'contacts']);
      expect(held.attention).contains('quota');
      expect(held.phases[3]).deep.include({ succeeded: 100 });
      const found = await retry(tenant, held);
      expect(found.status).equal('completed');
      const firstPages = scene.b.log.filter(({ url, key }) => key === account.key && url === '/contacts?limit=100');
      // The walk itself, and the look for newcomers at its end.
      expect(firstPages).length(2);
      await whole();
    });

    it('holds when the pages of contacts repeat for ever, or every cursor is refused', async () => {
      const row = { id: 'same', email: 'person@example.org', unsubscribed: false };
      const page: Act = { kind: 'answer', answer: { status: 200, body: { has_more: true, data: [row] } } };
      const stale: Act = { kind: 'answer', answer: { status: 422, body: { name: 'validation_error', message: 'no' } } };
      const requests = () => scene.b.log.filter(({ url, key }) => key === account.key && url.startsWith('/contacts?'));
      scene.b.faults.push({ on: /\/contacts\?/, times: 1_000, act: page });
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'contacts']);
      expect(held.attention).contains('lists the same page again');
      scene.b.faults.length = 0;
      scene.b.faults.push({ on: /\/contacts\?limit=100&after/, times: 1_000, act: stale });
      scene.b.faults.push({ on: /\/contacts\?/, times: 1_000, act: page });
      const again = await retry(tenant, held);
      expect([again.status, again.phase]).deep.equal(['needs_attention', 'contacts']);
      expect(again.attention).contains('refuses its own cursors');
      expect(requests().length).below(200);
      scene.b.faults.length = 0;
      expect((await retry(tenant, again)).status).equal('completed');
    });

    it('holds when the key may only send', async () => {
      account.keyState = 'sending_only';
      const held = await settled(tenant, await begin());
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'customFields']);
      expect(held.attention).contains('only send');
      account.keyState = 'valid';
      const skipped = dataOf(await tenant.client.post(`/migrations/${held.id}/skip`, { reason: 'no fields wanted' }));
      expect(skipped.phases[0]).deep.include({ status: 'skipped' });
      expect((await settled(tenant, held.id)).status).equal('completed');
      await whole();
    });
  });
});
