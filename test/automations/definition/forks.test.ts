import { expect } from 'chai';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { created, email, makeSending, refusal, simple, wait } from '../support.ts';

const inside = (branchId: string) => ({ parentBranchStepId: 'sides', parentBranchId: branchId });
const share = (branchId: string, of: number, more: object = {}) => ({ branchId, share: of, ...more });

/** One side gets a mail and leaves, the other gets the last one. */
const steps = (shares: object[] = [share('a', 30, { label: 'Short' }), share('b', 70)]) => [
  wait(0, 'days', { stepId: 'start' }),
  { type: 'split', stepId: 'sides', nextStepId: 'end-wait', shares },
  email('short', inside('a')),
  { type: 'exit', stepId: 'out', ...inside('a') },
  wait(0, 'days', { stepId: 'end-wait' }),
  email('end'),
];

describe('A split and an exit', () => {
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment();
    await makeSending(env.deps, env.own);
    stage = await openAutomationStage(env);
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });

  const faults = async (broken: object[]) =>
    refusal(await env.own.client.post('/automations', { ...simple, steps: broken }));

  it('are kept as they were given, with ids for shares that have none', async () => {
    const automation = await created(env.own.client, '/automations', {
      ...simple,
      steps: steps([{ share: 30, label: 'Short', branchId: 'a' }, { share: 70 }]),
    });
    const [, split, , out] = automation.steps;
    expect(split.shares[0]).to.deep.equal({ branchId: 'a', label: 'Short', share: 30, nextStepId: null });
    expect(split.shares[1].branchId).to.match(/^.+$/);
    expect(out).to.include({ type: 'exit', stepId: 'out' });
    expect(out).to.not.have.any.keys('shares', 'email', 'delay', 'branches');
  });

  it('are refused with the place: shares that are no hundred, one share, equal ids, steps behind an exit', async () => {
    const [start, split, short, out, endWait, end] = steps();
    for (const [broken, details] of [
      [steps([share('a', 30), share('b', 69)]), 'steps/1/shares: must add up to 100, and add up to 99'],
      [steps([share('a', 99)]), 'steps/1/shares: must hold two shares at least'],
      [steps([]), 'steps/1/shares: must hold two shares at least'],
      [steps([share('a', 30), share('a', 70)]), 'steps/1/shares: two have the same branchId'],
      [
        steps([share('a', 30), share('b', 70, { nextStepId: 'nowhere' })]),
        'steps/1/shares/1/nextStepId: names no step',
      ],
      [[start, split, short, out, email('late', inside('a')), endWait, end], 'steps/4: no step leads here'],
      [[start, split, short, { ...out, nextStepId: 'start' }, endWait, end], 'steps/3/nextStepId'],
    ] as Array<[object[], string]>)
      expect((await faults(broken)).details, details).to.include(details);
    for (const [value, details] of [
      [0, 'steps/1/shares/0/share'],
      [100, 'steps/1/shares/0/share'],
      [1.5, 'steps/1/shares/0/share'],
    ] as const)
      expect((await faults(steps([share('a', value), share('b', 50)]))).details).to.include(details);
    const eleven = Array.from({ length: 11 }, (_, n) => share(`s${n}`, n === 0 ? 90 : 1));
    expect((await faults(steps(eleven))).details).to.include('steps/1/shares');
  });

  it('need a wait somewhere between an email and the one before, or the start: the email is named', async () => {
    const [start, split, short, out, endWait, end] = steps();
    expect((await faults([split, short, out, endWait, end] as object[])).details).to.include(
      'steps/1: needs a wait step',
    );
    const twice = [start, split, short, email('again', inside('a')), out, endWait, end];
    expect((await faults(twice as object[])).details).to.include('steps/3: needs a wait step');
    const after = [start, split, short, out, end];
    const merged = after.map((step) => (step === split ? { ...split, nextStepId: 'end' } : step));
    await created(env.own.client, '/automations', { ...simple, steps: merged });
  });

  it('take each person one way: the same in the simulation and in the run, and as many as the shares say', async () => {
    const { client } = env.own;
    const automation = await created(client, '/automations', { ...simple, steps: steps(), active: true });
    const people = await Promise.all(
      Array.from({ length: 60 }, (_, n) => created(client, '/contacts', { email: `side${n}@in.test` })),
    );
    await stage.settled();
    const { db } = env.deps;
    let short = 0;
    for (const { id } of people) {
      const { body } = await client.post(`/automations/${automation.id}/simulate`, { contact: { contactId: id } });
      const [entry] = body.data.entries;
      const enrollments = (await client.get(`/automations/${automation.id}/enrollments?limit=100`)).body.data
        .enrollments;
      const real = enrollments.find(({ contactId }: { contactId: string }) => contactId === id);
      const side = ({ steps: passed, history }: { steps?: object[]; history?: object[] }) =>
        (passed ?? history ?? []).find((one) => (one as { type: string }).type === 'branch') as { branchId: string };
      expect(side(real).branchId).to.equal(side(entry).branchId);
      const isShort = side(real).branchId === 'a';
      short += Number(isShort);
      expect([real.status, real.exitReason]).to.deep.equal(isShort ? ['exited', 'exit_step'] : ['completed', null]);
      expect(entry.exit).to.include({ status: real.status, reason: real.exitReason });
    }
    expect(short, 'of 60, 30 in 100').to.be.within(6, 32);
    const shown = (await client.get(`/automations/${automation.id}`)).body.data.statistics;
    const figures = new Map(shown.steps.map((one: { stepId: string }) => [one.stepId, one]));
    expect(figures.get('out')).to.include({ type: 'exit', entered: short, exited: short });
    expect(figures.get('sides')).to.include({ type: 'split', entered: 60 });
    expect(shown.exitedBy).to.deep.equal({ exit_step: short });
    const mails = await db.messages.countDocuments({ projectId: env.own.project._id, lane: 'automation' });
    expect(mails, 'one mail each').to.equal(60);
  });

  it('put a person on sides of two automations that have nothing to do with each other', async () => {
    const { client } = env.own;
    const halves = [share('a', 50), share('b', 50)];
    const [one, other] = await Promise.all(
      [1, 2].map(() => created(client, '/automations', { ...simple, steps: steps(halves) })),
    );
    const people = await Promise.all(
      Array.from({ length: 40 }, (_, n) => created(client, '/contacts', { email: `both${n}@in.test` })),
    );
    const sideIn = async ({ id }: { id: string }, contactId: string) =>
      (await client.post(`/automations/${id}/simulate`, { contact: { contactId } })).body.data.branches[0].branchId;
    const same = await Promise.all(people.map(async ({ id }) => (await sideIn(one, id)) === (await sideIn(other, id))));
    expect(same.filter(Boolean).length).to.be.within(6, 34);
  });
});
