import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { email, simple, wait } from '../../automations/support.ts';
import { useEnvironment } from '../../support/environment.ts';
import { expectCountsRight } from '../support.ts';

const filter = (operator: string, value: string, ...others: object[]) => ({
  filterCriteria: { groups: [{ field: 'listIds', operator, value }, ...others] },
});
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

describe('A condition about a list', () => {
  const environment = useEnvironment();
  let list: string;
  const post = (path: string, body: object) => environment.own.client.post(path, body);
  const create = async (body: object) => (await post('/contact-lists', body)).body.data.id as string;
  const countOf = async (id: string) =>
    (await environment.own.client.get(`/contact-lists/${id}`)).body.data.contactCount as number;
  const counts = (...ids: string[]) => Promise.all(ids.map(countOf));

  before(async () => {
    list = await create({ name: 'Customers' });
    await post('/contacts/email', { email: ANN, listIds: [list] });
    await post('/contacts/email', { email: BOB });
  });

  it('holds in previews and segments, for those who are there and for those who join and leave', async () => {
    const inList = filter('in_list', list);
    const notInList = filter('not_in_list', list, { field: 'email', operator: 'ends_with', value: '@example.com' });
    // Behaviour is compared here, and everything else by the database.
    const inListAndIdle = filter('in_list', list, { behaviour: 'opened', operator: 'never' });
    const previews = [];
    for (const one of [inList, notInList, inListAndIdle]) previews.push(await post('/contact-lists/preview', one));
    expect(previews.map(({ body }) => [body.data.count, body.data.people[0]?.email])).to.deep.equal([
      [1, ANN],
      [1, BOB],
      [1, ANN],
    ]);
    const segments: string[] = [];
    for (const one of [inList, notInList, inListAndIdle]) segments.push(await create({ name: 'S', ...one }));
    expect(await counts(...segments)).to.deep.equal([1, 1, 1]);
    const joined = await post('/contacts/email', { email: BOB, listIds: [list] });
    expect(joined.body.data.segmentIds).to.have.members([segments[0], segments[2]]);
    expect(await counts(...segments)).to.deep.equal([2, 0, 2]);
    const left = await post(`/contact-lists/${list}/contacts/remove`, { emails: [ANN, BOB] });
    expect(left.status).to.equal(200);
    expect(await counts(...segments)).to.deep.equal([0, 2, 0]);
    await expectCountsRight(environment, environment.own);
    for (const id of segments) await environment.own.client.delete(`/contact-lists/${id}`);
  });

  it('names a list of the project: others are 404 with the field, and a segment is 400', async () => {
    const foreign = (await environment.other.client.post('/contact-lists', { name: 'F' })).body.data.id;
    const segment = await create({ name: 'S', ...filter('in_list', list) });
    for (const [id, status, said] of [
      [foreign, 404, 'names no contact list of this project'],
      [new ObjectId().toHexString(), 404, 'names no contact list of this project'],
      [segment, 400, 'must be the id of a list, not of a segment'],
      ['GLOBAL_CONTACT_LIST', 400, 'must be the id of a list'],
    ] as const) {
      const nested = { filterCriteria: { groups: [filter('in_list', id).filterCriteria] } };
      for (const reply of [
        await post('/contact-lists', { name: 'N', ...nested }),
        await post('/contact-lists/preview', nested),
        await environment.own.client.patch(`/contact-lists/${segment}`, nested),
      ])
        expect([reply.status, reply.body.error?.details], id).to.deep.equal([
          status,
          `filterCriteria/groups/0/groups/0/value: ${said}`,
        ]);
    }
    await environment.own.client.delete(`/contact-lists/${segment}`);
  });

  it('keeps its list: deleting it is 409 with the name of the segment, until that asks for something else', async () => {
    const own = await create({ name: 'Trial' });
    const segment = await create({ name: 'On trial', ...filter('in_list', own) });
    const refused = await environment.own.client.delete(`/contact-lists/${own}`);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(refused.body.error.message).to.contain('"On trial"');
    expect(await countOf(own)).to.equal(0);
    await environment.own.client.patch(`/contact-lists/${segment}`, filter('not_in_list', list));
    expect((await environment.own.client.delete(`/contact-lists/${own}`)).status).to.equal(200);
    await environment.own.client.delete(`/contact-lists/${segment}`);
  });

  it('starts automations and chooses branches, and names a list there too', async () => {
    const entryCriteria = { type: 'contact_property_matches_with', ...filter('in_list', list) };
    const steps = [
      wait(0, 'days', { stepId: 'start' }),
      email('first'),
      wait(1, 'days', { stepId: 'day' }),
      {
        type: 'branch',
        stepId: 'choice',
        branches: [{ branchId: 'a', ...filter('in_list', list), nextStepId: 'pause' }],
      },
      wait(1, 'days', { stepId: 'pause', parentBranchStepId: 'choice', parentBranchId: 'a' }),
      email('second', { parentBranchStepId: 'choice', parentBranchId: 'a' }),
    ];
    const made = await post('/automations', { ...simple, entryCriteria, steps });
    expect(made.status, made.text).to.equal(201);
    const from = '2026-03-01T09:00:00Z';
    const simulate = async (body: object) =>
      (await post(`/automations/${made.body.data.id}/simulate`, { from, ...body })).body.data;
    const join = { at: '2026-03-01T10:00:00Z', listIds: [list] };
    const leave = { at: '2026-03-01T09:30:00Z', removeListIds: [list] };
    const mails = ({ mails }: { mails: Array<{ stepId: string }> }) => mails.map(({ stepId }) => stepId);
    expect(mails(await simulate({}))).to.deep.equal([]);
    expect(mails(await simulate({ changes: [join] }))).to.deep.equal(['first', 'second']);
    expect(mails(await simulate({ contact: { listIds: [list] }, changes: [leave] }))).to.deep.equal(['first']);

    const unknown = filter('in_list', new ObjectId().toHexString());
    const branch = { ...steps[3], branches: [{ branchId: 'a', ...unknown, nextStepId: 'pause' }] };
    for (const [body, field] of [
      [{ entryCriteria: { ...entryCriteria, ...unknown }, steps }, 'entryCriteria/filterCriteria/groups/0/value'],
      [
        { entryCriteria, steps: steps.map((step) => (step.stepId === 'choice' ? branch : step)) },
        'steps/3/branches/0/filterCriteria/groups/0/value',
      ],
    ] as const) {
      const refused = await post('/automations', { ...simple, ...body });
      expect([refused.status, refused.body.error.details]).to.deep.equal([
        404,
        `${field}: names no contact list of this project`,
      ]);
    }
  });
});
