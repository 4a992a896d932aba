import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { SEARCHED_LENGTH_MAX } from '../../../core/people/filters/model.ts';
import { PROPERTY_TEXT_MAX } from '../../../schemas/people/contacts.ts';
import { HOLD_MS_MAX } from '../../linear/cpu.ts';
import { leastHold } from '../../linear/hold.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { addresses } from '../support.ts';

const CONDITIONS_MAX = 100;
const SEARCHED_LENGTH_MIN = 64;

describe('The values that segments search for', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Long');
  });

  const bio = (value: string, operator = 'contains') => ({ field: 'contactProperties.bio', operator, value });
  /** Not in a text of the letter alone, though it nearly is at each of its places. */
  const almost = (length: number, number: number) => `${'a'.repeat(9 + (number % 40))}b`.padEnd(length, 'a');
  const segment = (name: string, values: string[], operator?: string) => ({
    ...{ name, type: 'segment' },
    filterCriteria: { logicalOperator: 'OR', groups: values.map((value) => bio(value, operator)) },
  });
  const segments = (count: number, length: number) =>
    Array.from({ length: count }, (_, number) =>
      segment(
        `s${number}`,
        Array.from({ length: CONDITIONS_MAX }, (__, other) => almost(length, number * CONDITIONS_MAX + other)).slice(
          0,
          50,
        ),
      ),
    );
  const create = (body: object) => tenant.client.post('/contact-lists', body);

  it('have a length in a project, which the refusal names with what to do, and nothing is written', async () => {
    const long = 'x'.repeat(1_000);
    const whole = Array.from({ length: 10 }, () => long);
    for (const name of ['a', 'b']) expect((await create(segment(name, whole))).status).to.equal(201);
    for (const operator of ['contains', 'not_contains']) {
      const refused = await create(segment('c', ['y'], operator));
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(refused.body.error.message)
        .to.contain('20000 characters together')
        .and.contain('they have 20064')
        .and.contain('shorten or remove');
    }
    for (const operator of ['equals', 'starts_with', 'ends_with'])
      expect((await create(segment(operator, [long], operator))).status).to.equal(201);
    const { lists } = (await tenant.client.get('/contact-lists?type=segment')).body.data;
    expect(lists.map(({ name }: { name: string }) => name)).to.have.members([
      ...['a', 'b', 'equals', 'starts_with', 'ends_with'],
    ]);
    const edit = (wanted: string, values: string[]) => {
      const { id } = lists.find(({ name }: { name: string }) => name === wanted);
      return tenant.client.patch(`/contact-lists/${id}`, { filterCriteria: segment('', values).filterCriteria });
    };
    expect((await edit('equals', ['y'])).status).to.equal(409);
    expect((await edit('a', whole.slice(1))).status).to.equal(200);
    expect((await edit('equals', ['y'])).status).to.equal(200);
  });

  it('may be longer in a project that was before: it keeps working, and may become shorter but not longer', async () => {
    const [first, ...others] = segments(4, 380);
    expect((await create(first!)).status).to.equal(201);
    const { contactLists } = environment.deps.db;
    const { projectId } = (await contactLists.findOne({ name: 's0', projectId: tenant.project._id }))!;
    for (const [at, { filterCriteria }] of others.entries()) {
      const name = `o${at}`;
      expect(
        (await create({ name, type: 'segment', filterCriteria: segment('', ['y'], 'equals').filterCriteria })).status,
      ).to.equal(201);
      await contactLists.updateOne({ projectId, name }, { $set: { filterCriteria } });
    }
    await environment.deps.db.projects.updateOne({ _id: projectId }, { $inc: { audienceVersion: 1 } });
    const contact = { email: 'one@example.com', contactProperties: { bio: `x${almost(380, 50)}` } };
    const { data } = (await tenant.client.post('/contacts/email', contact)).body;
    expect(data.segmentIds.length).to.be.above(0);
    const { lists } = (await tenant.client.get('/contact-lists?type=segment')).body.data;
    const edit = (wanted: string, groups: object[]) => {
      const { id } = lists.find(({ name }: { name: string }) => name === wanted);
      return tenant.client.patch(`/contact-lists/${id}`, { filterCriteria: { logicalOperator: 'OR', groups } });
    };
    const { groups } = others[0]!.filterCriteria;
    expect((await edit('o0', groups.slice(1))).status).to.equal(200);
    expect((await edit('o0', groups)).status).to.equal(409);
  });

  it(`at their limit hold the event loop for less than ${HOLD_MS_MAX} ms in each turn of a change of many contacts`, async () => {
    const count = Math.floor(SEARCHED_LENGTH_MAX / SEARCHED_LENGTH_MIN / 50);
    for (const body of segments(count, SEARCHED_LENGTH_MIN)) expect((await create(body)).status).to.equal(201);
    const bulk = (letter: string) =>
      tenant.client.post('/contacts/bulk-update', {
        contacts: addresses(30).map((email, at) => ({
          email,
          contactProperties: { bio: letter + 'a'.repeat(PROPERTY_TEXT_MAX - 4) + at },
        })),
      });
    let round = 0;
    const { holdMs, result } = await leastHold(() => bulk('xyzu'[round++]!));
    expect(result.body.data.successCount).to.equal(30);
    expect(holdMs).to.be.below(HOLD_MS_MAX);
  });

  it(`that are compared at one end hold the event loop for less than ${HOLD_MS_MAX} ms in the change of a contact`, async () => {
    const operators = ['starts_with', 'ends_with', 'equals'];
    const groups = Array.from({ length: 50 }, (_, at) => bio(`${at}`.padEnd(900 + at, 'Ä'), operators[at % 3]));
    const filterCriteria = { logicalOperator: 'OR', groups: [{ logicalOperator: 'OR', groups }, ...groups.slice(1)] };
    expect((await create({ name: 's', type: 'segment', filterCriteria })).status).to.equal(201);
    const projectId = tenant.project._id;
    const { contactLists, projects } = environment.deps.db;
    const stored = (await contactLists.findOne({ projectId, name: 's' }))!;
    // Making each by a call takes a second.
    await contactLists.insertMany(Array.from({ length: 99 }, () => ({ ...stored, _id: new ObjectId() })));
    await projects.updateOne({ _id: projectId }, { $inc: { audienceVersion: 1 } });
    const change = (letter: string) =>
      tenant.client.post('/contacts/email', {
        email: 'one@example.com',
        contactProperties: { bio: letter + 'ä'.repeat(PROPERTY_TEXT_MAX - 1) },
      });
    // The filters are compiled for the first change.
    expect((await change('w')).status).to.equal(200);
    let round = 0;
    const { holdMs, result } = await leastHold(() => change('xyzu'[round++]!));
    expect(result.status).to.equal(200);
    expect(holdMs).to.be.below(HOLD_MS_MAX);
  });

  describe('of a preview', () => {
    const preview = (groups: object[]) =>
      tenant.client.post('/contact-lists/preview', { filterCriteria: { logicalOperator: 'OR', groups } });

    it('have the same length together, whatever segments there are', async () => {
      const long = (count: number, length = 1_000) => Array.from({ length: count }, () => bio('x'.repeat(length)));
      expect((await create(segment('a', ['x'.repeat(1_000)]))).status).to.equal(201);
      expect((await preview(long(20))).status).to.equal(200);
      const refused = await preview([...long(20), bio('y', 'not_contains')]);
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(refused.body.error.message).to.contain('20000 characters together').and.contain('they have 20064');
      expect((await preview([...long(20), bio('y', 'starts_with')])).status).to.equal(200);
    });

    it(`hold the event loop for less than ${HOLD_MS_MAX} ms when the events of a contact are compared with them`, async () => {
      const { contactFacts } = environment.deps.db;
      const projectId = tenant.project._id;
      const properties = [{ propertyName: 'note', type: 'string' }];
      expect((await tenant.client.post('/events', { eventName: 'noted', properties })).status).to.equal(201);
      const { id } = (await tenant.client.post('/contacts/email', { email: 'one@example.com' })).body.data;
      const at = new Date(environment.clock.now().getTime() - 3_600_000);
      const facts = Array.from({ length: 600 }, (_, number) => ({
        ...{ _id: new ObjectId(), projectId, contactId: new ObjectId(id as string), kind: 'event' as const, at },
        ...{ eventName: 'noted', properties: { note: `${'a'.repeat(PROPERTY_TEXT_MAX - 4)}${number}` } },
      }));
      await contactFacts.insertMany(facts);
      const groups = Array.from({ length: 40 }, (_, number) => ({
        ...{ behaviour: 'event', operator: 'at_least', eventName: 'noted' },
        properties: { note: { operator: 'contains', value: almost(500, number) } },
      }));
      const { holdMs, result } = await leastHold(() => preview(groups));
      expect(result.status, result.text).to.equal(200);
      expect(holdMs).to.be.below(HOLD_MS_MAX);
    });
  });
});
