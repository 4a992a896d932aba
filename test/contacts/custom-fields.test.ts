import { expect } from 'chai';
import { carryOverPeople } from '../../core/people/carry-over.ts';
import { useEnvironment } from '../support/environment.ts';

describe('Custom fields', () => {
  const environment = useEnvironment();

  const client = () => environment.own.client;
  const declare = (body: object) => client().post('/custom-fields', body);
  const upsert = (email: string, contactProperties: object) =>
    client().post('/contacts/email', { email, contactProperties });

  it('are declared with 201, listed by name, read, changed and deleted', async () => {
    const created = await declare({ fieldName: 'plan', fieldType: 'string', description: 'What they pay for' });
    expect(created.status).to.equal(201);
    const { id, createdAt, updatedAt, ...rest } = created.body.data;
    expect(rest).to.deep.equal({
      fieldName: 'plan',
      fieldType: 'string',
      label: '',
      description: 'What they pay for',
      defaultValue: null,
    });
    expect(createdAt).to.equal(updatedAt);
    expect((await client().get(`/custom-fields/${id}`)).body.data).to.deep.equal(created.body.data);
    const listed = await client().get('/custom-fields');
    expect(listed.body.data.customFields).to.deep.equal([created.body.data]);
    expect(listed.body.data.pagination.total).to.equal(1);
    const changed = await client().patch(`/custom-fields/${id}`, { description: 'Tier', defaultValue: 'free' });
    expect(changed.body.data).to.include({ description: 'Tier', defaultValue: 'free', fieldName: 'plan' });
    expect((await client().delete(`/custom-fields/${id}`)).body).to.deep.equal({ success: true });
    expect((await client().get(`/custom-fields/${id}`)).body.error.code).to.equal('CUSTOM_FIELD_NOT_FOUND');
  });

  it('a duplicate name is 409, also of two calls at once; the neighbour may have it', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => declare({ fieldName: 'once', fieldType: 'string' })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error.code).to.equal('ALREADY_EXISTS');
    const theirs = await environment.other.client.post('/custom-fields', { fieldName: 'once', fieldType: 'number' });
    expect(theirs.status).to.equal(201);
  });

  const declareAll = (customFields: object[]) => client().post('/custom-fields/bulk', { customFields });
  const stored = async (...names: string[]) =>
    environment.deps.db.customFields.countDocuments({
      projectId: environment.own.project._id,
      fieldName: { $in: names },
    });

  it('several are declared in one call, which leaves those that are there as they are', async () => {
    await declare({ fieldName: 'several1', fieldType: 'number', label: 'Kept' });
    const fields = ['several1', 'several2', 'several3'].map((fieldName) => ({ fieldName, fieldType: 'string' }));
    const { status, body } = await declareAll(fields);
    expect(status).to.equal(201);
    expect(body.data.createdCount).to.equal(2);
    expect(
      body.data.customFields.map((one: Record<string, string>) => `${one.fieldName} ${one.fieldType} ${one.label}`),
    ).to.deep.equal(['several1 number Kept', 'several2 string ', 'several3 string ']);
    const again = await declareAll(fields);
    expect(again.body.data).to.deep.equal({ customFields: body.data.customFields, createdCount: 0 });
  });

  it('several calls at once with the same names declare each of them once', async () => {
    const fields = Array.from({ length: 300 }, (_, index) => ({ fieldName: `wide${index}`, fieldType: 'string' }));
    const answers = await Promise.all([1, 2, 3].map(() => declareAll(fields)));
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(answers.map(({ body }) => body.data.createdCount).sort()).to.deep.equal([0, 0, 300]);
    expect(await stored(...fields.map(({ fieldName }) => fieldName))).to.equal(300);
  });

  it('one bad field among several is named, and none is declared', async () => {
    const good = { fieldName: 'fine', fieldType: 'string' };
    for (const [bad, details] of [
      [{ fieldName: 'email', fieldType: 'string' }, 'customFields/1/fieldName: is reserved'],
      [{ fieldName: 'fine', fieldType: 'number' }, 'customFields/1/fieldName: is there twice'],
      [{ fieldName: 'n', fieldType: 'number', defaultValue: 'x' }, 'customFields/1/defaultValue: must be a number'],
      [{ fieldName: 'a.b', fieldType: 'string' }, 'customFields/1/fieldName: must be 1 to'],
    ] as const) {
      const { status, body } = await declareAll([good, bad]);
      expect(status, details).to.equal(400);
      expect(body.error.details).to.include(details);
    }
    expect((await declareAll([])).status).to.equal(400);
    expect((await declareAll(Array(1_001).fill(good))).status).to.equal(400);
    expect(await stored('fine')).to.equal(0);
  });

  it('refuses reserved names, names that are none, unknown types, and a default of another type', async () => {
    for (const body of [
      { fieldName: 'email', fieldType: 'string' },
      { fieldName: 'contactProperties', fieldType: 'string' },
      { fieldName: 'a.b', fieldType: 'string' },
      { fieldName: '', fieldType: 'string' },
      { fieldName: 'x'.repeat(65), fieldType: 'string' },
      { fieldName: 'x', fieldType: 'object' },
      { fieldName: 'x' },
      { fieldName: 'x', fieldType: 'number', defaultValue: 'many' },
      { fieldName: 'x', fieldType: 'date', defaultValue: '2026-02-30' },
    ])
      expect((await declare(body)).status, JSON.stringify(body)).to.equal(400);
  });

  it('name and type stay: another one is refused, the same is fine', async () => {
    const { id } = (await declare({ fieldName: 'fixed', fieldType: 'number' })).body.data;
    expect((await client().patch(`/custom-fields/${id}`, { fieldName: 'other' })).status).to.equal(400);
    expect((await client().patch(`/custom-fields/${id}`, { fieldType: 'string' })).status).to.equal(400);
    const same = await client().patch(`/custom-fields/${id}`, {
      fieldName: 'fixed',
      fieldType: 'number',
      description: 'd',
    });
    expect(same.body.data.description).to.equal('d');
  });

  it('a label renames a field for people alone: filters and values keep its name', async () => {
    const { id } = (await declare({ fieldName: 'tariff', fieldType: 'string', label: 'Plan' })).body.data;
    await upsert('labelled@example.com', { tariff: 'gold' });
    const filterCriteria = { groups: [{ field: 'contactProperties.tariff', operator: 'equals', value: 'gold' }] };
    const segment = await client().post('/contact-lists', { name: 'Gold', type: 'segment', filterCriteria });
    const renamed = await client().patch(`/custom-fields/${id}`, { label: 'Tariff of today' });
    expect(renamed.body.data).to.include({ label: 'Tariff of today', fieldName: 'tariff' });
    const { body } = await upsert('labelled@example.com', { tariff: 'silver' });
    expect(body.data.contactProperties).to.include({ tariff: 'silver' });
    expect((await client().get(`/contact-lists/${segment.body.data.id}`)).body.data.contactCount).to.equal(0);
    for (const label of ['x'.repeat(101), 'two\nlines', 7, null]) {
      const refused = await client().patch(`/custom-fields/${id}`, { label });
      expect([refused.status, refused.body.error.details], String(label)).to.satisfy(
        ([status, details]: [number, string]) => status === 400 && details.startsWith('label: '),
      );
    }
    expect((await client().get(`/custom-fields/${id}`)).body.data.label).to.equal('Tariff of today');
    await environment.deps.db.customFields.updateOne(
      { fieldName: 'tariff', projectId: environment.own.project._id },
      { $unset: { label: true } },
    );
    const { deps, own } = environment;
    const carried = await carryOverPeople(deps, own.project);
    expect(carried, 'as an earlier version stored it').to.include({ customFields: 1, imports: 0 });
    expect(await carryOverPeople(deps, own.project)).to.include({ customFields: 0, imports: 0 });
    const listed = (await client().get('/custom-fields')).body.data.customFields;
    expect(listed.find((one: { id: string }) => one.id === id).label).to.equal('');
    expect((await client().patch(`/custom-fields/${id}`, { description: 'Paid' })).body.data.label).to.equal('');
  });

  it('a declared field is coerced to its type, else 400; an undeclared one keeps its JSON type', async () => {
    for (const [fieldName, fieldType] of [
      ['n', 'number'],
      ['b', 'boolean'],
      ['d', 'date'],
      ['s', 'string'],
    ])
      await declare({ fieldName, fieldType });
    const { body } = await upsert('typed@example.com', { n: '12.5', b: 1, d: 1_767_225_600_000, s: 7, free: 7 });
    expect(body.data.contactProperties).to.deep.equal({
      n: 12.5,
      b: true,
      d: '2026-01-01T00:00:00.000Z',
      s: '7',
      free: 7,
    });
    for (const wrong of [{ n: 'x' }, { b: 'yes' }, { d: '2026-02-30' }]) {
      const refused = await upsert('typed@example.com', wrong);
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(refused.body.error.details).to.contain(`contactProperties/${Object.keys(wrong)[0]}`);
    }
    expect((await upsert('typed@example.com', { n: null })).body.data.contactProperties).to.not.have.property('n');
  });

  it('a default value is given to contacts that are created without one, and not to existing contacts', async () => {
    await upsert('before@example.com', {});
    await declare({ fieldName: 'tier', fieldType: 'string', defaultValue: 'free' });
    const properties = async (email: string, given: object) => (await upsert(email, given)).body.data.contactProperties;
    expect(await properties('before@example.com', {})).to.not.have.property('tier');
    expect(await properties('after@example.com', {})).to.include({ tier: 'free' });
    expect(await properties('chosen@example.com', { tier: 'gold' })).to.include({ tier: 'gold' });
  });

  it('a declaration that is taken back leaves the values', async () => {
    const { id } = (await declare({ fieldName: 'brief', fieldType: 'number' })).body.data;
    await upsert('brief@example.com', { brief: 1 });
    await client().delete(`/custom-fields/${id}`);
    const { body } = await upsert('brief@example.com', { firstName: 'x' });
    expect(body.data.contactProperties).to.include({ brief: 1 });
    expect((await upsert('brief@example.com', { brief: 'text' })).body.data.contactProperties).to.include({
      brief: 'text',
    });
  });
});
