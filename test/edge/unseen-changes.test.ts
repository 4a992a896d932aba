import { expect } from 'chai';
import { type Client, createClient, made } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

interface Noun {
  name: string;
  field: string;
  make(): Promise<{ client: Client; path: string }>;
}

describe('An update that says which state it changes', () => {
  const environment = useEnvironment();
  const nouns: Noun[] = [
    {
      name: 'campaign',
      field: 'name',
      make: async () => {
        const { client } = environment.own;
        const { id } = await made(client, '/campaigns', { name: 'News', subject: 'News', htmlTemplate: '<p>1</p>' });
        return { client, path: `/campaigns/${id}` };
      },
    },
    {
      name: 'form',
      field: 'name',
      make: async () => {
        const { client } = environment.own;
        const list = await made(client, '/contact-lists', { name: 'Readers' });
        const { id } = await made(client, '/forms', { name: 'News', listIds: [list.id] });
        return { client, path: `/forms/${id}` };
      },
    },
    {
      name: 'template',
      field: 'templateName',
      make: async () => {
        const { client } = environment.own;
        const { templateId } = await made(client, '/templates', { templateName: 'News', emailTemplate: '<p>1</p>' });
        return { client, path: `/templates/${templateId}` };
      },
    },
    {
      name: 'layout',
      field: 'name',
      make: async () => {
        const { client } = environment.own;
        const { id } = await made(client, '/layouts', { name: 'News', emailTemplate: '{{{content}}}' });
        return { client, path: `/layouts/${id}` };
      },
    },
    {
      name: 'list',
      field: 'name',
      make: async () => {
        const { client } = environment.own;
        const { id } = await made(client, '/contact-lists', { name: 'News' });
        return { client, path: `/contact-lists/${id}` };
      },
    },
    {
      name: 'segment',
      field: 'name',
      make: async () => {
        const { client } = environment.own;
        const filterCriteria = { groups: [{ field: 'firstName', operator: 'equals', value: 'Ada' }] };
        const { id } = await made(client, '/contact-lists', { name: 'News', filterCriteria });
        return { client, path: `/contact-lists/${id}` };
      },
    },
    {
      name: 'brand',
      field: 'name',
      make: async () => ({ client: environment.own.client, path: '/brand' }),
    },
    {
      name: 'project',
      field: 'name',
      make: async () => {
        const admin = createClient(environment.url, environment.own.adminKey);
        const { id } = await made(admin, '/account/projects', { name: 'News' });
        return { client: admin, path: `/account/projects/${id}` };
      },
    },
  ];

  for (const { name, field, make } of nouns)
    it(`is refused when the ${name} was changed since, and writes nothing`, async () => {
      const { client, path } = await make();
      const shown = async () => (await client.get(path)).body.data;
      const save = (text: string, updatedAt?: string) => client.patch(path, { [field]: text, updatedAt });
      const { updatedAt: first } = await shown();
      const saved = await save('Mine', first);
      expect(saved.status, saved.text).to.equal(200);
      const { updatedAt: second } = saved.body.data;
      expect(second).to.not.equal(first);
      const late = await save('Theirs', first);
      expect([late.status, late.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(late.body.error.details).to.equal(`updatedAt: is ${second}`);
      expect(await shown()).to.include({ [field]: 'Mine', updatedAt: second });
      expect((await save('Without')).status).to.equal(200);
      const wrong = await save('Wrong', 'yesterday');
      expect([wrong.status, wrong.body.error.details.split(':')[0]]).to.deep.equal([400, 'updatedAt']);
      const { updatedAt } = await shown();
      const both = await Promise.all(['One', 'Two'].map((text) => save(text, updatedAt)));
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    });
});
