import { expect } from 'chai';
import { activateAutomation } from '../../../core/automations/lifecycle.ts';
import { openCore } from '../../../core/base/deps.ts';
import { useEnvironment } from '../../support/environment.ts';
import { created, makeSending, simple } from '../support.ts';

describe('Versions of automations', () => {
  const suite = useEnvironment();
  before(() => makeSending(suite.deps, suite.own));
  const made = async () => `/automations/${(await created(suite.own.client, '/automations', simple)).id}`;

  it('are counted from the first one that runs: what is saved before it is the first', async () => {
    const { client } = suite.own;
    const path = await made();
    const patched = async (name: string) => (await client.patch(path, { name })).body.data;
    expect(await patched('Once')).to.include({ name: 'Once', version: 1, draftRevision: 1 });
    expect(await patched('Twice')).to.include({ name: 'Twice', version: 1, draftRevision: 2 });
    expect((await client.post(`${path}/activate`)).body.data).to.include({ status: 'active', version: 1 });
    await client.post(`${path}/pause`);
    expect(await patched('Once it ran')).to.include({ name: 'Once it ran', version: 2 });
  });

  it('are another one where a draft was begun from what goes, which makes that outdated', async () => {
    const { client } = suite.own;
    const path = await made();
    await client.patch(path, { name: 'Next', draft: true });
    expect((await client.patch(path, { name: 'Now' })).body.data).to.include({ version: 2 });
    expect((await client.get(`${path}?version=draft`)).body.data.draft.isOutdated).to.equal(true);
  });

  it('do not become active with what was saved after they were checked', async () => {
    const { deps, own } = suite;
    const path = await made();
    const id = path.split('/').at(-1) ?? '';
    const entryCriteria = { type: 'contact_added_to_list' };
    let isSaved = false;
    // The activation has checked the content; it is saved again before that is written.
    const automations = new Proxy(deps.db.automations, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (name !== 'findOneAndUpdate') return typeof method === 'function' ? method.bind(target) : method;
        return async (...args: Parameters<typeof target.findOneAndUpdate>) => {
          if (!isSaved) isSaved = (await own.client.patch(path, { entryCriteria })).status === 200;
          return target.findOneAndUpdate(...args);
        };
      },
    });
    const racing = openCore({ ...deps, db: { ...deps.db, automations } });
    const refused = await activateAutomation(racing, own.project, id).catch((error: { code: string }) => error);
    expect(isSaved).to.equal(true);
    expect(refused).to.include({ code: 'INVALID_STATE' });
    expect((await own.client.get(path)).body.data).to.deep.include({ status: 'draft', version: 1, entryCriteria });
  });
});
