import { expect } from 'chai';
import { SEARCHED_LENGTH_MAX } from '../../../core/people/filters/model.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { email, makeSending, simple, wait } from '../support.ts';

const VALUE_LENGTH = 1_000;

describe('The values that automations search for', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Searching');
    await makeSending(environment.deps, tenant);
  });

  const searching = (values: number) => ({
    logicalOperator: 'OR',
    groups: Array.from({ length: values }, (_, at) => ({
      ...{ field: 'contactProperties.bio', operator: 'contains', value: `${at}`.padEnd(VALUE_LENGTH, 'x') },
    })),
  });
  const entry = (values: number) => ({
    ...{ ...simple, name: `Of ${values}`, active: true },
    entryCriteria: { type: 'contact_property_matches_with', filterCriteria: searching(values) },
  });
  const most = SEARCHED_LENGTH_MAX / VALUE_LENGTH;
  const segment = (values: number) => ({ name: `s${values}`, type: 'segment', filterCriteria: searching(values) });
  const create = (body: object) => tenant.client.post('/automations', body);

  it('count with those of segments while the automation is active: the refusal says the limit and what to do', async () => {
    expect((await tenant.client.post('/contact-lists', segment(most - 1))).status).to.equal(201);
    const refused = await create(entry(2));
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(refused.body.error.message)
      .to.contain('entry criteria of its active automations, may have 20000 characters together')
      .and.contain('they have 21000')
      .and.contain('shorten or remove');
    expect((await tenant.client.get('/automations')).body.data.automations).to.deep.equal([]);
    const draft = await create({ ...entry(2), active: false });
    expect(draft.status).to.equal(201);
    const { id } = draft.body.data;
    expect((await tenant.client.post(`/automations/${id}/activate`)).status).to.equal(409);
    expect((await tenant.client.get(`/automations/${id}`)).body.data.status).to.equal('draft');
    expect((await create(entry(1))).status).to.equal(201);
  });

  it('leave less for segments while the automation is active, and nothing while it is paused', async () => {
    const { id } = (await create(entry(most))).body.data;
    expect((await tenant.client.post('/contact-lists', segment(1))).status).to.equal(409);
    expect((await tenant.client.post(`/automations/${id}/pause`)).status).to.equal(200);
    expect((await tenant.client.post('/contact-lists', segment(1))).status).to.equal(201);
    expect((await tenant.client.post(`/automations/${id}/resume`)).status).to.equal(409);
  });

  it('have a length in all branches of a step together: 400 names the step, and nothing is written', async () => {
    const branches = (count: number) => ({
      type: 'branch',
      stepId: 'choose',
      branches: Array.from({ length: count }, (_, at) => ({
        ...{ branchId: `b${at}`, filterCriteria: searching(most / 2), mergeStepId: 'later' },
      })),
    });
    const steps = (count: number) => [branches(count), wait(1, 'days', { stepId: 'later' }), email('bye')];
    const refused = await create({ name: 'Branches', steps: steps(3) });
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.details)
      .to.contain('steps/0/branches: ')
      .and.contain('20000 characters together')
      .and.contain('have 30000; shorten or remove');
    expect((await tenant.client.get('/automations')).body.data.automations).to.deep.equal([]);
    const taken = await create({ name: 'Branches', steps: steps(2) });
    expect(taken.status, taken.text).to.equal(201);
  });

  it('have a length in all goals and waits for events together: 400 names the first step above it', async () => {
    const steps = (goals: number) => [
      ...Array.from({ length: goals }, (_, at) => [
        wait(1, 'days', { stepId: `wait${at}` }),
        { type: 'goal', stepId: `goal${at}`, filterCriteria: searching(most) },
      ]).flat(),
      wait(1, 'days', { stepId: 'last' }),
      email('bye'),
    ];
    const refused = await create({ name: 'Goals', steps: steps(4) });
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.details)
      .to.contain('steps/5/filterCriteria: ')
      .and.contain('in all goals and waits for events may have 40000 characters together')
      .and.contain('have 60000; shorten or remove');
    const taken = await create({ name: 'Goals', steps: steps(2) });
    expect(taken.status, taken.text).to.equal(201);
  });
});
