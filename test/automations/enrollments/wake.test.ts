import { expect } from 'chai';
import { removeEnrollment } from '../../../core/automations/by-hand/remove.ts';
import { announceWakes, wake } from '../../../core/automations/enrollments/wake.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { inTransaction } from '../../../core/base/database/transactions.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { peopleInside } from '../people.ts';
import { created, simple } from '../support.ts';

const DAY = 86_400_000;

describe('An enrollment that waits for something from outside', function () {
  this.timeout(60_000);
  let env: Environment;
  let automationId: string;
  before(async () => {
    env = await startEnvironment();
    automationId = (await created(env.own.client, '/automations', simple)).id;
  });
  after(() => env.stop());

  const waiting = async (more: Partial<Enrollment> = {}) => {
    const waitFrom = env.clock.now();
    const waitUntil = new Date(waitFrom.getTime() + DAY);
    const place = { stepId: 'w1', waitFrom, waitUntil, started: true, awaits: ['event:bought'], ...more };
    const [person] = await peopleInside(env, automationId, 1, place);
    return person as Enrollment;
  };
  const place = ({ _id, projectId }: Enrollment) => ({ projectId, enrollmentId: _id });
  const stored = ({ _id }: Enrollment) => env.deps.db.enrollments.findOne({ _id });
  const at = (person: Enrollment, ms: number) => new Date(Number(person.waitUntil) + ms);

  it('records it once, and its run looks again', async () => {
    const person = await waiting();
    const heard = { stepId: 'w1', at: at(person, -1) };
    expect(await wake(env.deps, place(person), heard)).to.equal('heard');
    expect(await wake(env.deps, place(person), { ...heard, at: at(person, 0) })).to.equal('known');
    expect(await stored(person)).to.deep.include({ heard: [heard], asked: true, dueAt: new Date(0), revision: 2 });
  });

  it('of many at the same moment records one', async () => {
    const person = await waiting();
    const many = Array.from({ length: 20 }, (_, n) =>
      wake(env.deps, place(person), { stepId: 'w1', at: at(person, -n) }),
    );
    const outcomes = await Promise.all(many);
    expect(outcomes.filter((outcome) => outcome === 'heard')).to.have.length(1);
    expect((await stored(person))?.heard).to.have.length(1);
  });

  it('misses what happens after the end of the wait, at another step, or when the person has left', async () => {
    const person = await waiting();
    expect(await wake(env.deps, place(person), { stepId: 'w1', at: at(person, 1) })).to.equal('missed');
    expect(await wake(env.deps, place(person), { stepId: 'w2', at: at(person, -1) })).to.equal('missed');
    const elsewhere = { projectId: env.other.project._id, enrollmentId: person._id };
    expect(await wake(env.deps, elsewhere, { stepId: 'w1', at: at(person, -1) })).to.equal('missed');
    expect((await stored(person))?.revision).to.equal(1);
    await removeEnrollment(env.deps, env.own.project, automationId, person._id.toHexString());
    expect(await wake(env.deps, place(person), { stepId: 'w1', at: at(person, -1) })).to.equal('missed');
    expect(await stored(person)).to.not.have.any.keys('heard', 'awaits');
  });

  it('stays parked while the automation is paused', async () => {
    const person = await waiting({ parked: true });
    const heard = { stepId: 'w1', at: at(person, 0) };
    expect(await wake(env.deps, place(person), heard)).to.equal('heard');
    expect(await stored(person)).to.deep.include({ heard: [heard], parked: true });
    expect(await stored(person)).to.not.have.any.keys('dueAt', 'asked');
  });

  it('is woken in the transaction of a caller, or not at all', async () => {
    const person = await waiting();
    const heard = { stepId: 'w1', at: at(person, -1) };
    const failed = inTransaction(env.deps, async (session) => {
      await wake(env.deps, { ...place(person), session }, heard);
      throw new Error('the caller fails');
    });
    expect(await failed.catch(({ message }) => message)).to.equal('the caller fails');
    expect(await stored(person)).to.not.have.any.keys('heard', 'dueAt');
    await inTransaction(env.deps, (session) => wake(env.deps, { ...place(person), session }, heard));
    announceWakes(env.deps, person.projectId);
    expect((await stored(person))?.heard).to.deep.equal([heard]);
  });
});
