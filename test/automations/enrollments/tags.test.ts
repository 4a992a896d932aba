import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { useEnvironment } from '../../support/environment.ts';
import { peopleInside } from '../people.ts';
import { activeAutomation, created, email, makeSending, refusal, wait } from '../support.ts';

const DAY_MS = 86_400_000;
const TAGS = [
  { name: 'kind', value: 'welcome' },
  { name: 'step', value: '1' },
];

describe('Tags of the mails of a step', () => {
  const environment = useEnvironment();
  before(() => makeSending(environment.deps, environment.own));

  const step = (name: string, tags?: unknown) => {
    const given = { htmlTemplate: `<p>${name}</p>`, subject: name, ...(tags === undefined ? {} : { tags }) };
    return email(name, { email: given });
  };
  const steps = () => [wait(1, 'days', { stepId: 'first' }), step('tagged', TAGS), wait(1), step('plain')];

  it('are on its mails and on no others, and found by them', async () => {
    const { id, steps: answered } = await activeAutomation(environment.own.client, { steps: steps() });
    expect(answered[1].email.tags).to.deep.equal(TAGS);
    expect(answered[3].email).to.not.have.property('tags');
    const [person] = await peopleInside(environment, id, 1);
    const projectId = environment.own.project._id;
    let nowMs = environment.clock.now().getTime();
    for (let round = 0; round < 4; round += 1) {
      nowMs += 2 * DAY_MS;
      environment.clock.set(new Date(nowMs));
      await advanceEnrollment(environment.deps, { projectId, enrollmentId: person!._id }, nowMs);
    }
    const { body } = await environment.own.client.get(`/emails?automationId=${id}`);
    const tags = new Map(body.data.emails.map((one: { subject: string; tags: object[] }) => [one.subject, one.tags]));
    expect(Object.fromEntries(tags)).to.deep.equal({ tagged: TAGS, plain: [] });
    const found = await environment.own.client.get('/emails?tag=kind:welcome');
    expect(found.body.data.emails.map(({ subject }: { subject: string }) => subject)).to.deep.equal(['tagged']);
    const rows = await environment.deps.db.messages.find({ automationId: new ObjectId(id) }).toArray();
    expect(rows.filter((row) => 'tags' in row).map((row) => row.tags)).to.deep.equal([['kind:welcome', 'step:1']]);
  });

  it('stay when the definition that GET shows is given back, and change with a PATCH', async () => {
    const { client } = environment.own;
    const { id } = await created(client, '/automations', { name: 'Tagged', steps: steps() });
    const shown = (await client.get(`/automations/${id}`)).body.data;
    const again = await client.patch(`/automations/${id}`, { steps: shown.steps });
    expect(again.status, again.text).to.equal(200);
    expect(again.body.data.steps[1].email.tags).to.deep.equal(TAGS);
    const changed = [steps()[0], step('tagged', [TAGS[0]])];
    const answer = await client.patch(`/automations/${id}`, { steps: changed });
    expect(answer.body.data.steps[1].email.tags).to.deep.equal([TAGS[0]]);
  });

  it('have each name once, and are refused as those of a mail are', async () => {
    const answer = (tags: unknown) =>
      environment.own.client.post('/automations', { name: 'x', steps: [wait(1), step('x', tags)] });
    const repeated = refusal(await answer([...TAGS, { name: 'kind', value: 'x' }]));
    expect(repeated).to.deep.equal({
      ...{ status: 400, code: 'VALIDATION_ERROR' },
      details: 'steps/1/email/tags: has the name kind twice',
    });
    expect(refusal(await answer([{ name: 'a.b', value: 'x' }])).details).to.match(/^steps\/1\/email\/tags\/0\/name/);
    expect(refusal(await answer(Array(11).fill(TAGS[0]))).details).to.match(/^steps\/1\/email\/tags: must hold 10/);
  });
});
